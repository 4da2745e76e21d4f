"""Frames: what a hub makes of good, odd and broken ones."""
import json
import time
import uuid

import pytest
import zmq

from conftest import Wire
from messages import TYPES


def test_ping_echoes(shared_hub):
    assert shared_hub.reply("System/Ping", {"echo": "aGVsbG8="}) == {"echo": "aGVsbG8="}


def test_req_socket_gets_one_final(shared_hub):
    assert shared_hub.reply("System/Ping", {"echo": "aGVsbG8="}, plain=True) == {"echo": "aGVsbG8="}
    assert shared_hub.error("Contacts/Get", {"id": "nobody"}, plain=True)[0] in ("NOT_FOUND", "INVALID_ARGUMENT")


def test_delimiter_is_echoed_only_when_there_was_one(wire):
    wire.send(before=[b""])
    assert wire.receive()[:3] == [b"", b"KTHC01", b"\x03"]
    wire.send()
    assert wire.receive()[:2] == [b"KTHC01", b"\x03"]


def test_answer_repeats_service_encoding_and_request_id(wire):
    wire.send("kith.v1.System/Status", header={"requestId": "abc"})
    frames = wire.receive()
    assert frames[2:4] == [b"kith.v1.System/Status", b"json"]
    assert json.loads(frames[4])["requestId"] == "abc"


def test_protobuf_is_answered_in_protobuf(wire):
    header = TYPES["kith.v1.RequestHeader"](request_id="p-1")
    request = TYPES["kith.v1.PingRequest"](echo=bytes(range(256)))
    wire.send(ctype=b"pb", header=header.SerializeToString(), body=request.SerializeToString())
    frames = wire.receive()
    assert frames[3] == b"pb"
    assert TYPES["kith.v1.ReplyHeader"].FromString(frames[4]).request_id == "p-1"
    assert TYPES["kith.v1.PingReply"].FromString(frames[5]).echo == bytes(range(256))


def test_unknown_fields_and_snake_case_are_accepted(wire):
    wire.send("kith.v1.Contacts/List", b'{"include_deleted": true, "fromTheFuture": {"a": [1]}}',
              header={"request_id": "s-1", "ofLater": 1})
    header, _ = wire.final()
    assert header["requestId"] == "s-1" and "status" not in header


def test_empty_body_is_the_empty_request(wire):
    wire.send("kith.v1.Contacts/ListSources", b"")
    assert "status" not in wire.final()[0]


@pytest.mark.parametrize("tag", [b"KTHC02", b"KTHC99"])
def test_other_major_version_is_answered_in_json(wire, tag):
    wire.send(tag=tag, ctype=b"pb", header=b"\x0a\x01x")
    frames = wire.receive()
    assert frames[3] == b"json"
    status = json.loads(frames[4])["status"]
    assert (status["code"], status["reason"]) == ("UNIMPLEMENTED", "VERSION_UNSUPPORTED")
    assert "KTHC01" in json.dumps(status)


@pytest.mark.parametrize("tag", [b"", b"HELLO", b"KTHE01", b"GET / HTTP/1.1"])
def test_foreign_messages_are_dropped(wire, tag):
    wire.send(tag=tag)
    wire.send(header={"requestId": "after"})
    assert wire.final()[0]["requestId"] == "after"


@pytest.mark.parametrize("service", ["kith.v1.Contacts/Fly", "", "kith.v1.Contacts", "x" * 120])
def test_unknown_service(wire, service):
    wire.send(service)
    assert wire.error() == ("UNIMPLEMENTED", "SERVICE_UNKNOWN")


@pytest.mark.parametrize("kind", [b"\x02", b"\x07"])
def test_unknown_kind(wire, kind):
    wire.send(kind=kind)
    assert wire.error() == ("UNIMPLEMENTED", "KIND_UNKNOWN")


@pytest.mark.parametrize("body", [b"{", b"[]", b'{"limit": "many"}', b"\xff\xfe", b'{"limit": -1}', b"[" * 10_000])
def test_malformed_body(wire, body):
    wire.send("kith.v1.Contacts/List", body, header={"requestId": "m-1"})
    header, _ = wire.final()
    assert (header["status"]["code"], header["status"]["reason"]) == ("INVALID_ARGUMENT", "MALFORMED")
    assert header["requestId"] == "m-1"


def test_malformed_header(wire):
    wire.send(header=b"{")
    assert wire.error() == ("INVALID_ARGUMENT", "MALFORMED")


def test_a_request_id_that_is_too_long_is_told_so(wire):
    wire.send(header={"requestId": "x" * 65})
    assert wire.error() == ("INVALID_ARGUMENT", "REQUEST_ID_TOO_LONG")


@pytest.mark.parametrize("method", [
    "Contacts/List", "Contacts/Problems", "Calls/List", "Calls/Suggest", "People/List", "Care/List", "Reminders/List",
    "Channels/Deliveries", "Jobs/List", "Monica/Queue"])
def test_a_limit_beyond_the_most_means_the_most(shared_hub, method):
    shared_hub.reply(method, {"limit": 2 ** 32 - 1})


@pytest.mark.parametrize("header", [{}, {"requestId": ""}])
def test_missing_request_id(wire, header):
    wire.send(header=header)
    assert wire.error() == ("INVALID_ARGUMENT", "REQUEST_ID_MISSING")


