"""What somebody writes or says on a page is kept, whatever goes wrong around it: other answers, a full device, slow pictures, the way back."""
import contextlib
import datetime
import time

import pytest

from browser import browser  # noqa: F401 - a fixture
from keyed import eventually
from line import Line
from pages import KEPT, SLOW, TOLD, WORKER, drained, entries, shown, spoken, waiting, write
from planned import add, doses, near, said, values
from test_page_photos import calls, choose, picture, unfold
from visitor import person
from web import door

ONE_WAITS = "document.querySelectorAll('#waiting li').length === 1"
# A connection to what the device keeps, as the browser may close it: notes each that is opened.
CONNECTIONS = """
window.connections = [];
const open = IDBFactory.prototype.open;
IDBFactory.prototype.open = function (...names) {
  const request = open.apply(this, names);
  request.addEventListener('success', () => window.connections.push(request.result));
  return request;
};
"""
# From the second piece of sound on there is no room.
FULL = """() => {
  const add = IDBObjectStore.prototype.add;
  let pieces = 0;
  IDBObjectStore.prototype.add = function (value) {
    if (this.name === 'pieces' && pieces++ > 0) throw new DOMException('full', 'QuotaExceededError');
    return add.call(this, value);
  };
}"""


@pytest.fixture
def front():
    with door() as front:
        front.hub.reply("Care/Configure", {"settings": {"recipient": "Yoshiko", "timeZone": "UTC"}})
        yield front


def joined(browser, front, name="hanako"):
    phone = browser.phone()
    phone.join(front, name)
    phone.context.add_init_script(CONNECTIONS)
    phone.open(front.url + "/")
    phone.until(WORKER)
    return phone


@pytest.fixture
def phone(browser, front):
    phone = joined(browser, front)
    yield phone
    phone.close()


@pytest.mark.parametrize("status", [200, 302, 403])
def test_what_something_else_on_the_way_answers_is_no_answer_of_the_house(front, phone, status):
    def log_in(route):
        headers = {"Location": "/more"} if status == 302 else {}
        route.fulfill(status=status, headers=headers, content_type="text/html", body="<html>Please log in</html>")

    for path in ("kith.v1.Care/Record", "healthz"):
        phone.page.route(f"**/{path}", log_in)
    phone.open(front.url + "/")
    write(phone, "insulin 6 units", "medication")
    phone.until("!document.querySelector('[data-test=pending]').hidden")
    assert "insulin 6 units" in waiting(phone) and not entries(front, 1, seconds=1)
    phone.page.unroute_all()
    phone.read("dispatchEvent(new Event('online'))")
    assert [entry["memo"] for entry in entries(front, 1)] == ["insulin 6 units"]


def test_what_a_proxy_refuses_holds_up_nothing_and_can_be_discarded(front, phone):
    def refuse(route):
        if "<script>" in route.request.post_data:
            route.fulfill(status=403, content_type="text/html", body="<html>Blocked</html>")
        else:
            route.continue_()

    phone.page.route("**/kith.v1.Care/Record", refuse)
    phone.open(front.url + "/")
    write(phone, "reads about <script>", "meal")
    phone.until("document.querySelector('[data-test=pending]').innerText.includes('HTTP 403')")
    with phone.page.expect_response("**/kith.v1.Care/Record"):
        write(phone, "insulin 6 units", "medication")
    assert [entry["memo"] for entry in entries(front, 1)] == ["insulin 6 units"] and "HTTP 403" in waiting(phone)
    phone.until(ONE_WAITS)
    phone.page.click("#waiting button:last-of-type")
    drained(phone)
    assert len(entries(front, 1)) == 1


def test_the_login_page_of_a_network_signs_nobody_out(front, phone):
    phone.open(front.url + "/")
    # What waits would be lost.
    phone.page.route("**/kith.v1.Care/Record", lambda route: route.abort())
    write(phone, "insulin 6 units", "medication")
    phone.until("!document.querySelector('[data-test=pending]').hidden")
    for path in ("leave", "healthz"):
        phone.page.route(f"**/{path}", lambda route: route.fulfill(status=200, content_type="text/html", body="<html>Please log in</html>"))
    phone.open(front.url + "/more")
    phone.page.once("dialog", lambda dialog: dialog.accept())
    phone.page.click("form.leave button")
    phone.until("document.querySelector('[data-test=sync-state]').textContent.includes('Not signed out')")
    phone.page.unroute_all()
    phone.read("dispatchEvent(new Event('online'))")
    assert [entry["memo"] for entry in entries(front, 1)] == ["insulin 6 units"]


