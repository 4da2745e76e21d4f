"""The care plan on the first page: by forms alone, and on a phone without a network."""
import datetime

import pytest

from browser import chromium
from pages import drained
from visitor import Visitor
from web import door


@pytest.fixture
def front():
    with door() as front:
        # A zone in which it is ten in the evening: what is due before midnight is not too early. Etc/GMT+5 is five hours behind UTC.
        behind = (datetime.datetime.now(datetime.UTC).hour - 22 + 12) % 24 - 12
        front.hub.reply("Care/Configure", {"settings": {"recipient": "Yoshiko", "timeZone": f"Etc/GMT{behind:+d}"}})
        yield front


def plan(front):
    """An item that is due before midnight, and one that is given as needed."""
    front.hub.reply("Plan/Add", {"item": {"kind": "medicine", "name": "Aspirin", "amount": "1", "unit": "tablet", "times": [{"time": "23:59"}]}})
    front.hub.reply("Plan/Add", {"item": {"kind": "medicine", "name": "Paracetamol", "asNeeded": True, "leastMinutes": 240}})


def test_a_visitor_without_scripts_gives_undoes_and_skips(front):
    visitor = Visitor(front.device("hanako"))
    assert not list(visitor.open("/").root.all("section", data_test="plan"))
    plan(front)
    page = visitor.open("/")
    (due,) = page.root.all("li", data_test="plan-due")
    assert "23:59 Aspirin 1 tablet" in due.text
    page = page.send("Plan/Give", {})
    (due,) = page.root.all("li", data_test="plan-due")
    assert "given" in due.text and "by hanako" in due.text and "Given" not in [button.text for button in due.all("button")]
    page = page.send("Plan/Undo", {})
    (due,) = page.root.all("li", data_test="plan-due")
    assert "given" not in due.text
    page = page.send("Plan/Skip", {})
    (due,) = page.root.all("li", data_test="plan-due")
    assert "skipped" in due.text
    doses = front.hub.reply("Plan/History", {"deleted": True})["doses"]
    assert [dose["outcome"] for dose in doses] == ["skipped", "given"] and "deletedAt" in doses[1]


def test_a_viewer_sees_the_plan_and_no_buttons(front):
    plan(front)
    page = Visitor(front.device("guest", "viewer")).open("/")
    assert list(page.root.all("li", data_test="plan-due")) and not list(page.root.all("button", data_test="plan-give"))


def test_a_week_is_read_and_the_report_is_made(front):
    plan(front)
    device = front.device("hanako", "viewer")
    visitor = Visitor(device)
    front.hub.reply("Measurements/Record", {"measurement": {"kind": "blood_pressure", "value": "130", "lower": "80"}})
    item = next(item for item in front.hub.reply("Plan/Items", {})["items"] if item["name"] == "Paracetamol")
    front.hub.reply("Plan/Give", {"itemId": item["id"]})
    page = visitor.open("/summary")
    assert "blood pressure: 130/80 mmHg" in page.texts("summary")[0]
    page = page.follow("Week")
    assert "Paracetamol: given 1 (" in page.texts("summary")[0] and "blood pressure: 130/80 mmHg (1 value)" in page.texts("summary")[0]
    page = page.follow("Month")
    assert "Paracetamol: given 1 (" in page.texts("summary")[0]
    page = page.follow("Report for a doctor")
    (address,) = [address for text, address in page.main.links() if "Download" in text]
    report = device.ask("GET", address)
    assert report.content.startswith(b"%PDF")
    assert "自由メモ" in device.ask("GET", "/summary?span=week&language=ja").text


def test_two_phones_without_a_network_both_gave_it_and_the_page_says_so(front):
    plan(front)
    with chromium() as browser:
        phones = [browser.phone(), browser.phone()]
        for phone, name in zip(phones, ("hanako", "taro")):
            phone.join(front, name)
            phone.open(front.url + "/")
            phone.offline()
            phone.page.click("[data-test=plan-due] [data-test=plan-give]")
            phone.until("document.querySelector('[data-test=pending]')?.hidden === false")
        for phone in phones:
            phone.offline(False)
            phone.read("dispatchEvent(new Event('online'))")
            drained(phone, 60)
        doses = front.hub.reply("Plan/History", {})["doses"]
        assert sorted(dose["recorder"] for dose in doses) == ["hanako", "taro"]
        assert sorted("warnings" in dose for dose in doses) == [False, True]
        phones[0].open(front.url + "/")
        phones[0].until("document.querySelector('[data-test=plan-due]').innerText.includes('Given again')")
