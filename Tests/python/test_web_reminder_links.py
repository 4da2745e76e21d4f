"""The buttons of reminders over ntfy, pressed as ntfy's apps press them: what the server of the tests took, sent to a real kith-web."""
import concurrent.futures
import datetime
import json
import pathlib
import re
import time

import pytest
import requests
from channels import add, header, settled, share
from recipients import MessageServer
from web import door


@pytest.fixture
def house():
    """A hub with a door and an ntfy channel for reminders of people."""
    services = MessageServer()
    with door() as front:
        try:
            services.start()
            known(front)
            add(front.hub, "phone", "ntfy", address=services.url, topic="care")
            front.hub.reply("Reminders/Configure", {"settings": {"personChannels": ["phone"], "personTime": "00:00", "language": "en"}})
            yield front, services
        finally:
            services.remove()


def known(front):
    """Waits until the hub knows where kith-web is."""
    end = time.monotonic() + 60
    while not front.hub.reply("System/Status").get("doors"):
        assert time.monotonic() < end, "kith-web has not said where it is"
        time.sleep(0.05)


def come(front, services, title="Water the roses"):
    """Makes a reminder due; returns its message as ntfy's server has it."""
    before = len(services.seen)
    person = front.hub.reply("People/Create", {"record": {"firstName": "Ann"}})
    front.hub.reply("People/AddReminder", {"record": {
        "personId": person["id"], "title": title, "initialDate": f"{datetime.date.today()}", "frequency": "one_time"}})
    return arrived(services, before + 1)


def arrived(services, count):
    end = time.monotonic() + 30
    while len(services.seen) < count:
        assert time.monotonic() < end, "no message came"
        time.sleep(0.02)
    return services.seen[count - 1]


def buttons(message):
    """The buttons of a notification, as the app makes them from the field `Actions`: docs.ntfy.sh/publish."""
    made = {button["label"]: button for button in json.loads(header(message, "Actions"))}
    for button in made.values():
        assert set(button) == {"action", "label", "url", "method", "clear"} and button["action"] == "http" and button["clear"] is True
    return made


def press(button):
    """As the app does it: no token, no cookie, no body."""
    return requests.request(button["method"], button["url"], headers={"User-Agent": "ntfy/1.16 (Android)"}, timeout=30)


def state(front, title="Water the roses"):
    listed = [each for past in (True, False) for each in front.hub.reply("Reminders/List", {"past": past}).get("reminders", [])]
    listed += [{**each, "deliveries": None} for each in front.hub.reply("Reminders/Status").get("due", [])]
    found = {each["id"]: each for each in listed if each["title"] == f"Ann: {title}"}
    (reminder,) = found.values()
    return reminder


def test_done_is_done_and_once(house):
    front, services = house
    message = come(front, services)
    offered = buttons(message)
    assert list(offered) == ["Done", "In 30 minutes"] and header(message, "Click") == f"http://127.0.0.1:{front.port}/reminders"
    assert state(front)["state"] == "due"
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(press, [offered["Done"]] * 4))
    assert [(answer.status_code, answer.json()) for answer in answers] == [(200, {"state": "done"})] * 4
    done = state(front)
    assert done["state"] == "done"
    late = press(offered["In 30 minutes"])
    assert (late.status_code, late.json()) == (200, {"state": "done"}) and state(front) == done


def test_a_snooze_that_is_pressed_twice_snoozes_once(house):
    front, services = house
    offered = buttons(come(front, services))
    assert press(offered["In 30 minutes"]).json() == {"state": "snoozed"}
    snoozed = state(front)
    assert snoozed["snoozes"] == 1
    assert press(offered["In 30 minutes"]).json() == {"state": "snoozed"}
    # Not only because the hub remembers the answer: kith-web is another one by now.
    front.end()
    front.start()
    assert press(offered["In 30 minutes"]).json() == {"state": "snoozed"} and state(front) == snoozed
    assert press(offered["Done"]).json() == {"state": "done"}


