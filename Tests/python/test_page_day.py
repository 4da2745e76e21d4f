"""A family's day on a phone, in both languages: from the code by which it joins until it is revoked."""
import subprocess

import pytest

from playwright.sync_api import TimeoutError

from browser import chromium
from conftest import ROOT
from keyed import eventually
from monica_home import CONFIGURATION, conflict, home
from pages import TOLD, drained, entries, spoken, waiting, write
from test_due_minute import next_minute, wait_until
from web import door

MODEL = ROOT / ".build" / "speech" / "caregiving.lm.bin"
SAID = "She had soup and tea for lunch."
# The phone's system, which a browser without a screen has not: it notes what it is given.
SHARING = "navigator.share = (what) => { window.shared = what.text; return Promise.resolve(); };"


@pytest.fixture
def household(monica):
    speech = f'[transcription.pocketsphinx]\nlanguages = ["en", "ja"]\ncaregiving = "{MODEL}"\n'
    with home(monica, configuration=CONFIGURATION + speech) as household:
        yield household


@pytest.fixture
def front(household):
    with door(hub=household.hub) as front:
        front.hub.reply("Care/Configure", {"settings": {"recipient": "Yoshiko", "timeZone": "Asia/Tokyo"}})
        yield front


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    sound = tmp_path_factory.mktemp("sound") / "say.wav"
    subprocess.run(["flite", "-voice", "slt", "-t", SAID, "-o", sound], check=True, timeout=60)
    with chromium(sound=sound) as browser:
        yield browser


def pair(phone, front):
    code = front.hub.reply("Devices/Invite", {"name": "hanako", "role": "recorder"})["code"]
    phone.open(f"{front.url}/pair#{code}")
    phone.page.click("main form button")
    phone.page.wait_for_url(front.url + "/")
    phone.until("navigator.serviceWorker.ready.then(() => true)")
    phone.open(front.url + "/")
    phone.until("navigator.serviceWorker.controller !== null")


def say(phone):
    """Speaks an entry; its words come by themselves."""
    phone.page.click("[data-test=record]")
    spoken(phone, 4)
    phone.page.click("[data-test=stop]")
    drained(phone)
    phone.until("document.querySelector('[data-test=entry] .words')?.textContent.includes('soup')", 240)


def speak(phone, front):
    """Confirms one entry where it is shown, and corrects another there."""
    say(phone)
    phone.page.click("[data-test=confirm-here]")
    phone.until("document.querySelector('[data-test=confirm-here]') === null")
    record, = entries(front, 1)
    assert record["review"] == "done" and "soup" in record["transcript"], record
    front.hub.reply("Care/Delete", {"id": record["id"]})
    phone.until("document.querySelector('[data-test=entry]') === null")
    say(phone)
    phone.page.locator("[data-test=entry] summary").click()
    phone.page.fill("[data-test=entry] [name='record.transcript']", "She had soup and green tea for lunch.")
    phone.page.click("[data-test=correct-here]")
    phone.until("document.querySelector('[data-test=entry] .words').textContent.includes('green tea')")
    phone.until("document.querySelector('[data-test=confirm-here]') === null")
    assert phone.read("location.pathname") == "/"
    record, = entries(front, 1)
    assert record["transcript"] == "She had soup and green tea for lunch." and record["review"] == "done", record


def type_away_from_home(phone, front):
    phone.open(front.url + "/")
    phone.offline()
    write(phone, "8時の薬", "medication")
    phone.until("!document.querySelector('[data-test=pending]').hidden")
    phone.page.reload()
    phone.until("document.querySelector('[data-test=pending]').innerText.includes('8時の薬')")
    phone.offline(False)
    assert len(entries(front, 2)) == 2
    drained(phone)


def do_what_is_due(phone, front):
    # Care that is recorded after the minute would end the reminder.
    due_at = next_minute(at_least=5)
    front.hub.reply("Reminders/SetDaily", {"enabled": True, "time": due_at.strftime("%H:%M"), "timeZone": "Asia/Tokyo"})
    wait_until(due_at)
    phone.open(front.url + "/")
    phone.until("document.querySelector('[data-test=reminder] button.primary') !== null")
    phone.page.click("[data-test=reminder] button.primary")
    phone.until("document.querySelector('[data-test=reminder]') === null")
    assert front.hub.reply("Reminders/Status").get("due", []) == []


