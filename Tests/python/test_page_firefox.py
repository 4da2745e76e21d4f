"""The pages in a second browser: joining, writing with and without the house, speaking, and what the policy of the page forbids."""
import pytest

from firefox import firefox
from pages import entries, spoken
from web import door


@pytest.fixture(scope="module")
def front():
    with door() as front:
        yield front


@pytest.fixture(scope="module")
def page(front):
    with firefox() as page:
        code = front.hub.reply("Devices/Invite", {"name": "hanako", "role": "recorder"})["code"]
        page.open(f"{front.url}/pair#{code}")
        page.until("document.getElementById('code').value.length >= 8")
        page.read("document.querySelector('form').requestSubmit()")
        page.until("document.querySelector('[data-test=memo]') !== null")
        page.until("navigator.serviceWorker.ready.then(() => true)")
        page.open(front.url + "/")
        page.read("window.refused = [], addEventListener('securitypolicyviolation', (event) => refused.push(event.blockedURI)), true")
        yield page


def write(page, memo):
    page.tap("[data-test=category-meal]")
    page.read(f"document.querySelector('[data-test=memo]').value = {memo!r}, true")
    page.tap("[data-test=save]")


def test_a_typed_entry_is_in_the_house_and_on_the_page(front, page):
    before = len(entries(front, 0))
    write(page, "porridge")
    record, = [record for record in entries(front, before + 1) if record.get("memo") == "porridge"]
    assert record["recorder"] == "hanako"
    page.until(f"document.querySelectorAll('[data-test=entry]').length === {before + 1}")
    assert page.read("refused") == [] and page.faults == []


def test_what_is_spoken_becomes_one_entry(front, page):
    before = len(entries(front, 0))
    page.tap("[data-test=record]")
    spoken(page, 2)
    page.tap("[data-test=stop]")
    # The hub has it from its first byte on; it waits here until the last one is there.
    entries(front, before + 1)
    page.until("document.querySelector('[data-test=pending]').hidden")
    records = entries(front, before + 1)
    assert len(records) == before + 1
    record = next(record for record in records if "memo" not in record)
    assert int(front.hub.reply("Care/Audio", {"id": record["id"]})["size"]) >= 2 * 32_000
    assert page.read("refused") == [] and page.faults == []


def test_what_is_typed_while_the_house_is_away_is_sent_once(front, page):
    before = len(entries(front, 0))
    front.end()
    write(page, "kept")
    page.until("!document.querySelector('[data-test=pending]').hidden")
    page.open(front.url + "/")
    assert "kept" in page.until("document.querySelector('[data-test=pending]').innerText")
    front.start()
    page.until("document.querySelector('[data-test=pending]').hidden", 60)
    records = entries(front, before + 1)
    assert [record.get("memo") for record in records].count("kept") == 1 and len(records) == before + 1
