"""What strangers, readers that go away and revoked devices must not reach."""
import concurrent.futures
import hashlib
import itertools
import os
import socket
import ssl
import time

import pytest
import requests

from conftest import stopped
from web import Device, door, new_token


@pytest.fixture(scope="module")
def front():
    with door() as front:
        yield front


def test_made_up_tokens_lock_nobody_out(front):
    stranger = requests.Session()
    for number in range(600):
        path = ("/healthz", "/pair", "/files/door.css")[number % 3]
        assert stranger.get(front.url + path, headers={"Authorization": f"Bearer {new_token()}"}, timeout=30).status_code == 200
    assert front.device("newcomer").post("System/Whoami").status_code == 200


def test_requests_that_are_followed_count_as_well(front):
    device = front.device("follower")
    assert device.post("System/Whoami").status_code == 200
    def ask(_):
        return Device(front, device.token).post("Care/List", headers={"Accept": "application/x-ndjson"}).status_code
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        with stopped(front.hub.process):
            waiting = [pool.submit(ask, number) for number in range(20)]
            refused = list(itertools.islice(concurrent.futures.as_completed(waiting, timeout=60), 12))
            assert [answer.result() for answer in refused] == [429] * 12
        assert [answer.result(60) for answer in waiting if answer not in refused] == [200] * 8


def test_a_reader_that_goes_away_cancels_nothing(front):
    device = front.device("walker")
    message = b'{"category": "meal", "memo": "stays"}'
    with stopped(front.hub.process):
        with socket.create_connection(("127.0.0.1", front.port)) as plug:
            plug.sendall((f"POST /kith.v1.Care/Record HTTP/1.1\r\nHost: localhost:{front.port}\r\nAuthorization: Bearer {device.token}\r\n"
                          "Accept: application/x-ndjson\r\nContent-Type: application/json\r\nIdempotency-Key: walker-1\r\n"
                          f"Content-Length: {len(message)}\r\n\r\n").encode() + message)
            assert plug.recv(15) == b"HTTP/1.1 200 OK"
        time.sleep(0.5)
    answer = device.post("Care/Record", {"category": "meal", "memo": "stays"}, key="walker-1")
    assert answer.status_code == 200, answer.text
    assert [record["memo"] for record in device.reply("Care/List")["records"]].count("stays") == 1


def test_the_next_request_after_an_early_answer_is_not_cut_off(front):
    device = front.device("uploader")
    blob = os.urandom(200_000)
    path = f"/blobs/{hashlib.sha256(blob).hexdigest()}"
    assert device.ask("PUT", path, data=blob).status_code == 201
    for _ in range(2):
        known = device.ask("PUT", path, data=blob)
        assert (known.status_code, known.headers.get("connection")) == (200, "close")
        def slowly():
            for piece in (b'{"category": "meal",', b' "memo": "slow"}'):
                time.sleep(1.5)
                yield piece
        answer = device.ask("POST", "/kith.v1.Care/Record", data=slowly(), headers={"Content-Type": "application/json"})
        assert answer.status_code == 200, answer.text


def test_a_revoked_admin_reads_no_numbers(front):
    admin = front.device("chief", "admin")
    assert admin.ask("GET", "/metrics").status_code == 200
    front.hub.reply("Devices/Revoke", {"name": "chief"})
    assert admin.ask("GET", "/metrics").status_code == 401
    assert admin.ask("GET", "/").status_code == 401


def test_a_revoked_device_does_not_join_again_by_its_old_code(front):
    code = front.hub.reply("Devices/Invite", {"name": "tab", "role": "recorder"})["code"]
    asked = {"json": {"code": code, "token": new_token()}, "timeout": 30}
    assert requests.post(front.url + "/pair", **asked).status_code == 200
    assert requests.post(front.url + "/pair", **asked).status_code == 200
    front.hub.reply("Devices/Revoke", {"name": "tab"})
    again = requests.post(front.url + "/pair", **asked)
    assert again.status_code == 401 and "Set-Cookie" not in again.headers


@pytest.mark.parametrize("readers", [0, 50])
def test_readers_over_tls_that_do_not_say_goodbye_delay_no_end(readers):
    with door("--own-ca") as front:
        context = ssl._create_unverified_context()
        plugs = []
        devices = [front.device(f"reader-{number}") for number in range(7)]
        for number in range(readers or 1):
            plug = context.wrap_socket(socket.create_connection(("127.0.0.1", front.port)), server_hostname="localhost")
            if readers:
                plug.sendall((f"GET /events HTTP/1.1\r\nHost: localhost:{front.port}\r\n"
                              f"Authorization: Bearer {devices[number % 7].token}\r\n\r\n").encode())
                assert plug.recv(15) == b"HTTP/1.1 200 OK"
            plugs.append(plug)
        status, seconds = front.end()
        assert status == 0 and seconds < 8
        for plug in plugs:
            plug.close()
