"""Pictures of calls: chosen with a call or added to one, kept on the phone until the house has them, and there once."""
import base64
import csv
import io
import json
import struct

import pytest

from browser import browser  # noqa: F401 - a fixture
from conftest import stopped
from pages import CONNECTED, WORKER, drained, waiting
from visitor import person
from web import door

# The phone draws them itself, as a camera would.
DRAW = """async ([width, height, type, color]) => {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width, height];
  const pen = canvas.getContext('2d');
  pen.fillStyle = color;
  pen.fillRect(0, 0, width / 2, height);
  return canvas.toDataURL(type).split(',')[1];
}"""


@pytest.fixture
def front():
    with door() as front:
        yield front


@pytest.fixture
def phone(browser, front):
    phone = browser.phone()
    phone.join(front)
    phone.open(front.url + "/")
    phone.until(WORKER)
    yield phone
    phone.close()


def picture(phone, width, height, kind="image/jpeg", color="red", name="picture"):
    """A file as a person chooses it."""
    return {"name": name, "mimeType": kind, "buffer": base64.b64decode(phone.read(DRAW, [width, height, kind, color]))}


def size(jpeg):
    """Width and height of a JPEG: its frame header (ITU-T T.81, B.2.2)."""
    at = 2
    while not 0xC0 <= jpeg[at + 1] <= 0xC3:
        at += 2 + struct.unpack(">H", jpeg[at + 2:at + 4])[0]
    return struct.unpack(">HH", jpeg[at + 5:at + 9])[::-1]


def unfold(phone, front, identity):
    phone.open(f"{front.url}/people/{identity}")
    phone.page.locator("details:has([data-test=log]) > summary").click()


def choose(phone, *files):
    phone.page.set_input_files("[data-test=photos]", list(files))


def chosen(phone, count):
    phone.until(f"document.querySelectorAll('.chosen img').length === {count}")


def calls(front, identity):
    return front.hub.reply("Calls/List", {"filter": {"personId": identity}}).get("calls", [])


def test_pictures_that_are_taken_without_a_network_are_sent_once_with_their_call(front, phone):
    ingrid = person(front, "Ingrid")
    large = picture(phone, 4000, 3000, "image/png")
    small = picture(phone, 640, 480, color="blue")
    unfold(phone, front, ingrid)
    phone.offline()
    # One after the other, as a camera gives them.
    choose(phone, large)
    chosen(phone, 1)
    choose(phone, small)
    chosen(phone, 2)
    phone.page.fill("form[action$='Calls/Log'] [data-test=memo]", "with pictures")
    phone.page.click("[data-test=log]")
    phone.until("!document.querySelector('[data-test=pending]').hidden")
    phone.page.reload()
    phone.until("document.querySelector('[data-test=pending]').innerText.includes('with pictures 📷 2')")
    assert calls(front, ingrid) == []
    phone.offline(False)
    drained(phone)
    call, = calls(front, ingrid)
    assert call["note"] == "with pictures" and [file["mediaType"] for file in call["attachments"]] == ["image/jpeg"] * 2
    first, second = (front.device(f"eye-{number}").ask("GET", f"/blobs/{file['sha256']}")
                     for number, file in enumerate(call["attachments"]))
    assert size(first.content) == (2048, 1536) and first.headers["content-type"] == "image/jpeg"
    assert second.content == small["buffer"]
    phone.open(f"{front.url}/calls/{call['id']}")
    phone.until("document.querySelectorAll('#page .attachments img').length === 2")
    phone.page.locator("#page .attachments img").first.scroll_into_view_if_needed()
    phone.until("[...document.querySelectorAll('#page .attachments img')].every((image) => image.naturalWidth > 0)")
    assert not phone.refused()
    phone.open(f"{front.url}/people/{ingrid}")
    phone.until("document.querySelector('[data-test=call] [role=img]')?.getAttribute('aria-label') === 'pictures: 2'")
    # What was sent is not kept on the device any longer.
    assert phone.read("import('/files/store.js').then((store) => store.photosOf('any')).then((all) => all.length)") == 0
    assert phone.read("""new Promise((resolve) => { indexedDB.open('kith').onsuccess = ({ target: { result } }) => {
      result.transaction('photos').objectStore('photos').count().onsuccess = (event) => { result.close(); resolve(event.target.result); };
    }; })""") == 0


def test_pictures_are_in_the_export_of_calls(front, phone):
    otto = person(front, "Otto")
    unfold(phone, front, otto)
    choose(phone, picture(phone, 64, 48))
    chosen(phone, 1)
    phone.page.click("[data-test=log]")
    phone.until("document.querySelector('[data-test=call]') !== null")
    call, = calls(front, otto)
    device = front.device("exporter")
    blob = front.hub.reply("Calls/Export", {"format": "json", "ids": [call["id"]]})
    exported, = json.loads(device.ask("GET", f"/blobs/{blob['sha256']}").content)["calls"]
    assert exported["attachments"] == call["attachments"]
    blob = front.hub.reply("Calls/Export", {"format": "csv", "ids": [call["id"]]})
    row, = csv.DictReader(io.StringIO(device.ask("GET", f"/blobs/{blob['sha256']}").content.decode("utf-8-sig")))
    assert row["attachments"] == call["attachments"][0]["sha256"]


