"""kith-web is updated while phones have its pages: no page runs the scripts of two versions, with a network or without one."""
import re

import pytest

from browser import browser  # noqa: F401 - a fixture
from line import Line
from pages import shown
from test_page_photos import WORKER
from web import door

LOADED = "performance.getEntriesByType('resource').map((entry) => new URL(entry.name).pathname).filter((path) => path.endsWith('.js'))"
KEPT = "caches.keys().then((names) => names.filter((name) => name.startsWith('files')))"
# The worker of a version answers once it has kept all files.
WORKER_OF = "navigator.serviceWorker.getRegistration().then((worker) => worker.active?.scriptURL.includes('%s') === true)"
# What app.js says at the end of its work, with and without a network.
RUNS = "document.querySelector('[data-test=sync-state]').textContent !== ''"


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


def update(line, phone):
    """Another version of kith-web, as the phone sees it."""
    old = version(phone)
    new = "0" * 16 if old[0] != "0" else "1" * 16
    line.renamed = (old.encode(), new.encode())
    return old, new


def test_a_page_that_is_open_loads_again_and_works_without_a_network(front, line, phone):
    phone.open(line.url + "/")
    old, new = update(line, phone)
    assert all(f"/files/{old}/" in path for path in phone.read(LOADED) if path.startswith("/files/"))
    front.hub.reply("Care/Record", {"category": "meal", "memo": "rice"})
    phone.until(f"document.querySelector('script[type=module]').src.includes('{new}') && {RUNS}")
    assert all(f"/files/{new}/" in path for path in phone.read(LOADED) if path.startswith("/files/"))
    phone.until(WORKER_OF % new)
    phone.offline()
    phone.open(line.url + "/")
    phone.until(RUNS)
    assert version(phone) == new and sorted(shown(phone)) == ["rice", "soup"]


def test_a_page_that_was_seen_before_an_update_has_the_scripts_of_then(line, phone):
    phone.open(line.url + "/more")
    phone.until(RUNS)
    old, new = update(line, phone)
    phone.open(line.url + "/")
    phone.until(WORKER_OF % new)
    assert version(phone) == new
    # Only what the worker keeps.
    phone.context.new_cdp_session(phone.page).send("Network.clearBrowserCache")
    phone.offline()
    phone.open(line.url + "/more")
    phone.until(RUNS)
    assert version(phone) == old


def test_of_files_that_do_not_all_come_none_is_kept(line, phone):
    old, new = update(line, phone)
    line.lost = b"/files/offline.html"
    phone.open(line.url + "/")
    phone.until(RUNS)
    assert phone.read("navigator.serviceWorker.getRegistration().then((worker) => worker.update()).then(() => true, () => true)")
    assert phone.read(KEPT) == [f"files/files/{old}/"]
    line.lost = b""
    phone.open(line.url + "/")
    phone.until(f"{KEPT}.then((names) => names.includes('files/files/{new}/'))")


def test_files_of_long_ago_go(line, phone):
    first = version(phone)
    for number in range(3):
        line.renamed = (first.encode(), str(number).encode() * 16)
        phone.open(line.url + "/")
        phone.until(f"{KEPT}.then((names) => names.at(-1).includes('{str(number) * 16}') && names.length <= 3)")
    assert phone.read(KEPT) == [f"files/files/{str(number) * 16}/" for number in range(3)]


def test_the_scripts_of_a_version_never_change_and_those_of_another_are_nowhere(front, phone):
    address = phone.script("live.js").replace(phone.page.url.rstrip("/"), front.url)
    answer = phone.context.request.get(address)
    assert answer.status == 200 and "immutable" in answer.headers["cache-control"]
    assert phone.context.request.get(address.replace(version(phone), "0" * 16)).status == 404
    assert "immutable" not in phone.context.request.get(front.url + "/files/live.js").headers["cache-control"]
