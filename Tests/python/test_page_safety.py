"""What others can put on the pages: texts of every kind of record, of cards, of a Monica server, and pages of other sites."""
import html
import re

import pytest
import requests
from playwright.sync_api import expect

from browser import browser  # noqa: F401 - a fixture
from line import Line
from monica_home import home
from pages import KEPT, WORKER
from visitor import hidden
from web import door

EVIL = "\"'><img src=x onerror=alert(1)><script>alert(2)</script>"
PATHS = ["/", "/days", "/summary", "/reminders", "/calls", "/calls/statistics", "/calls/templates", "/people", "/contacts", "/sync",
         "/conflicts", "/queue", "/settings", "/more"]


def card(name):
    fields = "".join(f"{field}:{EVIL}\r\n" for field in ("NOTE", "TITLE", "ROLE", "NICKNAME", "TEL", "EMAIL", "ORG", "URL"))
    return f"BEGIN:VCARD\r\nVERSION:3.0\r\nUID:{name}\r\nFN:{EVIL}\r\nN:{EVIL};;;;\r\n{fields}END:VCARD\r\n"


def fill(household, folder):
    """Puts markup into every text that a family, an address book or a server can write; the paths of single records."""
    hub = household.hub
    (folder / "evil.vcf").write_text(card("evil"))
    hub.reply("Contacts/AddSource", {"name": "home", "vdir": {"path": str(folder)}})
    hub.reply("Contacts/Sync", {}, timeout=60)
    household.stranger(EVIL, description=EVIL)
    person = household.person(EVIL, lastName=EVIL, nickname=EVIL, job=EVIL, company=EVIL, description=EVIL)["id"]
    of = {"personId": person}
    call = hub.reply("Calls/Log", {"record": {**of, "note": EVIL, "emotion": "sad"}})["id"]
    hub.reply("Calls/SaveTemplate", {"template": {"name": EVIL, "note": EVIL}})
    for service, fields in {"Notes": {"body": EVIL}, "Tasks": {"title": EVIL, "description": EVIL},
                            "Gifts": {"name": EVIL, "comment": EVIL, "status": "idea"},
                            "Activities": {"summary": EVIL, "description": EVIL, "happenedOn": "2026-01-02"}}.items():
        hub.reply(f"{service}/Create", {"record": {**of, **fields}})
    hub.reply("People/AddField", {"record": {**of, "type": "Phone", "data": EVIL}})
    hub.reply("People/AddField", {"record": {**of, "type": "LinkedIn", "data": "javascript:alert(3)"}})
    hub.reply("Care/Configure", {"settings": {"recipient": EVIL[:100], "timeZone": "Asia/Tokyo"}})
    entry = hub.reply("Care/Record", {"category": "meal", "memo": EVIL})["record"]["id"]
    household.settle()
    return [f"/people/{person}", f"/calls/{call}", f"/entries/{entry}", f"/calls?text={EVIL}", f"/people?text={EVIL}", f"/days?text={EVIL}"]


@pytest.fixture
def household(monica):
    with home(monica) as household:
        yield household


@pytest.fixture
def front():
    with door() as front:
        yield front


@pytest.fixture
def phone(browser):  # noqa: F811
    phone = browser.phone()
    yield phone
    phone.close()


def test_no_text_becomes_markup_script_or_address(household, phone, tmp_path):
    more = fill(household, tmp_path)
    with door(hub=household.hub) as front:
        phone.join(front, role="admin")
        seen = 0
        for path in PATHS + more:
            answer = phone.open(front.url + path)
            assert answer.status == 200, path
            text = answer.text()
            assert "<img src=x" not in text and "<script>alert" not in text, path
            assert phone.read("document.querySelectorAll('#page script, #page img[src=x], #page [onerror]').length") == 0, path
            targets = phone.read("[...document.querySelectorAll('#page a')].map((link) => link.protocol)")
            assert set(targets) <= {"http:", "tel:", "mailto:", "https:"}, (path, targets)
            seen += html.escape(EVIL, quote=True).replace("&#x27;", "&#39;") in text
            assert not phone.refused() and not phone.faults, (path, phone.faults)
        assert seen >= 10


def test_no_other_site_shows_a_page_in_a_frame_or_sends_a_form(front):
    phone = front.device("hanako")
    answer = phone.ask("GET", "/")
    policy = answer.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy and "form-action 'self'" in policy and "'unsafe" not in policy
    assert "require-trusted-types-for 'script'" in policy and answer.headers["x-content-type-options"] == "nosniff"
    code = front.hub.reply("Devices/Invite", {"name": "taro", "role": "recorder"})["code"]
    browser = requests.Session()
    assert browser.post(f"{front.url}/pair", json={"code": code}, timeout=30).status_code == 200
    page = browser.get(front.url + "/", timeout=30).text
    form = dict(hidden(page, "kith.v1.Care/Record"))
    message = {**form, "category": "meal", "memo": "forged"}
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        answer = browser.post(f"{front.url}/forms/kith.v1.Care/Record", data=message, headers=headers, timeout=30)
        assert answer.status_code == 403, headers
    answer = browser.post(f"{front.url}/forms/kith.v1.Care/Record", data={**message, "form": "0" * 64}, timeout=30)
    assert answer.status_code == 403
    assert "records" not in front.hub.reply("Care/List", {})