def press(phone, button, pattern, address):
    """Presses a button, and comes where it leads. A page stays where it is, and says so, if the house takes more than four seconds."""
    phone.read(TOLD, "#state")
    phone.page.click(button)
    try:
        phone.page.wait_for_url(pattern)
    except TimeoutError:
        assert phone.read("window.told.some((text) => /on this device|この端末に/.test(text))")
        drained(phone, 60)
        phone.open(address())


def call(phone, front, person):
    phone.open(f"{front.url}/people/{person}")
    press(phone, "[data-test=call-start]", front.url + "/calls", lambda: front.url + "/calls")
    phone.until("/^[0-9]+:[0-9]{2}$/.test(document.querySelector('.clock').textContent)")
    press(phone, "[data-test=call-stop]", front.url + "/calls/*", lambda: f"{front.url}/calls/{front.hub.reply('Calls/List')['calls'][0]['id']}")
    phone.page.fill("[data-test=memo]", "She laughed.")
    phone.page.select_option("[name='record.emotion']", "happy")
    phone.page.click("[data-test=save]")
    assert eventually(lambda: front.hub.reply("Calls/List", {})["calls"][0].get("note"))
    drained(phone)
    held, = front.hub.reply("Calls/List", {})["calls"]
    assert (held["note"], held["emotion"], held["durationMinutes"], held["personId"]) == ("She laughed.", "happy", 1, person)


def decide(phone, household, front):
    phone.open(front.url + "/conflicts")
    card = phone.page.locator("[data-test=conflict]")
    assert "Likes coffee." in card.inner_text() and "Likes milk." in card.inner_text()
    # A finger finds its words: the circle itself is not seen.
    card.locator("label:has(input[value=server])").first.click()
    assert card.locator("input[value=server]").first.is_checked()
    card.locator("button.primary").click()
    phone.until("document.querySelector('[data-test=conflict]') === null")
    household.settle()
    assert household.monica.dump("notes")[0]["body"] == "Likes milk."


def share(phone, front, words):
    phone.open(front.url + "/summary")
    summary = phone.read("document.querySelector('[data-test=summary]').textContent")
    assert all(word in summary for word in words), summary
    phone.page.click("button.share")
    assert phone.read("window.shared") == summary


def leave(phone, front):
    phone.open(front.url + "/")
    phone.offline()
    write(phone, "not lost")
    phone.until("!document.querySelector('[data-test=pending]').hidden")
    front.hub.reply("Devices/Revoke", {"name": "hanako"})
    phone.offline(False)
    phone.until("/signed out|解除/.test(document.querySelector('[data-test=sync-state]').textContent)")
    assert "not lost" in waiting(phone) and phone.open(front.url + "/").status == 401


@pytest.mark.waits
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("locale", "words"), [("en-GB", ["green tea", "8時の薬"]), ("ja-JP", ["green tea", "8時の薬"])])
def test_a_day(household, front, browser, locale, words):
    assert MODEL.exists(), "the model of speech is missing: run scripts/speech-model.sh"
    ann, _ = conflict(household)
    phone = browser.phone(locale=locale, timezone_id="Asia/Tokyo", color_scheme="dark" if locale == "ja-JP" else "light")
    phone.context.add_init_script(SHARING)
    try:
        pair(phone, front)
        assert phone.read("document.documentElement.lang") == locale[:2]
        speak(phone, front)
        type_away_from_home(phone, front)
        do_what_is_due(phone, front)
        call(phone, front, ann)
        decide(phone, household, front)
        share(phone, front, words)
        faults = [fault for fault in phone.faults if "ERR_INTERNET_DISCONNECTED" not in fault]
        assert not phone.refused() and not faults, faults
        leave(phone, front)
    finally:
        phone.close()
