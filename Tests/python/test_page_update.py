"""kith-web is updated while phones have its pages: no page runs the scripts of two versions, with a network or without one."""
import re

import pytest

from browser import browser  # noqa: F401 - a fixture
from keyed import eventually
from line import Line
from pages import CONNECTED, PARSED, SLOW, TOLD, WORKER, entries, shown, write
from visitor import person
from web import door

LOADED = """performance.getEntriesByType('resource').map((entry) => new URL(entry.name).pathname)
    .filter((path) => path.startsWith('/files/') && path.endsWith('.js'))"""
# The folders whose scripts are kept.
FOLDERS = "caches.keys().then((names) => names.filter((name) => name.startsWith('/files/')).sort())"
# The page as it is kept.
SEEN = "caches.match(location.href).then((page) => page?.text())"
# A page that is fetched again is so 0.3 s after its reason, and is then there at once.
SOON = 1500
IS_OF = "document.querySelector('script[type=module]').src.includes('%s')"
# What app.js says at the end of its work, with and without a network.
RUNS = "document.querySelector('[data-test=sync-state]').textContent !== ''"
# Keeps another text in the place of the page that is open.
KEEP = """async (text) => (await caches.open('pages')).put(location.href, new Response(text, {
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Kith-House': 'true' } }))"""


@pytest.fixture
def front():
    with door() as front:
        front.hub.reply("Care/Configure", {"settings": {"recipient": "Yoshiko", "timeZone": "UTC"}})
        front.hub.reply("Care/Record", {"category": "meal", "memo": "soup"})
        yield front


@pytest.fixture
def line(front):
    line = Line(front)
    yield line
    line.listener.close()


@pytest.fixture
def phone(browser, front, line):
    phone = browser.phone()
    phone.join(front, "hanako")
    phone.open(line.url + "/")
    phone.until(WORKER)
    yield phone
    phone.close()


def version(phone):
    """The version that a page is of."""
    return re.fullmatch(r".*/files/([0-9a-f]{16})/app.js", phone.script("app.js"))[1]


def update(line, old, new):
    """Another version of kith-web, as the phone sees it: what it calls so is what kith-web calls OLD, and nothing has that name any more."""
    line.renamed, line.gone = (old.encode(), new.encode()), f"/files/{old}/".encode()


def see(phone, address, version):
    """Opens a page, and waits until it is kept with its scripts."""
    phone.open(address)
    phone.until(f"{SEEN}.then((page) => page?.includes('{version}') === true)")


def test_a_page_that_is_open_loads_again_and_works_without_a_network(front, line, phone):
    old, new = version(phone), "0" * 16
    see(phone, line.url + "/", old)
    loaded = phone.read(LOADED)
    assert len(loaded) > 10 and all(f"/files/{old}/" in path for path in loaded)
    update(line, old, new)
    phone.until(CONNECTED)
    # No event tells of it. The phone comes to it when its connection comes back.
    line.hang_up()
    phone.until(f"{IS_OF % new} && {RUNS}", 60)
    assert all(f"/files/{new}/" in path for path in phone.read(LOADED))
    phone.until(f"{SEEN}.then((page) => page.includes('{new}'))")
    without_a_network(phone, line.url + "/")
    assert version(phone) == new and shown(phone) == ["soup"]


def without_a_network(phone, address):
    """Opens a page as the worker of the pages keeps it."""
    phone.context.new_cdp_session(phone.page).send("Network.clearBrowserCache")
    phone.offline()
    phone.open(address)
    phone.until(RUNS)


def test_a_press_that_is_being_kept_is_not_cut_off_by_an_update(front, line, phone):
    ann = front.hub.reply("People/Create", {"record": {"firstName": "Ann"}})["id"]
    old, new = version(phone), "0" * 16
    see(phone, f"{line.url}/people/{ann}", old)
    phone.read(SLOW, "queue")
    phone.until(CONNECTED)
    phone.page.click("[data-test=call-start]")
    phone.read(TOLD, "#state")
    update(line, old, new)
    line.hang_up()
    phone.until("""window.told.slice(window.told.findIndex((text) => text.includes('No connection')) >>> 0)
        .includes('Connected')""")
    # It asks 0.3 s after that, where it may.
    phone.page.wait_for_timeout(SOON)
    assert version(phone) == old
    phone.read("window.kept = true")
    phone.until(f"{IS_OF % new} && {RUNS}", 60)
    assert eventually(lambda: len(front.hub.reply("Calls/List").get("calls", [])) == 1)


def test_a_page_that_was_seen_before_an_update_has_the_scripts_of_then(line, phone):
    old, new = version(phone), "0" * 16
    see(phone, line.url + "/more", old)
    update(line, old, new)
    see(phone, line.url + "/", new)
    without_a_network(phone, line.url + "/more")
    assert version(phone) == old
    phone.open(line.url + "/")
    phone.until(RUNS)
    assert version(phone) == new


def test_a_page_whose_scripts_do_not_all_come_does_not_take_the_place_of_one_that_works(line, phone):
    old, new = version(phone), "0" * 16
    see(phone, line.url + "/", old)
    update(line, old, new)
    line.lost = f"/files/{new}/zone.js".encode()
    phone.open(line.url + "/")
    without_a_network(phone, line.url + "/")
    assert version(phone) == old and shown(phone) == ["soup"] and phone.read(FOLDERS) == [f"/files/{old}/"]
    phone.offline(False)
    line.lost = b""
    see(phone, line.url + "/", new)


