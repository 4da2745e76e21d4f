"""Long lists on a phone: searched while somebody types, continued while somebody scrolls, and found again at the same place."""
import secrets

import pytest

from browser import browser  # noqa: F401 - a fixture
from web import door

PEOPLE = 130


@pytest.fixture(scope="module")
def front():
    with door() as front:
        for number in range(PEOPLE):
            front.hub.reply("People/Create", {"record": {"firstName": f"Ann{number:03}", "nickname": "Jon" if number == 77 else ""}})
        yield front


@pytest.fixture
def phone(browser, front):
    phone = browser.phone()
    phone.join(front, name="p" + secrets.token_hex(4))
    phone.open(front.url + "/people")
    yield phone
    assert not phone.faults and not phone.refused()
    phone.close()


def count(phone):
    return phone.read("document.querySelectorAll('[data-test=person]').length")


def scroll_to_the_end(phone):
    while phone.read("document.querySelector('#page > .next') !== null"):
        before = count(phone)
        phone.read("window.scrollTo(0, document.body.scrollHeight)")
        phone.until(f"document.querySelectorAll('[data-test=person]').length > {before}")


def test_a_list_goes_on_when_somebody_scrolls(phone):
    assert count(phone) == 50
    scroll_to_the_end(phone)
    assert count(phone) == PEOPLE
    names = phone.read("[...document.querySelectorAll('[data-test=person] .kind')].map((name) => name.textContent)")
    assert names == sorted(set(names))


def test_going_back_leads_to_the_same_place(phone):
    scroll_to_the_end(phone)
    phone.page.locator("[data-test=person] a").nth(120).scroll_into_view_if_needed()
    place = phone.read("window.scrollY")
    assert place > 1000
    phone.page.locator("[data-test=person] a").nth(120).click()
    phone.until("location.pathname !== '/people'")
    phone.page.go_back()
    phone.until(f"Math.abs(window.scrollY - {place}) < 100")
    assert count(phone) == PEOPLE


def test_typing_searches_without_a_button_and_keeps_the_cursor(phone):
    phone.page.locator("[data-test=search]").press_sequentially("John")
    # A slow page asks for "Joh" as well, which finds the same contact.
    phone.until("location.search.includes('text=John') && document.querySelectorAll('[data-test=person]').length === 1")
    assert phone.read("document.activeElement.value") == "John"
    phone.page.fill("[data-test=search]", "Nobody Atall")
    phone.until("document.querySelectorAll('[data-test=person]').length === 0")
    assert "No contacts found" in phone.page.inner_text("#page")
    phone.page.fill("[data-test=search]", "")
    phone.until("location.href.endsWith('/people') && document.querySelectorAll('[data-test=person]').length === 50")


def test_a_list_that_somebody_reads_is_not_taken_away(front, phone):
    scroll_to_the_end(phone)
    with front.device("watcher").events("people") as events:
        added = front.hub.reply("People/Create", {"record": {"firstName": "Aaron"}})["id"]
        assert next(kind for kind, _ in events if kind == "message")
    # The page has the event as well by now, and would have fetched itself again after 300 ms.
    phone.page.wait_for_timeout(1500)
    assert count(phone) == PEOPLE
    phone.read("window.scrollTo(0, 0)")
    phone.until("document.querySelector('[data-test=person] .kind').textContent === 'Aaron'")
    front.hub.reply("People/Delete", {"id": added})