def test_a_phone_without_a_network_is_not_signed_out_and_says_so(front, phone):
    phone.join(front)
    phone.open(front.url + "/more")
    phone.until("navigator.serviceWorker.ready.then(() => true)")
    phone.offline()
    phone.page.click("form.leave button")
    phone.until("document.querySelector('[data-test=sync-state]').textContent.includes('Not signed out')")
    phone.offline(False)
    phone.open(front.url + "/people")
    assert "has not joined" not in phone.read("document.body.innerText")


def test_a_device_that_is_signed_out_elsewhere_says_so(front, phone):
    phone.join(front)
    phone.open(front.url + "/")
    phone.until("document.querySelector('[data-test=sync-state]').textContent.includes('Connected')")
    front.hub.reply("Devices/Revoke", {"name": "hanako"})
    phone.until("document.querySelector('[data-test=sync-state]').textContent.includes('signed out')")
    # It asks again, and says nothing else.
    phone.page.wait_for_timeout(6000)
    assert "signed out" in phone.read("document.querySelector('[data-test=sync-state]').textContent")


def test_a_page_that_goes_does_not_ask_again_for_events_that_were_refused(front, phone):
    phone.join(front)
    asked = []
    phone.page.route("**/events?*", lambda route: (asked.append(route), route.fulfill(status=503)))
    phone.open(front.url + "/more")
    phone.until("document.querySelector('[data-test=sync-state]').textContent.includes('No connection')")
    phone.read("(script) => import(script).then((live) => live.unfollow())", phone.script("live.js"))
    before = len(asked)
    phone.page.wait_for_timeout(6000)
    assert len(asked) == before >= 1


def test_a_phone_that_signs_out_keeps_nothing(front, phone):
    phone.join(front)
    for path in ("/", "/", "/people", "/more"):
        phone.open(front.url + path)
        phone.until("navigator.serviceWorker.ready.then(() => true)")
    phone.page.click("form.leave button")
    phone.page.wait_for_url(front.url + "/")
    kept = phone.read("""caches.open('pages').then(async (pages) => Promise.all((await pages.keys()).map(
        async (key) => [new URL(key.url).pathname, await (await pages.match(key)).text()])))""")
    # At most the page that says that this device has not joined.
    assert all(path == "/" and "has not joined" in text for path, text in kept), [path for path, _ in kept]
    assert phone.read("import('/files/store.js').then((store) => store.commands()).then((all) => all.length)") == 0
    assert phone.context.cookies() == [] or all("kith" not in cookie["name"] or not cookie["value"] for cookie in phone.context.cookies())
    phone.page.go_back()
    assert "hanako" not in phone.read("document.body.innerText")


@pytest.mark.parametrize("way", ["form", "script"])
def test_a_phone_whose_script_does_not_get_to_the_end_of_signing_out_keeps_no_page(front, phone, way):
    phone.join(front)
    phone.open(front.url + "/")
    phone.until(WORKER)
    for path in ("/", "/people", "/more"):
        phone.open(front.url + path)
        phone.until(KEPT)
    if way == "form":
        # As before the scripts are there: the browser sends it.
        phone.read("document.querySelector('form.leave').submit()")
        phone.until("document.body.innerText.includes('has not joined')")
    else:
        # What waits is never wiped, as when the page is closed meanwhile.
        phone.read("""() => {
          IDBObjectStore.prototype.clear = function () { this.count().onsuccess = () => this.clear(); };
        }""")
        phone.page.click("form.leave button")
    phone.until("caches.has('pages').then((has) => !has)")


def test_a_page_that_comes_after_a_phone_has_signed_out_is_kept_nowhere(front, phone):
    line = Line(front)
    phone.join(front)
    phone.open(line.url + "/more")
    phone.until(WORKER)
    phone.open(line.url + "/more")
    phone.until(KEPT)
    # A page without our scripts, which stays when the other one goes.
    other = phone.context.new_page()
    other.goto(line.url + "/files/offline.html")
    line.held = b"GET /people "
    other.evaluate("""() => {
      fetch('/people', { headers: { Accept: 'text/html' } }).then((page) => page.text()).then((text) => { document.title = text; });
    }""")
    assert line.came.wait(30)
    phone.page.click("form.leave button")
    phone.page.wait_for_url(line.url + "/")
    line.held = b""
    expect(other).to_have_title(re.compile("data-device=.hanako"), timeout=30_000)
    # It is kept after it was handed over, where it may be.
    other.wait_for_timeout(1500)
    assert phone.read("caches.has('pages')") is False
    line.listener.close()


def test_a_page_without_a_device_has_a_browser_forget_what_it_kept(front):
    hanako, nobody = front.device("hanako"), front.device("taro")
    front.hub.reply("Devices/Revoke", {"name": "taro"})
    for device, path, status, field in [(hanako, "/", 200, None), (nobody, "/", 401, "pages"), (nobody, "/pair", 200, "pages")]:
        answer = device.ask("GET", path)
        assert (answer.status_code, answer.headers.get("Kith-Forget")) == (status, field)
    assert requests.get(front.url + "/people", timeout=30).headers["Kith-Forget"] == "pages"
