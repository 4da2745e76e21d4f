"""Who comes in over HTTP: codes, cookies, other sites, other hosts, and what is too much."""
import contextlib
import http.client
import json
import re
import socket
import time

import pytest
import requests

from conftest import size
from web import Device, door, new_token


@pytest.fixture
def front():
    with door() as front:
        yield front


def invite(front, name, role="recorder"):
    return front.hub.reply("Devices/Invite", {"name": name, "role": role})["code"]


def reason(text):
    return json.loads(text)["details"][0]["debug"]["reason"]


def pair(front, code, session=None, **body):
    return (session or requests).post(f"{front.url}/pair", json={"code": code, **body}, timeout=30)


def test_a_phone_joins_by_a_code_and_leaves(front):
    session = requests.Session()
    code = invite(front, "hanako")
    answer = pair(front, f"{code[:4]} {code[4:]}", session)
    assert answer.json() == {"name": "hanako", "role": "recorder"}
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("kith-plain=") and "HttpOnly" in cookie and "SameSite=Lax" in cookie and "Path=/" in cookie
    assert int(re.search(r"Max-Age=(\d+)", cookie)[1]) == 400 * 86400
    own = {"Origin": front.url}
    record = session.post(f"{front.url}/kith.v1.Care/Record", json={"category": "meal"}, headers=own, timeout=30)
    assert record.json()["record"]["recorder"] == "hanako"
    assert "hanako" in session.get(front.url, timeout=30).text
    assert session.post(f"{front.url}/leave", headers={**own, "Content-Type": "application/json"}, timeout=30).status_code == 200
    assert front.hub.reply("Devices/List")["devices"][0]["state"] == "revoked"
    assert not session.cookies


def test_a_code_is_used_once(front):
    code = invite(front, "hanako")
    assert pair(front, code).status_code == 200
    again = pair(front, code)
    assert again.status_code == 404 and reason(again.text) == "CODE_UNKNOWN"


def test_a_lost_answer_is_asked_for_again_with_the_same_token(front):
    code, token = invite(front, "hanako"), new_token()
    assert [pair(front, code, token=token).status_code for _ in range(3)] == [200] * 3
    assert Device(front, token).reply("System/Whoami")["name"] == "hanako"
    assert len(front.hub.reply("Devices/List")["devices"]) == 1


@pytest.mark.long
@pytest.mark.timeout(900)
def test_codes_cannot_be_guessed(front):
    code = invite(front, "hanako")
    statuses, began, last = [], time.monotonic(), 0
    # As fast as they come, from one address: five are looked at, and not one of the rest, until a minute has gone by.
    for number in range(size(2000, 10_000)):
        guess = f"{number:08}"
        if guess != code:
            statuses.append(pair(front, guess).status_code)
            last = time.monotonic() if statuses[-1] == 404 else last
    minutes = 1 + int((time.monotonic() - began) / 60)
    assert statuses[:6] == [404] * 5 + [429] and set(statuses) == {404, 429} and statuses.count(404) <= 5 * minutes
    # The right one is not looked at either, for a minute after five, of which enough is left.
    status = 404
    while status == 404 or time.monotonic() - last > 50:
        status = pair(front, "99999999").status_code
        last = time.monotonic() if status == 404 else last
    refused = pair(front, code)
    assert refused.status_code == 429 and int(refused.headers["Retry-After"]) >= 1


def test_neither_codes_nor_tokens_are_written_down(front):
    code, token = invite(front, "hanako"), new_token()
    pair(front, code, token=token)
    Device(front, token).reply("Care/Record", {"category": "meal"})
    wrong = new_token()
    Device(front, wrong).post("Care/List")
    places = [path for path in front.hub.directory.rglob("*") if path.is_file()]
    assert len(places) > 5
    for path in places:
        data = b""
        # A log of the database goes when nobody has it open.
        with contextlib.suppress(FileNotFoundError):
            data = path.read_bytes()
        assert token.encode() not in data and wrong.encode() not in data, path
        assert code.encode() not in data, path