def test_what_a_proxy_finds_too_large_is_said_and_kept_and_holds_up_nothing(front, phone):
    ingrid = person(front, "Ingrid")
    phone.page.route("**/blobs/*", lambda route: route.fulfill(status=413, content_type="text/html", body="<html>Too large</html>"))
    unfold(phone, front, ingrid)
    choose(phone, picture(phone, 640, 480))
    phone.page.click("[data-test=log]")
    phone.until("document.querySelector('[data-test=pending]').innerText.includes('HTTP 413')")
    phone.page.unroute("**/blobs/*")
    unfold(phone, front, ingrid)
    choose(phone, picture(phone, 640, 480))
    phone.page.click("[data-test=log]")
    assert eventually(lambda: calls(front, ingrid)) and "HTTP 413" in waiting(phone)
    phone.until(ONE_WAITS)
    phone.page.click("#waiting button:first-of-type")
    drained(phone)
    assert len(calls(front, ingrid)) == 2


def test_sound_for_which_a_device_has_no_room_ends_the_recording_and_what_was_kept_is_sent(front, phone):
    phone.open(front.url + "/")
    phone.read(f"({FULL})()")
    phone.read(TOLD, "form.voice output")
    phone.page.click("[data-test=record]")
    phone.until("window.told.some((text) => text.includes('could not keep any more'))")
    assert phone.page.locator("[data-test=record]").is_visible() and not phone.page.locator("[data-test=stop]").is_visible()
    drained(phone)
    entry, = entries(front, 1)
    assert entry["state"] != "recording" and int(front.hub.reply("Care/Get", {"id": entry["id"]})["record"]["audioBytes"]) > 44


def test_sound_that_is_still_being_kept_when_the_recorder_fails_is_sent(browser, front):
    phone = browser.phone()
    phone.context.add_init_script("""
        delete window.AudioWorkletNode;
        const read = Blob.prototype.arrayBuffer;
        let pieces = 0;
        Blob.prototype.arrayBuffer = async function () {
          if (pieces++ > 0) throw new DOMException('gone', 'NotReadableError');
          return read.call(this);
        };""")
    phone.join(front, "hanako")
    phone.open(front.url + "/")
    phone.read(SLOW, "pieces")
    phone.read(TOLD, "form.voice output")
    phone.page.click("[data-test=record]")
    spoken(phone, 2)
    phone.page.click("[data-test=stop]")
    phone.page.wait_for_timeout(1000)
    phone.read("window.kept = true")
    assert len(entries(front, 1)) == 1
    phone.until("window.told.some((text) => text.includes('could not keep any more'))")
    drained(phone)
    phone.close()


def test_what_is_written_after_the_press_stays_while_a_picture_is_read(front, phone):
    ingrid = person(front, "Ingrid")
    unfold(phone, front, ingrid)
    phone.read("""() => {
      const make = window.createImageBitmap;
      window.createImageBitmap = async (...picture) => {
        await new Promise((done) => { window.read = done; });
        return make(...picture);
      };
    }""")
    choose(phone, picture(phone, 3000, 2000))
    memo = phone.page.locator("details:has([data-test=log]) [data-test=memo]")
    memo.fill("Talked about the garden")
    phone.page.click("[data-test=log]")
    memo.press_sequentially(" and she fell")
    phone.until("window.read !== undefined")
    phone.read("window.read()")
    assert eventually(lambda: calls(front, ingrid))
    call, = calls(front, ingrid)
    assert call["note"] == "Talked about the garden and she fell" and len(call["attachments"]) == 1


def test_nobody_is_taken_away_from_what_they_write(front, phone):
    ingrid = person(front, "Ingrid")
    phone.open(f"{front.url}/people/{ingrid}")
    held = []
    phone.page.route("**/kith.v1.Calls/Start", lambda route: held.append(route))
    phone.page.click("[data-test=call-start]")
    phone.page.locator("details:has([data-test=log]) > summary").click()
    memo = phone.page.locator("details:has([data-test=log]) [data-test=memo]")
    memo.press_sequentially("She asks for")
    assert eventually(lambda: held or phone.page.wait_for_timeout(50))
    held.pop().continue_()
    drained(phone)
    phone.page.wait_for_timeout(500)
    assert phone.page.url == f"{front.url}/people/{ingrid}" and memo.input_value() == "She asks for"


def test_a_full_disk_hides_nothing_that_is_new(front, phone):
    front.hub.reply("Care/Record", {"category": "meal", "memo": "first"})
    phone.open(front.url + "/")
    phone.context.new_cdp_session(phone.page).send("Storage.overrideQuotaForOrigin", {"origin": front.url, "quotaSize": 1})
    front.hub.reply("Care/Record", {"category": "meal", "memo": "second"})
    phone.open(front.url + "/")
    assert sorted(shown(phone)) == ["first", "second"]


