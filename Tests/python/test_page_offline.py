"""The page on a phone: what is typed and spoken is kept until the house has it, and then it is there once."""
import datetime
import subprocess
import time

import pytest
from playwright.sync_api import expect

from browser import browser, chromium  # noqa: F401 - a fixture
from conftest import stopped
from pages import KEPT, WORKER, drained, entries, shown, spoken, waiting, write
from web import door


@pytest.fixture
def front():
    with door() as front:
        front.hub.reply("Care/Configure", {"settings": {"recipient": "Yoshiko", "timeZone": "Asia/Tokyo"}})
        yield front


@pytest.fixture
def phone(browser, front):
    phone = browser.phone(locale="ja-JP", timezone_id="Asia/Tokyo")
    phone.join(front)
    phone.open(front.url + "/")
    phone.until(WORKER)
    phone.open(front.url + "/")
    phone.until(KEPT)
    yield phone
    phone.close()


def test_a_typed_entry_is_in_the_house_and_on_the_page(front, phone):
    write(phone, "おかゆ")
    record, = entries(front, 1)
    assert (record["memo"], record["category"], record["recorder"]) == ("おかゆ", "meal", "hanako")
    phone.until("document.querySelectorAll('[data-test=entry]').length === 1")
    drained(phone)
    assert shown(phone) == ["おかゆ"] and waiting(phone) == ""
    assert phone.read("document.querySelector('[data-test=memo]').value") == ""
    assert not phone.faults and not phone.refused()


def test_what_is_typed_without_a_network_is_sent_once_after_a_reload(front, phone):
    phone.offline()
    before = time.time()
    write(phone, "庭を散歩した", "free_memo")
    phone.until("!document.querySelector('[data-test=pending]').hidden")
    after = time.time()
    phone.page.reload()
    assert "庭を散歩した" in phone.until("document.querySelector('[data-test=pending]').innerText")
    assert entries(front, 1, seconds=0) == []
    phone.offline(False)
    record, = entries(front, 1)
    drained(phone)
    said = datetime.datetime.fromisoformat(record["occurredAt"]).timestamp()
    assert record["memo"] == "庭を散歩した" and before - 1 <= said <= after
    time.sleep(1)
    assert len(entries(front, 1)) == 1


def test_each_page_that_was_seen_can_be_read_without_a_network(front, phone):
    front.hub.reply("People/Create", {"record": {"firstName": "Ingrid"}})
    for path in ("/people", "/calls", "/"):
        phone.open(front.url + path)
        phone.until(KEPT)
    phone.offline()
    phone.open(front.url + "/people")
    assert "Ingrid" in phone.read("document.querySelector('main').innerText")
    phone.until("document.querySelector('[data-test=sync-state]').textContent.includes('家につながりません')")
    phone.open(front.url + "/contacts")
    assert "まだ開かれていません" in phone.read("document.body.innerText")


@pytest.mark.parametrize("victim", ["hub", "door"])
def test_a_kill_between_tap_and_answer_loses_and_doubles_nothing(front, phone, victim):
    for round in range(3):
        process = front.hub.process if victim == "hub" else front.process
        with stopped(process):
            write(phone, f"round {round}")
            phone.until("!document.querySelector('[data-test=pending]').hidden")
        time.sleep(0.004 * round)
        process.kill()
        process.wait()
        (front.hub if victim == "hub" else front).start()
        entries(front, round + 1)
        drained(phone, 60)
    assert sorted(record["memo"] for record in entries(front, 3)) == ["round 0", "round 1", "round 2"]


def test_two_tabs_send_what_waits_once_and_both_say_so(front, phone):
    phone.offline()
    for number in range(5):
        write(phone, f"memo {number}")
        phone.until(f"document.querySelectorAll('#waiting li').length === {number + 1}")
    other = phone.context.new_page()
    other.goto(front.url + "/")
    expect(other.locator("#waiting li")).to_have_count(5, timeout=30_000)
    phone.offline(False)
    assert len(entries(front, 5)) == 5
    drained(phone)
    expect(other.locator("[data-test=pending]")).to_be_hidden(timeout=30_000)
    records = front.hub.reply("Care/List", {"limit": 500})["records"]
    assert sorted(record["memo"] for record in records) == [f"memo {number}" for number in range(5)]
    other.close()


@pytest.mark.timeout(300)
def test_a_fortnight_of_entries_comes_in_their_order(front, phone):
    phone.read("""async () => {
      const { keep } = await import('/files/store.js');
      const now = Date.now();
      for (let number = 0; number < 200; number += 1) {
        const at = now - (200 - number) * 6_048_000;
        const key = crypto.randomUUID();
        await keep({ key, path: '/kith.v1.Care/Record', at, state: 'waiting',
          message: { category: 'meal', memo: `entry ${number}`, clientId: key, occurredAt: new Date(at).toISOString() } });
      }
    }""")
    phone.page.reload()
    drained(phone, seconds=240)
    records = entries(front, 200)
    assert [record["memo"] for record in records] == [f"entry {number}" for number in reversed(range(200))]
    created = [record["createdAt"] for record in records]
    assert created == sorted(created, reverse=True)


