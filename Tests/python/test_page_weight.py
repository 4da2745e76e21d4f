"""What a visit costs a phone: the bytes that come over the network, with the heads of HTTP."""
import contextlib

import pytest
import requests

from browser import chromium
from pages import CONNECTED, KEPT, WORKER
from test_network_between import Between
from web import door


@pytest.fixture(scope="module")
def front():
    with door() as front:
        for number in range(20):
            front.hub.reply("Care/Record", {"category": "meal", "memo": f"Entry {number}: porridge, half a banana, tea"})
        yield front


def test_a_first_visit_fetches_80_kb_at_most(front):
    with chromium() as browser, contextlib.closing(Between(front.port)) as way:
        page = f"{way.endpoint.replace('tcp://127.0.0.1', 'http://localhost')}/"
        phone = browser.phone()
        phone.join(front)
        phone.open(page)
        phone.until(WORKER)
        phone.until(CONNECTED)
        first = len(way.answered)
        assert 20_000 < first <= 80_000, first
        phone.open(page)
        phone.until(CONNECTED)
        assert len(way.answered) - first <= 40_000


def test_a_phone_keeps_each_file_that_a_page_loads(front):
    with chromium() as browser:
        phone = browser.phone()
        phone.join(front, name="taro")
        phone.open(front.url + "/")
        phone.until(WORKER)
        # A page is kept after its scripts, if the worker was there when it was opened.
        phone.open(front.url + "/")
        phone.until(KEPT)
        loaded = phone.read("performance.getEntriesByType('resource').map((entry) => new URL(entry.name).pathname)")
        kept = phone.read("""caches.keys().then((names) => Promise.all(names.map(async (name) => (await caches.open(name)).keys())))
            .then((keys) => keys.flat().map((key) => new URL(key.url).pathname))""")
        loaded = {path for path in loaded if path.startswith("/files/")}
        assert len(loaded) > 10 and loaded <= set(kept), loaded - set(kept)


def test_a_file_is_compressed_and_sent_again_only_if_it_changed(front):
    for path in ["/files/app.js", "/files/page.css", "/files/icon.svg", "/sw.js", "/manifest.webmanifest", "/api/openapi.json"]:
        plain, short = (requests.get(front.url + path, headers={"Accept-Encoding": way}, timeout=30) for way in ("identity", "br, gzip"))
        assert plain.status_code == short.status_code == 200 and plain.content == short.content
        assert short.headers["Content-Encoding"] == "gzip" and "Content-Encoding" not in plain.headers
        assert int(short.headers["Content-Length"]) < int(plain.headers["Content-Length"]) == len(plain.content)
        tag = short.headers["ETag"]
        assert tag == plain.headers["ETag"] and short.headers["Vary"] == "Accept-Encoding"
        again = requests.get(front.url + path, headers={"If-None-Match": tag}, timeout=30)
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
        assert requests.get(front.url + path, headers={"If-None-Match": '"other"'}, timeout=30).status_code == 200


def test_a_page_is_not_compressed(front):
    """The size of a compressed page would tell others on the network what is in it (BREACH)."""
    page = front.device("reader").ask("GET", "/", headers={"Accept-Encoding": "gzip"})
    assert page.status_code == 200 and "Content-Encoding" not in page.headers
