"""People on the family's pages in Chromium: what scripts and a finger do there."""
import datetime

import pytest

from browser import browser  # noqa: F401 - a fixture
from visitor import person
from web import door


@pytest.fixture(scope="module")
def front():
    with door() as front:
        front.hub.reply("Care/Configure", {"settings": {"recipient": "Yoshiko", "timeZone": "Asia/Tokyo"}})
        yield front


@pytest.fixture
def phone(browser, front, request):
    phone = browser.phone(locale="en-GB", timezone_id="Asia/Tokyo")
    phone.join(front, name=f"p{abs(hash(request.node.name)) % 10**8}")
    yield phone
    phone.close()


def test_a_finger_walks_the_picture(front, phone):
    ann, bob = person(front, "Ann"), person(front, "Bob")
    front.hub.reply("Relationships/Create", {"record": {"personId": ann, "otherId": bob, "type": "parent"}})
    phone.open(f"{front.url}/people/{ann}")
    size = phone.read("(() => { const {width, height} = document.querySelector('[data-test=relations] a').getBoundingClientRect();"
                      " return [width, height] })()")
    assert min(size) >= 44, size
    phone.page.tap("[data-test=relations] a")
    phone.page.wait_for_url(f"{front.url}/people/{bob}")
    assert phone.read("document.querySelector('h1').textContent") == "Bob"
    phone.page.tap("[data-test=relations] a")
    phone.page.wait_for_url(f"{front.url}/people/{ann}")
    assert phone.read("document.documentElement.scrollWidth <= innerWidth") and not phone.faults and not phone.refused()


def test_what_is_pressed_stays_there_while_the_house_changes(front, phone):
    ann, bob = person(front, "Ann"), person(front, "Bob")
    front.hub.reply("Relationships/Create", {"record": {"personId": ann, "otherId": bob, "type": "parent"}})
    phone.open(f"{front.url}/people/{ann}")
    link = "document.querySelector('[data-test=relations] a')"
    phone.read(f"{link}.scrollIntoView({{block: 'center'}}); window.pressed = {link}")
    x, y = phone.read("(() => { const {x, y, width, height} = window.pressed.getBoundingClientRect();"
                      " return [x + width / 2, y + height / 2] })()")
    phone.page.mouse.move(x, y)
    phone.page.mouse.down()
    phone.read("window.heard = false; window.events = new EventSource('/events?streams=' + document.body.dataset.streams);"
               " window.events.onmessage = () => setTimeout(() => { window.heard = true }, 1000);"
               " new Promise((done) => { window.events.onopen = () => done(true) })")
    front.hub.reply("Notes/Create", {"record": {"personId": ann, "body": "Likes tea"}})
    phone.until("window.heard")
    assert phone.read("window.pressed.isConnected && document.querySelector('[data-test=note]') === null")
    phone.page.mouse.up()
    phone.page.wait_for_url(f"{front.url}/people/{bob}")


def test_a_page_that_waited_for_a_press_shows_what_changed(front, phone):
    ann = person(front, "Ann")
    phone.open(f"{front.url}/people/{ann}")
    phone.page.mouse.move(5, 5)
    phone.page.mouse.down()
    front.hub.reply("Notes/Create", {"record": {"personId": ann, "body": "Likes tea"}})
    phone.page.mouse.up()
    phone.until("document.querySelector('[data-test=note]') !== null")


def test_a_note_that_is_written_offline_is_there_once_the_network_is_back(front, phone):
    ann = person(front, "Ann")
    phone.open(f"{front.url}/people/{ann}")
    phone.until("navigator.serviceWorker.ready.then(() => true)")
    phone.offline()
    note = "form[action$='Notes/Create']"
    phone.read(f"document.querySelector(\"{note}\").closest('details').open = true")
    phone.page.fill(f"{note} textarea", "Likes tea")
    phone.page.click(f"{note} button")
    phone.until("!document.querySelector('[data-test=pending]').hidden")
    assert "notes" not in front.hub.reply("Notes/List", {"personId": ann})
    phone.offline(False)
    phone.until("document.querySelector('[data-test=pending]').hidden && document.querySelector('[data-test=note]') !== null")
    note, = front.hub.reply("Notes/List", {"personId": ann})["notes"]
    assert note["body"] == "Likes tea" and "Likes tea" in phone.read("document.querySelector('[data-test=note]').textContent")


def test_a_conversation_has_the_time_at_which_it_is_sent_and_not_that_of_the_page(front, phone):
    ann = person(front, "Ann")
    phone.open(f"{front.url}/records/conversation?person={ann}")
    # A page that was opened an hour ago.
    phone.read("document.querySelector('input[type=hidden][name=\"record.happenedAt\"]').value = '2026-01-01T00:00:00Z'")
    sent = datetime.datetime.now(datetime.UTC)
    phone.page.select_option("[name='record.channel']", "in person")
    phone.page.fill("[name='record.messages[0].content']", "About the garden")
    phone.page.click("[data-test=save]")
    phone.until("document.querySelector('[data-test=conversation]') !== null")
    talk, = front.hub.reply("Conversations/List", {"personId": ann})["conversations"]
    said = datetime.datetime.fromisoformat(talk["happenedAt"])
    assert abs(said - sent) < datetime.timedelta(seconds=60) and talk["messages"][0]["content"] == "About the garden"
    assert not phone.faults and not phone.refused()
