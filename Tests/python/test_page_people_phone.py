"""People on the family's pages in Chromium: what scripts and a finger do there."""
import datetime

import pytest
from playwright.sync_api import expect

from browser import browser  # noqa: F401 - a fixture
from pages import drained
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


def talk_of(front, *messages):
    """The id of a conversation with these messages, and the address of its page."""
    ann = person(front, "Ann")
    talk = front.hub.reply("Conversations/Create", {"record": {
        "personId": ann, "channel": "text", "happenedAt": "2026-11-20T08:10:00Z",
        "messages": [{"content": text} for text in messages]}})["id"]
    return talk, f"{front.url}/records/conversation?person={ann}&id={talk}"


def messages(front, talk):
    return [message["content"] for message in front.hub.reply("Conversations/Get", {"id": talk})["messages"]]


def open_and_leave(phone, address):
    """Opens a page and loses the network."""
    phone.open(address)
    phone.until("navigator.serviceWorker.ready.then(() => true)")
    phone.offline()


def correct(phone, number, text):
    """Corrects a message of the page that is open."""
    message = phone.page.locator("[data-test=message]").nth(number)
    message.locator("summary").click()
    message.locator("textarea").fill(text)
    message.locator("form[action$=UpdateMessage] button").click()


def test_corrections_of_two_messages_wait_for_the_network_and_both_arrive(front, phone):
    talk, address = talk_of(front, "Lunch at ten\nat the station", "Bring the phtos")
    open_and_leave(phone, address)
    for number, text in enumerate(["Lunch at one\nat the station", "Bring the photos"]):
        correct(phone, number, text)
        phone.until(f"document.querySelectorAll('#waiting li').length === {number + 1}")
    assert messages(front, talk) == ["Lunch at ten\nat the station", "Bring the phtos"]
    phone.offline(False)
    drained(phone)
    assert messages(front, talk) == ["Lunch at one\nat the station", "Bring the photos"]


def test_two_corrections_of_a_message_wait_for_the_network_and_the_later_one_counts(front, phone):
    talk, address = talk_of(front, "Lunch at ten", "Bring the photos")
    open_and_leave(phone, address)
    for number, text in enumerate(["Lunch at one", "Lunch at noon"]):
        correct(phone, 0, text)
        phone.until(f"document.querySelectorAll('#waiting li').length === {number + 1}")
        assert text in phone.read("document.getElementById('waiting').textContent")
    phone.offline(False)
    drained(phone)
    assert messages(front, talk) == ["Lunch at noon", "Bring the photos"]


def test_what_another_phone_changed_meanwhile_stays_and_the_refused_correction_can_be_read(front, phone):
    talk, address = talk_of(front, "Lunch at ten")
    phone.open(address)
    phone.offline()
    correct(phone, 0, "Lunch at one")
    phone.until("document.querySelectorAll('#waiting li').length === 1")
    message, = front.hub.reply("Conversations/Get", {"id": talk})["messages"]
    front.hub.reply("Conversations/UpdateMessage", {
        "conversationId": talk, "message": {"id": message["id"], "content": "Lunch at ten", "writtenByMe": True}})
    phone.offline(False)
    phone.until("document.querySelector('#waiting strong') !== null")
    assert "Lunch at one" in phone.read("document.getElementById('waiting').textContent")
    message, = front.hub.reply("Conversations/Get", {"id": talk})["messages"]
    assert message["content"] == "Lunch at ten" and message["writtenByMe"]


def test_a_message_of_two_lines_is_corrected_with_and_without_scripts(front, phone, browser):
    talk, address = talk_of(front, "Lunch at ten\nat the station")
    plain = browser.phone(java_script_enabled=False)
    plain.context.add_cookies(phone.context.cookies())
    # Without scripts, a browser sends line breaks as CR LF.
    for number, (shown, line_break) in enumerate([(plain, "\r\n"), (plain, "\r\n"), (phone, "\n"), (plain, "\r\n")]):
        shown.open(address)
        correct(shown, 0, f"Lunch at {number}\nat the station")
        expect(shown.page.locator("[data-test=message] .words")).to_contain_text(f"Lunch at {number}", timeout=30_000)
        assert messages(front, talk) == [f"Lunch at {number}{line_break}at the station"]
    plain.close()
