"""Each request of docs/phones.md, byte for byte as it stands there, against a real kith-web."""
import hashlib
import json
import re
import socket
import ssl

import pytest
from conftest import ROOT
from web import door

PAGE = (ROOT / "docs" / "phones.md").read_text()
BLOCKS = re.findall(r"^```http\n(.*?)\n\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
REQUESTS = [head.replace("\n", "\r\n") + "\r\n\r\n" + body.removesuffix("\n") for head, body in BLOCKS]
(TOKEN,) = set(re.findall(r"kith_[A-Za-z0-9_-]{43}", PAGE))


@pytest.fixture(scope="module")
def phone():
    """A hub that knows Ann, and what sends bytes to the door in front of it."""
    with door("--own-ca", "--name", "kith.home.arpa") as front:
        front.hub.reply("Devices/Add", {"name": "ann-shortcuts", "role": "recorder",
                                        "tokenSha256": hashlib.sha256(TOKEN.encode()).hexdigest()})
        front.hub.reply("People/Create", {"record": {"firstName": "Ann", "lastName": "Lee"}})
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE

        def send(request):
            with context.wrap_socket(socket.create_connection(("127.0.0.1", front.port), timeout=30)) as connection:
                connection.sendall(request.encode())
                answer = b""
                while True:
                    head, _, body = answer.partition(b"\r\n\r\n")
                    length = re.search(rb"content-length: (\d+)", head.lower())
                    if length and len(body) >= int(length[1]):
                        return int(head.split()[1]), json.loads(body)
                    piece = connection.recv(65536)
                    assert piece, answer
                    answer += piece

        yield front, send


def request(mark):
    (found,) = [each for each in REQUESTS if mark in each]
    return found


def test_a_meal_is_noted_once(phone):
    front, send = phone
    first, again = send(request("Care/Record")), send(request("Care/Record"))
    assert first[0] == 200 and first == again
    assert [entry["memo"] for entry in front.hub.reply("Care/List")["records"]] == ["Porridge"]
    status, listed = send(request("Care/List"))
    assert status == 200 and [entry["id"] for entry in listed["records"]] == [first[1]["record"]["id"]]
    assert listed["records"][0]["recorder"] == "ann-shortcuts"


def test_a_call_is_logged_by_name_and_one_is_asked_for(phone):
    front, send = phone
    status, answer = send(request('"call_log"'))
    assert status == 200 and answer["result"]["structuredContent"]["person_name"] == "Ann Lee"
    (call,) = front.hub.reply("Calls/List")["calls"]
    assert (call["personName"], call["durationMinutes"]) == ("Ann Lee", 10)
    status, unknown = send(request('"call_log"').replace('"Ann"', '"Zoe"'))
    assert status == 200 and unknown["result"]["isError"] and "Nobody" in unknown["result"]["content"][0]["text"]
    status, answer = send(request('"remind_to_call"'))
    assert status == 200 and answer["result"]["structuredContent"]["title"] == "Ann Lee"


def test_a_widget_sees_what_is_due(phone):
    front, send = phone
    status, answer = send(request("Reminders/Status"))
    assert status == 200 and "due" not in answer
    assert [reminder["title"] for reminder in answer.get("pending", [])] in ([], ["Ann Lee"])


def test_every_request_of_the_page_is_tried():
    assert len(REQUESTS) == 5
    for each in REQUESTS:
        head, _, body = each.partition("\r\n\r\n")
        length = re.search(r"Content-Length: (\d+)", head)
        assert len(body.encode()) == int(length[1] if length else 0)