def test_a_link_serves_its_own_reminder_alone_and_nothing_else_is_one(house):
    front, services = house
    roses, tulips = buttons(come(front, services)), buttons(come(front, services, "Water the tulips"))
    link, other = roses["Done"]["url"], tulips["Done"]["url"]
    id_of_roses, id_of_tulips = link.rsplit(".", 2)[1], other.rsplit(".", 2)[1]
    assert id_of_roses != id_of_tulips
    wrong = [link.replace(id_of_roses, id_of_tulips), link.replace("/done.", "/snooze."), link[:-1], link + "x", front.url + "/remind/",
             front.url + "/remind/done", front.url + "/remind/" + "." * 4, re.sub(r"done\.\d+", "done.9999999999", link)]
    for url in wrong:
        answer = requests.post(url, timeout=30)
        assert answer.status_code in (400, 403) and "LINK_" in answer.text or "FIELD_INVALID" in answer.text, (url, answer.text)
    # Opened in a browser, as a preview would, it does nothing.
    assert requests.get(link, timeout=30).status_code == 405
    assert state(front)["state"] == "due" and state(front, "Water the tulips")["state"] == "due"
    assert press(tulips["Done"]).json() == {"state": "done"} and state(front)["state"] == "due"


def test_a_page_of_an_ntfy_server_may_press_too_and_guesses_are_counted(house):
    front, services = house
    offered = buttons(come(front, services))
    answer = requests.post(offered["Done"]["url"], headers={"Origin": "https://ntfy.sh", "Sec-Fetch-Site": "cross-site"}, timeout=30)
    assert answer.status_code == 200 and answer.headers["Access-Control-Allow-Origin"] == "*"
    codes, began = [], time.monotonic()
    while 429 not in codes:
        # Thirty at once, and one in each second.
        assert len(codes) <= 32 + time.monotonic() - began
        codes.append(requests.post(f"{front.url}/remind/done.9999999999.0.a.{len(codes):043}", timeout=30).status_code)
    assert set(codes) == {403, 429}


def test_a_link_ends_with_its_time_and_outlives_a_restart_of_the_hub(house):
    front, services = house
    offered = buttons(come(front, services))
    front.hub.restart(9)
    end = time.monotonic() + 60
    while (answer := press(offered["Done"])).status_code == 503:
        assert time.monotonic() < end
        time.sleep(0.1)
    assert answer.json() == {"state": "done"}, "the key is kept"
    until = int(re.search(r"/remind/done\.(\d+)\.", offered["Done"]["url"])[1])
    assert 19.9 * 3600 < until - time.time() <= 20 * 3600


def test_the_key_is_with_the_secrets_alone_and_no_log_has_a_link(house):
    front, services = house
    offered = buttons(come(front, services))
    press(offered["Done"])
    (kept,) = [path for path in pathlib.Path(front.hub.directory / "state").rglob("*") if path.is_file() and path.name == "reminder-links"]
    key = kept.read_text().strip()
    assert len(bytes.fromhex(key)) == 32 and kept.stat().st_mode & 0o077 == 0 and kept.parent.name == "secrets"
    front.end()
    front.hub.end()
    code = offered["Done"]["url"].rsplit(".", 1)[1].encode()
    for path in front.hub.directory.rglob("*"):
        if path.is_file() and path != kept:
            content = path.read_bytes()
            assert key.encode() not in content and bytes.fromhex(key) not in content, path
            assert code not in content, path
    front.hub.start()
    front.start()


def test_other_messages_have_no_buttons_and_neither_has_a_reminder_without_a_door(hub, services):
    add(hub, "phone", "ntfy", address=services.url, topic="care")
    hub.reply("Reminders/Configure", {"settings": {"personChannels": ["phone"], "personTime": "00:00"}})
    person = hub.reply("People/Create", {"record": {"firstName": "Ann"}})
    hub.reply("People/AddReminder", {"record": {
        "personId": person["id"], "title": "Roses", "initialDate": f"{datetime.date.today()}", "frequency": "one_time"}})
    message = arrived(services, 1)
    assert header(message, "Actions") is None and header(message, "Click") is None
    hub.reply("Devices/Announce", {"url": "https://kith.home.arpa", "tls": "proxy", "version": "1"})
    settled(hub, share(hub, "phone")[0]["id"])
    assert header(arrived(services, 2), "Actions") is None


def test_labels_are_japanese_where_messages_are(hub, services):
    hub.reply("Devices/Announce", {"url": "https://kith.home.arpa", "tls": "proxy", "version": "1"})
    add(hub, "phone", "ntfy", address=services.url, topic="care")
    hub.reply("Reminders/Configure", {"settings": {"personChannels": ["phone"], "personTime": "00:00", "language": "ja"}})
    person = hub.reply("People/Create", {"record": {"firstName": "花子"}})
    hub.reply("People/AddReminder", {"record": {
        "personId": person["id"], "title": "バラの水やり", "initialDate": f"{datetime.date.today()}", "frequency": "one_time"}})
    offered = buttons(arrived(services, 1))
    assert list(offered) == ["完了", "30分後に"]
    assert all(button["url"].startswith("https://kith.home.arpa/remind/") for button in offered.values())