def test_pictures_that_were_chosen_stay_while_their_form_is_folded(front, phone):
    ingrid = person(front, "Ingrid")
    unfold(phone, front, ingrid)
    phone.until(CONNECTED)
    choose(phone, picture(phone, 64, 48))
    chosen(phone, 1)
    fold = phone.page.locator("details:has([data-test=log]) > summary")
    fold.click()
    with front.device("watcher").events("people") as events:
        front.hub.reply("Notes/Create", {"record": {"personId": ingrid, "body": "Likes tea"}})
        assert next(kind for kind, _ in events if kind == "message")
    # The page has the event as well by now, and would have fetched itself again after 300 ms.
    phone.page.wait_for_timeout(1500)
    chosen(phone, 1)
    fold.click()
    phone.page.click("[data-test=log]")
    drained(phone)
    call, = calls(front, ingrid)
    assert len(call["attachments"]) == 1
    phone.until("document.querySelector('[data-test=note]') !== null")


def test_what_is_no_picture_and_what_is_too_much_is_said_in_words(front, phone):
    ann = person(front, "Ann")
    unfold(phone, front, ann)
    choose(phone, {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"no picture"}, picture(phone, 32, 32))
    chosen(phone, 1)
    phone.until("document.querySelector('.photos [role=alert]').textContent.includes('notes.txt is no picture')")
    choose(phone, *(picture(phone, 16 + number, 16) for number in range(10)))
    phone.until("document.querySelector('.photos [role=alert]').textContent.includes('10 pictures at most')")
    chosen(phone, 10)
    phone.page.click(".chosen button >> nth=0")
    chosen(phone, 9)
    phone.page.click("[data-test=log]")
    drained(phone)
    phone.until("document.querySelector('[data-test=call]') !== null")
    call, = calls(front, ann)
    assert len(call["attachments"]) == 9 and not phone.faults


def test_pictures_are_added_to_a_call_and_taken_away(front, phone):
    bob = person(front, "Bob")
    call = front.hub.reply("Calls/Log", {"record": {"personId": bob}})["id"]
    phone.open(f"{front.url}/calls/{call}")
    phone.page.locator("details:has([data-test=attach]) > summary").click()
    # Else it may say so afterwards.
    phone.until("document.querySelector('[data-test=sync-state]').textContent === 'Connected'")
    phone.page.click("[data-test=attach]")
    phone.until("document.querySelector('[data-test=sync-state]').textContent.includes('Choose or take a picture first')")
    for number in (1, 2):
        choose(phone, picture(phone, 32 * number, 32, "image/webp"))
        chosen(phone, 1)
        phone.page.click("[data-test=attach]")
        phone.until(f"document.querySelectorAll('#page .attachments img').length === {number}")
        if number == 1:
            phone.page.locator("details:has([data-test=attach]) > summary").click()
    first, second = front.hub.reply("Calls/Get", {"id": call})["attachments"]
    phone.page.locator("details:has([data-test=remove-attachment]) > summary").click()
    phone.page.click("[data-test=remove-attachment] >> nth=0")
    phone.until("document.querySelectorAll('#page .attachments img').length === 1")
    assert front.hub.reply("Calls/Get", {"id": call})["attachments"] == [second] and first != second


def test_a_hub_that_is_killed_has_the_pictures_once(front, phone):
    eva = person(front, "Eva")
    unfold(phone, front, eva)
    choose(phone, picture(phone, 320, 240))
    chosen(phone, 1)
    with stopped(front.hub.process):
        phone.page.click("[data-test=log]")
        phone.until("!document.querySelector('[data-test=pending]').hidden")
        front.hub.process.kill()
        front.hub.process.wait()
    front.hub.start()
    drained(phone, 60)
    call, = calls(front, eva)
    assert len(call["attachments"]) == 1, waiting(phone)


def test_what_an_earlier_version_of_the_page_kept_is_sent(front, browser):
    phone = browser.phone()
    phone.join(front, name="earlier")
    # A page without the scripts that open the database.
    phone.open(front.url + "/files/offline.html")
    phone.read("""new Promise((resolve) => {
      const request = indexedDB.open('kith', 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore('queue', { keyPath: 'id', autoIncrement: true });
        request.result.createObjectStore('recordings', { keyPath: 'key' });
        request.result.createObjectStore('pieces', { keyPath: 'id', autoIncrement: true }).createIndex('recording', 'recording');
      };
      request.onsuccess = () => {
        const change = request.result.transaction('queue', 'readwrite');
        change.objectStore('queue').add({ key: 'of-before', path: '/kith.v1.Care/Record', at: Date.now(), state: 'waiting',
          message: { category: 'meal', memo: 'of before', clientId: 'of-before' } });
        change.oncomplete = () => { request.result.close(); resolve(); };
      };
    })""")
    phone.open(front.url + "/")
    phone.until("[...document.querySelectorAll('[data-test=entry] .words')].some((words) => words.textContent === 'of before')")
    drained(phone)
    phone.close()