def test_unknown_content_type(wire):
    wire.send(ctype=b"yaml")
    assert wire.error() == ("INVALID_ARGUMENT", "CONTENT_TYPE_UNSUPPORTED")


@pytest.mark.parametrize("parts", [
    dict(body=b" " * (256 * 1024 + 1)),
    dict(header=b" " * (4 * 1024 + 1)),
    dict(more=[b"x" * (512 * 1024 + 1)]),
    dict(more=[b""] * 5),
], ids=["body", "header", "attachment", "eleven frames"])
def test_oversize(wire, parts):
    wire.send(**parts)
    assert wire.error() == ("INVALID_ARGUMENT", "BODY_TOO_LARGE")


def test_eleven_frames_of_a_req_are_refused_too(shared_hub):
    with Wire(shared_hub.control, zmq.REQ) as wire:
        wire.send(more=[b""] * 5)
        _, _, _, _, header, _ = wire.receive(10)
        assert json.loads(header)["status"]["reason"] == "BODY_TOO_LARGE"


@pytest.mark.parametrize("before", [[], [b""]], ids=["as they are", "behind a delimiter"])
@pytest.mark.parametrize("attachments", [6, 7, 20])
def test_twelve_frames_and_more_are_not_answered(wire, attachments, before):
    wire.send(more=[b""] * attachments, before=before)
    wire.send(header={"requestId": "after"})
    assert wire.final()[0]["requestId"] == "after"


def test_frame_beyond_the_socket_limit_ends_that_connection_alone(shared_hub, wire):
    bad = Wire(shared_hub.control)
    bad.send(body=b"x" * (2 * 1024 * 1024))
    assert bad.receive(0.3) is None
    bad.close()
    wire.send()
    assert "status" not in wire.final()[0]


@pytest.mark.parametrize("frames", [[b"KTHC01"], [b"KTHC01", b"\x01", b"kith.v1.System/Ping", b"json"]])
def test_too_few_frames(wire, frames):
    wire.socket.send_multipart(frames)
    assert wire.error() == ("INVALID_ARGUMENT", "MALFORMED")


def test_deadline_that_has_passed(wire):
    wire.send("kith.v1.Contacts/List", header={"requestId": "d-1", "deadline": "2020-01-01T00:00:00Z"})
    assert wire.error() == ("DEADLINE_EXCEEDED", "EXPIRED_ON_ARRIVAL")


@pytest.mark.parametrize("body, field", [
    ({"name": ""}, "name"), ({"name": "Not A Name", "vdir": {"path": "/tmp"}}, "name"), ({"name": "home"}, "kind"),
])
def test_invalid_field_is_named(shared_hub, body, field):
    header, _, _ = shared_hub.ask("Contacts/AddSource", body)
    assert (header["status"]["code"], header["status"]["reason"]) == ("INVALID_ARGUMENT", "FIELD_INVALID")
    assert field in header["status"]["details"]


def test_methods_of_workers_are_not_for_people(shared_hub):
    code, reason = shared_hub.error("ContactsSource/Probe", {})
    assert (code, reason) in (("PERMISSION_DENIED", "ROLE_NOT_ALLOWED"), ("UNIMPLEMENTED", "SERVICE_UNKNOWN"))


def test_many_commands_at_once_are_all_answered(wire):
    sent = {str(uuid.uuid4()) for _ in range(200)}
    for identity in sent:
        wire.send(header={"requestId": identity})
    answers = [wire.final()[0] for _ in sent]
    assert {header["requestId"] for header in answers} == sent
    refused = {header["status"]["reason"] for header in answers if "status" in header}
    assert refused <= {"INFLIGHT_LIMIT"}


def test_hello_tells_limits_and_who_one_is(shared_hub):
    reply = shared_hub.reply("System/Hello", {"clientName": "test", "minorMin": 0, "minorMax": 0})
    assert reply["role"] == "admin" and reply["principal"].startswith("uid:")
    assert reply["limits"]["maxBody"] == 256 * 1024 and reply["limits"]["chunk"] == 256 * 1024
    assert reply["hubInstance"] and reply["hubTime"].endswith("Z")
    assert {"sync", "contacts"} <= {head["stream"] for head in reply["heads"]}


def test_services_lists_what_is_served(shared_hub):
    services = {service["name"]: service for service in shared_hub.reply("System/Services")["services"]}
    assert services["kith.v1.Contacts/Sync"].get("mutating") is True
    assert "mutating" not in services["kith.v1.Contacts/List"]


def test_sockets_are_private(shared_hub):
    assert shared_hub.runtime.stat().st_mode & 0o777 == 0o700
    for name in ("control.sock", "events.sock"):
        assert (shared_hub.runtime / name).stat().st_mode & 0o077 == 0


def test_peers_that_come_and_go_leave_nothing(shared_hub):
    for _ in range(100):
        peer = Wire(shared_hub.control, zmq.DEALER)
        peer.send()
        peer.close()
    end = time.monotonic() + 20
    while shared_hub.reply("System/Status").get("commandsInFlight", 0) > 0:
        assert time.monotonic() < end, "commands of peers that left are still in flight"
        time.sleep(0.05)