def seen_on_a_line(front, phone):
    """A line on which the phone has seen an entry, with the worker of the pages."""
    line = Line(front)
    front.hub.reply("Care/Record", {"category": "meal", "memo": "soup"})
    phone.open(line.url + "/")
    phone.until(WORKER)
    phone.open(line.url + "/")
    phone.until(KEPT)
    assert shown(phone) == ["soup"]
    return line


@pytest.mark.parametrize("fault", ["breaks", "stands"])
def test_of_a_page_that_comes_half_the_one_that_was_seen_is_shown(front, phone, fault):
    line = seen_on_a_line(front, phone)
    line.fault = fault
    phone.open(line.url + "/")
    assert shown(phone) == ["soup"]
    line.listener.close()


def test_what_something_on_the_way_says_of_a_house_that_is_away_is_not_shown(front, phone):
    line = seen_on_a_line(front, phone)
    line.fault = 502
    phone.open(line.url + "/")
    assert shown(phone) == ["soup"]
    phone.open(line.url + "/people")
    assert "no connection to the house" in phone.page.inner_text("main")
    line.listener.close()


@pytest.mark.parametrize("status", [200, 401, 403])
def test_a_login_that_a_network_wants_is_shown_and_takes_nothing_that_was_seen(front, phone, status):
    line = seen_on_a_line(front, phone)
    line.fault = status

    def is_asked():
        # The worker waits for three seconds, and then shows what was seen.
        phone.page.goto(line.url + "/")
        return phone.read("document.body.innerText") == "Please log in"

    assert eventually(is_asked)
    phone.offline()
    phone.page.goto(line.url + "/")
    phone.until("document.querySelector('[data-test=entry] .words') !== null")
    assert shown(phone) == ["soup"]
    phone.offline(False)
    line.listener.close()


def test_a_draft_does_not_come_back_over_what_another_person_wrote(front, phone):
    entry = front.hub.reply("Care/Record", {"category": "meal", "memo": "soup"})["record"]["id"]
    phone.open(f"{front.url}/entries/{entry}")
    memo = phone.page.locator("form[action$='Care/Update'] [data-test=memo]")
    memo.fill("soup and bread")
    phone.open(front.url + "/days")
    front.hub.reply("Care/Update", {"record": {"id": entry, "memo": "soup; she choked"}, "fields": ["memo"]})
    phone.page.go_back()
    phone.until("document.querySelector('[data-test=memo]') !== null")
    assert memo.input_value() == "soup; she choked"
    phone.page.click("form[action$='Care/Update'] [data-test=save]")
    drained(phone)
    assert front.hub.reply("Care/Get", {"id": entry})["record"]["memo"] == "soup; she choked"


def test_a_store_that_the_browser_has_closed_is_opened_again(front, phone):
    phone.open(front.url + "/")
    phone.until("window.connections.length > 0")
    phone.offline()
    phone.read("window.connections.forEach((connection) => connection.close())")
    write(phone, "soup")
    phone.until("!document.querySelector('[data-test=pending]').hidden")
    phone.offline(False)
    assert [entry["memo"] for entry in entries(front, 1)] == ["soup"]


def test_what_was_said_is_recorded_once_by_two_phones_that_were_away(browser, front):
    clock, _ = near()
    add(front.hub, "Aspirin", clock)
    said(front.hub, "She took her aspirin.")
    said(front.hub, "Blood pressure one thirty over eighty.", category="free_memo")
    phones = [joined(browser, front, name) for name in ("hanako", "taro")]
    for phone in phones:
        phone.open(front.url + "/")
        phone.offline()
    for phone in phones:
        for number, button in enumerate(("tick", "record-value")):
            phone.page.locator(f"[data-test={button}]").first.click()
            phone.until(f"document.querySelectorAll('#waiting li').length === {number + 1}")
    for phone in phones:
        phone.offline(False)
        phone.read("dispatchEvent(new Event('online'))")
        drained(phone)
        phone.close()
    assert len(doses(front.hub)) == 1 and len(values(front.hub)) == 1


def test_a_call_has_the_times_of_its_presses_and_not_those_of_the_network(front, phone):
    ingrid = person(front, "Ingrid")
    phone.open(f"{front.url}/people/{ingrid}")
    phone.until("navigator.serviceWorker.ready.then(() => true)")
    phone.offline()
    phone.page.locator("form[action$='Calls/Quick'] button").click()
    phone.until("document.querySelectorAll('#waiting li').length === 1")
    pressed = datetime.datetime.now(datetime.UTC)
    phone.page.wait_for_timeout(3000)
    phone.offline(False)
    assert eventually(lambda: calls(front, ingrid))
    call, = calls(front, ingrid)
    assert datetime.datetime.fromisoformat(call["calledAt"]) <= pressed