def test_scripts_go_with_the_last_page_that_names_them(line, phone):
    old = version(phone)
    see(phone, line.url + "/more", old)
    for number in range(3):
        update(line, old, str(number) * 16)
        see(phone, line.url + "/", str(number) * 16)
        phone.until(f"{FOLDERS}.then((names) => names.join() === ['/files/{old}/', '/files/{str(number) * 16}/'].sort().join())")


def test_a_phone_of_before_versions_goes_on(front, line, phone):
    """Its pages name scripts without a version, which are kept in one cache with all files."""
    old = version(phone)
    see(phone, line.url + "/", old)
    phone.read("""async (old) => {
      const [pages, files] = await Promise.all([caches.open('pages'), caches.open('files')]);
      const page = await (await pages.match('/')).text();
      for (const [, name] of page.matchAll(RegExp(`"/files/${old}/([^"]*)"`, 'g'))) await files.put(`/files/${name}`, await fetch(`/files/${name}`));
      const headers = { 'Content-Type': 'text/html; charset=utf-8' };
      await pages.put('/', new Response(page.replaceAll(`/files/${old}/`, '/files/'), { headers }));
      await caches.delete(`/files/${old}/`);
    }""", old)
    without_a_network(phone, line.url + "/")
    assert phone.script("app.js") == line.url + "/files/app.js" and shown(phone) == ["soup"]
    phone.offline(False)
    see(phone, line.url + "/", old)
    # No page names these any more.
    phone.until("caches.match('/files/app.js', { cacheName: 'files' }).then((script) => script === undefined)")
    assert phone.read("caches.match('/files/offline.html', { cacheName: 'files' }).then((page) => page !== undefined)")


def test_a_page_that_was_kept_is_no_answer_to_one_that_is_open(front, line, phone):
    old, new = version(phone), "0" * 16
    see(phone, line.url + "/", old)
    before = phone.read(SEEN)
    update(line, old, new)
    see(phone, line.url + "/", new)
    phone.until(CONNECTED)
    # As where there was no room for the newer one.
    phone.read(KEEP, before)
    phone.read("window.isSame = true")
    line.fault = "breaks"
    front.hub.reply("Care/Record", {"category": "meal", "memo": "bread"})
    # It asks again because the first answer was none.
    assert eventually(lambda: line.spoilt >= 2)
    assert phone.read("window.isSame") and version(phone) == new and shown(phone) == ["soup"]
    line.fault = ""
    phone.until("document.querySelectorAll('[data-test=entry]').length === 2", 60)
    assert phone.read("window.isSame") and sorted(shown(phone)) == ["bread", "soup"]


def test_a_page_that_was_opened_without_a_network_takes_over_an_update_when_there_is_one(line, phone):
    old, new = version(phone), "0" * 16
    see(phone, line.url + "/", old)
    update(line, old, new)
    without_a_network(phone, line.url + "/")
    phone.until("document.querySelector('[data-test=sync-state]').textContent.includes('No connection')")
    assert version(phone) == old
    phone.offline(False)
    phone.until(f"{IS_OF % new} && {RUNS}", 60)


def test_a_list_takes_no_part_of_another_version(front, line, phone):
    for number in range(60):
        person(front, f"Ann{number:02}")
    old, new = version(phone), "0" * 16
    see(phone, line.url + "/people", old)
    phone.read(PARSED)
    update(line, old, new)
    phone.read("window.scrollTo(0, document.body.scrollHeight)")
    phone.until("window.parsed === 1")
    people = "[data-test=person]"
    assert phone.page.locator(people).count() == 50 and phone.page.locator("#page > .next a").count() == 1
    phone.page.fill("[data-test=search]", "Ann07")
    phone.until("window.parsed === 2")
    assert phone.page.locator(people).count() == 50 and phone.read("location.search") == ""


def test_an_update_does_not_cut_off_a_page_that_is_under_way(front, line, phone):
    def asked():
        return phone.page.expect_response(lambda answer: answer.url == line.url + "/" and not answer.request.is_navigation_request())

    old, new = version(phone), "0" * 16
    see(phone, line.url + "/", old)
    phone.until(CONNECTED)
    update(line, old, new)
    line.held = b"GET /people "
    phone.read("document.querySelector('nav a[href=\"/people\"]').click()")
    assert line.came.wait(30)
    with asked():
        front.hub.reply("Care/Record", {"category": "meal", "memo": "bread"})
    # It asks again, and does not load anew.
    with asked():
        pass
    line.held = b""
    phone.until(f"location.pathname === '/people' && {IS_OF % new} && {RUNS}")


def test_a_page_from_before_stores_were_added_keeps_what_is_written(front, line, phone):
    see(phone, line.url + "/", version(phone))
    phone.read("""new Promise((resolve, reject) => {
      const request = indexedDB.open('kith', 9);
      request.onupgradeneeded = () => request.result.createObjectStore('later');
      request.onsuccess = () => { request.result.close(); resolve(); };
      request.onerror = () => reject(request.error);
    })""")
    without_a_network(phone, line.url + "/")
    write(phone, "bread")
    phone.until("!document.querySelector('[data-test=pending]').hidden")
    phone.offline(False)
    assert sorted(entry["memo"] for entry in entries(front, 2, 60)) == ["bread", "soup"]


def test_the_scripts_of_a_version_never_change_and_those_of_another_are_nowhere(front, phone):
    address = phone.script("live.js").replace(phone.page.url.rstrip("/"), front.url)
    answer = phone.context.request.get(address)
    assert answer.status == 200 and "immutable" in answer.headers["cache-control"]
    assert phone.context.request.get(address.replace(version(phone), "0" * 16)).status == 404
    assert "immutable" not in phone.context.request.get(front.url + "/files/live.js").headers["cache-control"]