def refused(phone):
    """Writes an entry that the house refuses."""
    phone.offline()
    write(phone, "kept")
    phone.until("!document.querySelector('[data-test=pending]').hidden")
    phone.read("""async (script) => {
      const store = await import(script);
      const [command] = await store.commands();
      await store.change({ ...command, message: { ...command.message, category: 'x'.repeat(9) } });
    }""", phone.script("store.js"))


def test_a_refused_entry_stays_with_the_reason(front, phone):
    refused(phone)
    phone.offline(False)
    phone.until("document.querySelector('[data-test=pending]').innerText.includes('category')")
    assert entries(front, 1, seconds=0) == []
    phone.page.click("#waiting button:last-of-type")
    drained(phone)


def test_what_one_tab_learns_and_forgets_the_other_shows(front, phone):
    refused(phone)
    other = phone.context.new_page()
    other.goto(front.url + "/")
    expect(other.locator("#waiting li")).to_have_count(1, timeout=30_000)
    phone.offline(False)
    # One of them sends; both have the reason.
    phone.until("document.querySelector('[data-test=pending]').innerText.includes('category')")
    expect(other.locator("[data-test=pending]")).to_contain_text("category", timeout=30_000)
    other.locator("#waiting button").last.click()
    expect(other.locator("[data-test=pending]")).to_be_hidden(timeout=30_000)
    drained(phone)
    assert entries(front, 1, seconds=0) == []
    other.close()


def test_a_revoked_device_is_out_and_keeps_what_waits(front, phone):
    phone.offline()
    write(phone, "not lost")
    phone.until("!document.querySelector('[data-test=pending]').hidden")
    front.hub.reply("Devices/Revoke", {"name": "hanako"})
    phone.offline(False)
    phone.until("document.querySelector('[data-test=sync-state]').textContent.includes('解除')")
    assert "not lost" in waiting(phone)
    answer = phone.open(front.url + "/")
    assert answer.status == 401 and phone.read("caches.has('pages')") is False
    assert phone.read("import('/files/store.js').then((store) => store.commands()).then((all) => all.length)") == 1
    assert entries(front, 1, seconds=0) == []


def test_a_text_with_markup_is_shown_as_it_was_written(front, phone):
    evil = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    write(phone, evil)
    entries(front, 1)
    phone.until("document.querySelectorAll('[data-test=entry]').length === 1")
    assert shown(phone) == [evil] and phone.read("document.querySelector('main img, main script')") is None
    assert not phone.refused()


def sound_of_entry(front):
    """The sound of the only entry, as the hub keeps it for an engine."""
    record, = entries(front, 1)
    end = time.monotonic() + 30
    while record["state"] == "recording" and time.monotonic() < end:
        record, = entries(front, 1)
    return front.hub.reply("Care/Audio", {"id": record["id"]})


def seconds_of_sound(front):
    """How long that is, where it is 16 kHz."""
    return int(sound_of_entry(front)["size"]) / 32_000


def test_speech_becomes_one_entry(front, tmp_path):
    sound = tmp_path / "say.wav"
    subprocess.run(["flite", "-voice", "slt", "-t", "She had soup and tea for lunch.", "-o", sound], check=True, timeout=60)
    with chromium(sound=sound) as browser:
        phone = browser.phone()
        phone.join(front, name="speaker")
        phone.open(front.url + "/")
        phone.page.click("[data-test=record]")
        spoken(phone, 3)
        phone.page.click("[data-test=stop]")
        drained(phone)
        assert seconds_of_sound(front) >= 2.5
        assert not phone.faults, phone.faults


def test_the_last_word_before_the_tap_is_kept(front, browser):
    phone = browser.phone()
    phone.join(front, name="brief")
    phone.open(front.url + "/")
    phone.page.click("[data-test=record]")
    spoken(phone, 2)
    # Sound is kept each half second; this is between two of them.
    phone.page.wait_for_timeout(350)
    phone.page.click("[data-test=stop]")
    phone.until("document.querySelector('[data-test=pending]').hidden")
    assert seconds_of_sound(front) >= 2.25
    phone.close()


def test_an_event_does_not_change_the_page_while_the_person_is_asked_for_the_microphone(front, browser):
    phone = browser.phone()
    phone.join(front, name="asked")
    phone.open(front.url + "/")
    phone.read("""() => {
      const devices = navigator.mediaDevices, ask = devices.getUserMedia.bind(devices);
      devices.getUserMedia = async (wish) => { await new Promise((allow) => { window.allow = allow; }); return ask(wish); };
    }""")
    phone.page.click("[data-test=record]")
    front.hub.reply("Care/Record", {"category": "meal", "memo": "meanwhile"})
    # An event shows after 0.3 s, where it may.
    phone.page.wait_for_timeout(1500)
    phone.read("allow()")
    spoken(phone, 1)
    assert phone.read("document.activeElement.matches('[data-test=stop]')")
    phone.page.click("[data-test=stop]")
    phone.until("document.querySelectorAll('[data-test=entry]').length === 2")
    phone.close()