def test_another_site_cannot_use_the_cookie(front):
    session = requests.Session()
    pair(front, invite(front, "hanako"), session)
    url = f"{front.url}/kith.v1.Care/Record"

    def send(**headers):
        return session.post(url, data="{}", headers={"Content-Type": "application/json", **headers}, timeout=30).status_code

    assert send(**{"Sec-Fetch-Site": "cross-site"}) == 403
    assert send(**{"Sec-Fetch-Site": "same-site"}) == 403
    assert send(Origin="https://evil.example") == 403
    assert send(Origin="null") == 403
    assert send() == 403
    assert send(**{"Sec-Fetch-Site": "same-origin"}) in (200, 400)
    # A form of another site sends only these, and without asking first.
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        assert send(**{"Content-Type": kind, "Sec-Fetch-Site": "same-origin"}) == 415
    read = session.get(f"{front.url}/kith.v1.Care/List?message=%7B%7D&encoding=json", headers={"Sec-Fetch-Site": "cross-site"},
                       timeout=30)
    assert read.status_code == 403
    assert session.get(f"{front.url}/events", headers={"Sec-Fetch-Site": "cross-site"}, timeout=30).status_code == 403
    assert not front.hub.reply("Care/List").get("records")


def raw(front, text, wait=30):
    """Sends bytes as they are; returns what comes back."""
    with socket.create_connection(("127.0.0.1", front.port), timeout=wait) as connection:
        connection.sendall(text if isinstance(text, bytes) else text.encode())
        found = b""
        while b"\r\n\r\n" not in found:
            part = connection.recv(65536)
            if not part:
                break
            found += part
        return found