def test_another_tab_leaves_a_recording_alone_while_somebody_speaks(front, browser):
    phone = browser.phone()
    phone.join(front, name="speaker")
    phone.open(front.url + "/")
    phone.page.click("[data-test=record]")
    spoken(phone, 1)
    other = phone.context.new_page()
    other.goto(front.url + "/")
    spoken(phone, 4)
    assert entries(front, 1, seconds=0) == []
    phone.page.click("[data-test=stop]")
    phone.until("document.querySelector('[data-test=pending]').hidden")
    assert seconds_of_sound(front) >= 3.5
    phone.close()


def come_back(phone, front):
    """Opens a page after another one was cut off, once the browser has noticed."""
    phone.page = phone.context.new_page()
    # This page has none of our scripts.
    phone.open(front.url + "/files/offline.html")
    phone.until("navigator.locks.query().then(({ held }) => !held.some(({ name }) => name.startsWith('kith-recording')))")
    phone.open(front.url + "/")


def test_a_recording_that_the_page_cut_off_is_not_lost(front, browser):
    phone = browser.phone()
    phone.join(front, name="cut")
    phone.open(front.url + "/")
    phone.page.click("[data-test=record]")
    spoken(phone, 2)
    # As a battery that is empty: nothing of the page runs any more.
    phone.page.close(run_before_unload=False)
    come_back(phone, front)
    assert seconds_of_sound(front) >= 1


@pytest.mark.parametrize("hours", [1, -1])
def test_a_phone_whose_clock_is_wrong_notes_the_time_of_the_house(front, browser, hours):
    phone = browser.phone(locale="ja-JP", timezone_id="Asia/Tokyo")
    phone.context.add_init_script(f"{{ const now = Date.now; Date.now = () => now() + {hours} * 3_600_000; const Own = Date;"
                                  "window.Date = class extends Own { constructor(...of) { of.length ? super(...of) : super(Own.now()); } }; }")
    phone.join(front, name=f"clock{hours}".replace("-", "m"))
    phone.open(front.url + "/")
    before = time.time()
    assert abs(phone.read("new Date().getTime()") / 1000 - before - hours * 3600) < 600
    write(phone, "おかゆ")
    drained(phone)
    record, = entries(front, 1)
    said = datetime.datetime.fromisoformat(record["occurredAt"]).timestamp()
    # The house says its time in whole seconds, and in the middle of its answer as far as a phone knows.
    assert before - 30 <= said <= time.time() + 30
    phone.close()


def test_a_call_is_logged_by_voice(front, phone):
    person = front.hub.reply("People/Create", {"record": {"firstName": "Ingrid"}})["id"]
    phone.open(f"{front.url}/people/{person}")
    phone.page.locator("details:has(form.voice) > summary").click()
    phone.page.click("[data-test=record]")
    spoken(phone, 2)
    phone.page.click("[data-test=stop]")
    end = time.monotonic() + 30
    while not (calls := front.hub.reply("Calls/List").get("calls", [])):
        assert time.monotonic() < end, waiting(phone)
        time.sleep(0.05)
    (call,), (sound,) = calls, calls[0]["attachments"]
    drained(phone)
    assert (call["personId"], sound["mediaType"]) == (person, "audio/wav") and int(sound["size"]) > 44 + 32_000
    assert front.device("ear").ask("GET", f"/blobs/{sound['sha256']}").content[:4] == b"RIFF"
    phone.open(f"{front.url}/calls/{call['id']}")
    assert phone.read("document.querySelector('#page audio').getAttribute('src')") == f"/blobs/{sound['sha256']}"
    assert not phone.faults and not phone.refused()


def test_a_browser_that_gives_no_samples_sends_what_its_own_recorder_makes(front, browser):
    ingrid = front.hub.reply("People/Create", {"record": {"firstName": "Ingrid"}})["id"]
    phone = browser.phone()
    phone.context.add_init_script("delete window.AudioWorkletNode; delete AudioContext.prototype.audioWorklet;")
    phone.join(front, name="older")
    phone.open(front.url + "/")
    phone.page.click("[data-test=record]")
    spoken(phone, 2)
    assert phone.read("document.querySelector('form.voice .level').hidden")
    phone.page.click("[data-test=stop]")
    sound = sound_of_entry(front)
    assert sound["mediaType"].startswith("audio/webm") and int(sound["size"]) > 1000, sound
    # As a battery that is empty: the pieces until then are a recording as well.
    phone.open(f"{front.url}/people/{ingrid}")
    phone.page.locator("details:has(form.voice) > summary").click()
    phone.page.click("[data-test=record]")
    spoken(phone, 2)
    phone.page.close(run_before_unload=False)
    come_back(phone, front)
    phone.until("document.querySelector('[data-test=pending]').hidden")
    end = time.monotonic() + 30
    while not (calls := front.hub.reply("Calls/List").get("calls", [])):
        assert time.monotonic() < end, waiting(phone)
        time.sleep(0.05)
    heard, = calls[0]["attachments"]
    answer = front.device("ear").ask("GET", f"/blobs/{heard['sha256']}")
    assert heard["mediaType"] == answer.headers["content-type"] == "audio/webm"
    assert not phone.faults and not phone.refused()
    phone.close()