def test_another_name_that_leads_here_is_refused(front):
    assert requests.get(front.url + "/", headers={"Host": "evil.example"}, timeout=30).status_code == 421
    assert requests.get(front.url + "/", headers={"Host": f"evil.example:{front.port}"}, timeout=30).status_code == 421
    assert b" 200 " in raw(front, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").split(b"\r\n")[0]
    missing = raw(front, "GET /healthz HTTP/1.0\r\n\r\n").split(b"\r\n")[0]
    assert b" 200 " not in missing


def test_headers_cannot_be_injected(front):
    ann = front.device("ann")
    for path in ("/kith.v1.Care/List%0d%0aSet-Cookie:%20a=b", "/%0d%0aX: y", "/files/%2e%2e/%2e%2e/etc/passwd", "/files/../../etc/passwd",
                 "/blobs/..%2f..%2fetc"):
        answer = raw(front, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {ann.token}\r\n\r\n")
        head = answer.split(b"\r\n\r\n")[0].lower()
        assert b"set-cookie: a=b" not in head and b"\r\nx: y" not in head and b" 200 " not in head.split(b"\r\n")[0], (path, head)
    answer = raw(front, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nOrigin: a\x01b\r\n\r\n")
    assert not answer or answer.split(b" ")[1] in (b"400", b"200")


def test_what_is_too_large_is_refused(front):
    ann = front.device("ann")
    assert ann.post("System/Ping", {"echo": "A" * (300 << 10)}).status_code == 413
    large = ann.ask("GET", "/healthz", headers={"X-Long": "a" * (17 << 10)})
    assert large.status_code in (400, 431)
    # Announced, and never sent.
    told = raw(front, f"POST /kith.v1.System/Ping HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {ann.token}\r\n"
                      "Content-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n")
    assert b" 413 " in told.split(b"\r\n")[0]


def test_slow_clients_do_not_stand_in_the_way(front):
    ann = front.device("ann")
    slow = []
    for number in range(60):
        connection = socket.create_connection(("127.0.0.1", front.port), timeout=30)
        connection.sendall(b"POST /kith.v1.System/Ping HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Le"
                           if number % 2 else
                           f"POST /kith.v1.System/Ping HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {ann.token}\r\n"
                           "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{".encode())
        slow.append(connection)
    other = front.device("other")
    began = time.monotonic()
    assert other.reply("System/Ping") == {}
    # They are borne for ten seconds and more.
    assert time.monotonic() - began < 8
    for connection in slow:
        connection.close()


def too_many(device, status):
    """The refusal of a device that sends too many changes, each of which has the answer STATUS."""
    began, sent = time.monotonic(), 240
    assert [device.post("Care/Record", {"category": "meal"}).status_code for _ in range(sent)] == [status] * sent
    # What the house does not read counts as well, and comes faster than a device may send.
    while (answer := device.ask("POST", "/kith.v1.Care/Record", data="{}", headers={"Content-Type": "text/plain"})).status_code == 415:
        sent += 1
        assert sent <= 242 + 2 * (time.monotonic() - began)
    assert answer.status_code == 429
    return answer


@pytest.mark.timeout(400)
def test_writes_of_a_device_are_bounded(front):
    ann, bob = front.device("ann"), front.device("bob")
    assert int(too_many(ann, 200).headers["Retry-After"]) >= 1
    assert ann.post("Care/List").status_code == 200 and bob.post("Care/Record", {"category": "meal"}).status_code == 200
    # A device whose every change is refused is no exception.
    viewer = front.device("viewer", "viewer")
    too_many(viewer, 403)


def test_a_revoked_cookie_is_out_at_once(front):
    session = requests.Session()
    pair(front, invite(front, "hanako"), session)
    front.hub.reply("Devices/Revoke", {"name": "hanako"})
    answer = session.post(f"{front.url}/kith.v1.Care/List", data="{}", headers={"Content-Type": "application/json", "Origin": front.url},
                          timeout=30)
    assert answer.status_code == 401


def test_the_form_works_without_script(front):
    code = invite(front, "hanako")
    session = requests.Session()
    page = session.get(f"{front.url}/pair", timeout=30)
    form = re.search(r'name="form" value="([^"]+)"', page.text)[1]
    assert session.post(f"{front.url}/pair", data={"code": code, "form": "wrong"}, timeout=30).status_code == 403
    answer = session.post(f"{front.url}/pair", data={"code": code, "form": form}, timeout=30)
    assert answer.status_code == 200 and "hanako" in answer.text
    assert session.get(f"{front.url}/pair", headers={"Accept-Language": "ja"}, timeout=30).text.count('lang="ja"') == 1


def test_every_answer_has_the_headers_of_a_page_that_trusts_nobody(front):
    ann = front.device("ann")
    for way, path in (("GET", "/"), ("GET", "/pair"), ("GET", "/healthz"), ("GET", "/nothing"), ("POST", "/kith.v1.Care/List"),
                      ("GET", "/files/pair.js"), ("GET", "/favicon.ico")):
        headers = ann.ask(way, path, data="{}" if way == "POST" else None, headers={"Content-Type": "application/json"}).headers
        assert "default-src 'none'" in headers["Content-Security-Policy"] and "require-trusted-types-for 'script'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin" and "Cache-Control" in headers, path
    icon = ann.ask("GET", "/favicon.ico")
    assert (icon.status_code, icon.headers["Content-Type"]) == (200, "image/svg+xml")


def test_garbage_does_not_end_the_door(front):
    for text in (b"\x00" * 100, b"GET / HTTP/9.9\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\xff\xfe" * 5000, b"POST / HTTP/1.1\r\n" + b"a: b\r\n" * 5000):
        with socket.create_connection(("127.0.0.1", front.port), timeout=30) as connection:
            try:
                connection.sendall(text)
                connection.shutdown(socket.SHUT_WR)
                connection.recv(65536)
            except OSError:
                pass
    assert requests.get(f"{front.url}/healthz", timeout=30).status_code == 200
    assert front.process.poll() is None


def test_a_device_of_another_place_needs_encryption(front):
    """Over a name that is not the loopback's, without encryption, only a viewer is served by its cookie."""
    connection = http.client.HTTPConnection("127.0.0.1", front.port, timeout=30)
    host = socket.gethostname().lower()

    def ask(way, path, body=None, **headers):
        connection.request(way, path, body and json.dumps(body), {"Host": host, "Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()

    code, token = invite(front, "hanako"), new_token()
    status, headers, text = ask("POST", "/pair", {"code": code, "token": token})
    assert (status, headers["Set-Cookie"]) == (403, None) and reason(text) == "ENCRYPTION_NEEDED"
    # The code crossed the network: whoever read it has it in vain.
    void = pair(front, code)
    assert (void.status_code, reason(void.text)) == (404, "CODE_UNKNOWN")
    assert front.hub.reply("Devices/List") == {}
    # One that has joined where nobody reads along is told, and stays.
    code = invite(front, "hanako")
    assert pair(front, code, token=token).status_code == 200
    status, _, text = ask("POST", "/pair", {"code": code, "token": token})
    assert (status, reason(text)) == (403, "ENCRYPTION_NEEDED")
    assert Device(front, token).reply("System/Whoami")["name"] == "hanako"
    status, headers, _ = ask("POST", "/pair", {"code": invite(front, "taro", "viewer")})
    cookie = headers["Set-Cookie"].split(";")[0]
    assert status == 200 and cookie.startswith("kith-plain=")
    status, _, text = ask("GET", "/more", Cookie=cookie)
    assert status == 200 and "taro" in text
