"""Phones, browsers and scripts: what a door may do, what a token may do, and what is left of both."""
import base64
import contextlib
import hashlib
import json
import re
import secrets
import signal
import socket
import uuid

import pytest
import zmq

from conftest import Hub, Wire
from events import Subscription
from keyed import CurveWire, Key, eventually, files_with, tcp_hub
from messages import SERVICES
from test_keys import HOLDERS, stated_roles

REFUSED = ("UNAUTHENTICATED", "DEVICE_UNKNOWN")


@pytest.fixture(scope="module")
def hub():
    with tcp_hub('[web]\nurl = "https://kith.home.arpa/"\n') as hub:
        yield hub


def new_token():
    return "kith_" + base64.urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip("=")


def digest(token):
    return hashlib.sha256(token.encode()).hexdigest()


def short(name):
    return f"{name[-20:].strip('-')}-{uuid.uuid4().hex[:8]}"


def add(hub, role="viewer", **more):
    """(name, token) of a new device."""
    name, token = short("d"), new_token()
    hub.reply("Devices/Add", {"name": name, "role": role, "tokenSha256": digest(token), **more})
    return name, token


@contextlib.contextmanager
def door(hub):
    """A connection of a door on another machine."""
    key = Key()
    hub.approve(key, short("door"), "door")
    with CurveWire(hub, key) as wire:
        assert wire.is_in()
        yield wire


def through(wire, method, body=None, token="", **header):
    """(header, body) of what a door gets for a command that it passes on."""
    wire.send(f"kith.v1.{method}", json.dumps(body or {}).encode(),
              header={"requestId": str(uuid.uuid4()), "token": token, **header})
    return wire.final()


def reason(answer):
    return answer[0]["status"]["reason"]


def test_a_phone_joins_by_a_code_over_a_door_and_writes_in_its_name(hub, name):
    name, token = short(name), new_token()
    invitation = hub.reply("Devices/Invite", {"name": name})
    assert invitation["url"] == f"https://kith.home.arpa/pair#{invitation['code']}" and invitation["role"] == "recorder"
    waiting = {open_["name"]: open_ for open_ in hub.reply("Devices/List").get("invitations", [])}
    assert "code" not in waiting[name]
    with door(hub) as wire:
        assert reason(through(wire, "Care/List", token=token)) == "DEVICE_UNKNOWN"
        pair = {"code": invitation["code"], "tokenSha256": digest(token)}
        header, device = through(wire, "Devices/Pair", pair)
        assert "status" not in header, header
        assert (device["name"], device["role"], device["state"]) == (name, "recorder", "active")
        # The answer was lost, and it is asked for again under another key.
        assert through(wire, "Devices/Pair", pair)[1]["name"] == name
        # Somebody else has read the code over a shoulder.
        assert reason(through(wire, "Devices/Pair", {**pair, "tokenSha256": digest(new_token())})) == "CODE_UNKNOWN"
        who = through(wire, "System/Whoami", token=token)[1]
        assert (who["principal"], who["role"], who["name"]) == (f"device:{name}", "recorder", name)
        assert through(wire, "System/Whoami")[1]["role"] == "door"
        entry = through(wire, "Care/Record", {"category": "meal", "memo": "rice"}, token)[1]["record"]
        assert entry["recorder"] == name
        named = through(wire, "Care/Record", {"category": "meal", "memo": "tea", "recorder": "Ann"}, token)[1]["record"]
        assert named["recorder"] == "Ann"
        assert eventually(lambda: any(
            one["name"] == name and "lastSeen" in one for one in hub.reply("Devices/List")["devices"]))
        # Signing out, by the device itself.
        assert through(wire, "Devices/Leave", token=token)[1]["state"] == "revoked"
        assert reason(through(wire, "Care/List", token=token)) == "DEVICE_UNKNOWN"
    notices = hub.reply("System/Replay", {
        "stream": "system", "epoch": hub.reply("System/Hello")["heads"][0]["epoch"], "limit": 500})["events"]
    told = [event["event"]["system"]["kind"] for event in notices if event["event"]["system"].get("text") == name]
    assert told == ["device.paired", "device.revoked"]


@pytest.mark.parametrize("role", ["viewer", "recorder", "admin"])
def test_every_method_is_open_to_the_devices_that_proto_says_and_no_other(hub, role):
    """Each cell of the table, with a token that a door passes on. A deadline that has passed is looked at after the role."""
    served = {service["name"] for service in hub.reply("System/Services")["services"]}
    roles = stated_roles()
    assert set(roles) == set(SERVICES)
    _, token = add(hub, role)
    with door(hub) as wire:
        for method, least in sorted(roles.items()):
            header, _ = through(wire, method.removeprefix("kith.v1."), token=token, deadline="2001-01-01T00:00:00Z")
            expected = "EXPIRED_ON_ARRIVAL" if role in HOLDERS[least] else "ROLE_NOT_ALLOWED"
            allowed = (expected,) if method in served else ("SERVICE_UNKNOWN", "ROLE_NOT_ALLOWED")
            assert header["status"]["reason"] in allowed, method


def test_a_door_gives_no_more_than_its_tokens(hub):
    """What somebody has who has broken into kith-web: its key, and the tokens that come by."""
    name, _ = add(hub, "admin")
    with door(hub) as wire:
        for method in ("Care/List", "People/List", "Devices/List", "Devices/Revoke", "Devices/Add", "Devices/Invite",
                       "Keys/List", "System/Backup", "System/Status"):
            assert reason(through(wire, method)) == "ROLE_NOT_ALLOWED", method
        # A name, a digest, a token of its own making, or more bytes than a token has are no token.
        stored = [f"device:{name}", digest("x"), "kith_", new_token(), "kith_" + "A" * 3000]
        assert [reason(through(wire, "Care/List", token=token)) for token in stored] == ["DEVICE_UNKNOWN"] * 5
        key = str(uuid.uuid4())
        _, other = add(hub, "recorder")
        assert "status" not in through(wire, "Care/Record", {"category": "meal", "memo": "a"}, other, idempotencyKey=key)[0]
        # The key of another one's command gives nothing of its answer away.
        _, third = add(hub, "recorder")
        header, record = through(wire, "Care/Record", {"category": "meal", "memo": "a"}, third, idempotencyKey=key)
        assert not header.get("replayed")


def test_a_door_follows_events_and_they_have_no_names_of_people(hub):
    key = Key()
    hub.approve(key, short("door"), "door")
    with CurveWire(hub, key, plane="events", kind=zmq.SUB, topics=[b"j/care/"]) as listener:
        assert eventually(lambda: hub.reply("System/Status").get("subscriptions", 0) > 0)
        hub.reply("Care/Record", {"category": "meal", "memo": "porridge at nine"})
        assert listener.socket.poll(10_000)
        assert b"porridge" not in b"".join(listener.socket.recv_multipart())


def test_a_revoked_device_is_refused_at_once_and_its_commands_end(hub):
    name, token = add(hub, "admin")
    # A server that takes connections and says nothing.
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as mute, door(hub) as wire:
        url = f"http://127.0.0.1:{mute.getsockname()[1]}/"
        running = str(uuid.uuid4())
        wire.send("kith.v1.Contacts/Discover", json.dumps(
            {"account": {"url": url, "username": "ann", "password": "x"}}).encode(),
            header={"requestId": running, "token": token})
        mute.settimeout(30)
        connection, _ = mute.accept()
        with connection:
            assert hub.reply("Devices/Revoke", {"name": name})["state"] == "revoked"
            header, _ = through_later(wire, running)
            assert header["status"]["code"] == "CANCELLED", header
        assert reason(through(wire, "System/Ping", token=token)) == "DEVICE_UNKNOWN"
        assert "status" not in through(wire, "System/Ping")[0]
    assert hub.error("Devices/Revoke", {"name": name}) == ("NOT_FOUND", "RECORD_UNKNOWN")


def through_later(wire, request_id, seconds=20):
    """(header, body) of the FINAL of a command that was sent before."""
    while frames := wire.receive(seconds):
        header = json.loads(frames[4])
        if frames[1] == b"\x03" and header["requestId"] == request_id:
            return header, json.loads(frames[5] or b"{}")
    raise AssertionError("no answer")


def test_two_devices_on_one_connection_are_two(hub):
    (first, one), (second, two) = add(hub, "recorder"), add(hub, "recorder")
    with door(hub) as wire:
        # The same idempotency key, which two devices may well choose.
        for token in (one, two):
            wire.send("kith.v1.Care/Record", json.dumps({"category": "meal", "memo": "rice"}).encode(),
                      header={"requestId": str(uuid.uuid4()), "idempotencyKey": "k1", "token": token})
        answers = [wire.final() for _ in range(2)]
        assert {body["record"]["recorder"] for _, body in answers} == {first, second}
        assert len({body["record"]["id"] for _, body in answers}) == 2


@pytest.mark.waits
def test_an_expired_device_is_nobody(hub):
    name, token = add(hub, validFor="15s")
    assert "status" not in hub.ask("System/Ping", token=token)[0]
    assert eventually(lambda: "status" in hub.ask("System/Ping", token=token)[0], 60)
    assert hub.error("System/Ping", token=token) == REFUSED
    assert {device["name"]: device["state"] for device in hub.reply("Devices/List")["devices"]}[name] == "expired"
    assert re.search(f"{name} .*expired", hub.local("web", "devices"))
    # Its owner joins again under the same name, and the old token stays nobody's.
    again = new_token()
    code = hub.reply("Devices/Invite", {"name": name})["code"]
    assert hub.reply("Devices/Pair", {"code": code, "tokenSha256": digest(again)})["name"] == name
    assert hub.reply("System/Whoami", token=again)["name"] == name and hub.error("System/Ping", token=token) == REFUSED
    assert not re.search(f"{name} .*expired", hub.local("web", "devices"))
    assert re.search(f"{name} .*expired", hub.local("web", "devices", "--all"))


def test_a_code_cannot_be_guessed():
    with tcp_hub() as hub, door(hub) as wire:
        code = hub.reply("Devices/Invite", {"name": "hanako"})["code"]
        wrong = [f"{number:08}" for number in range(100) if f"{number:08}" != code]
        answers = [through(wire, "Devices/Pair", {"code": each, "tokenSha256": digest("t")}) for each in wrong]
        reasons = [reason(answer) for answer in answers]
        assert reasons[:5] == ["CODE_UNKNOWN"] * 5
        # On a slow machine another attempt grows every twelve seconds.
        assert reasons.count("CODE_UNKNOWN") <= 8 and reasons[-1] == "TOO_MANY_CODES"
        assert int(answers[-1][0]["status"]["retryAfterMs"]) == 60_000
        # The right code waits too at that door; at another one it does not.
        assert reason(through(wire, "Devices/Pair", {"code": code, "tokenSha256": digest("t")})) == "TOO_MANY_CODES"
        with door(hub) as other:
            assert through(other, "Devices/Pair", {"code": code, "tokenSha256": digest("t")})[1]["name"] == "hanako"


def test_a_code_that_crossed_the_network_in_clear_is_void_for_everybody(hub, name):
    def shown(code, token, unencrypted=True):
        return through(wire, "Devices/Pair", {"code": code, "tokenSha256": digest(token), "unencrypted": unencrypted})

    with door(hub) as wire:
        recorder, viewer, token = short(name), short(name), new_token()
        code = hub.reply("Devices/Invite", {"name": recorder})["code"]
        status = shown(code, token)[0]["status"]
        assert (status["code"], status["reason"]) == ("PERMISSION_DENIED", "ENCRYPTION_NEEDED")
        # Who read it on its way is too late, and so is the device.
        assert [reason(shown(code, each, unencrypted=False)) for each in (new_token(), token)] == ["CODE_UNKNOWN"] * 2
        assert recorder not in json.dumps(hub.reply("Devices/List"))
        code = hub.reply("Devices/Invite", {"name": viewer, "role": "viewer"})["code"]
        assert shown(code, token)[1]["role"] == "viewer"
        assert through(wire, "System/Whoami", token=token)[1]["name"] == viewer
        # A device that has joined where nobody reads along is told, and stays.
        joined = new_token()
        code = hub.reply("Devices/Invite", {"name": recorder})["code"]
        assert shown(code, joined, unencrypted=False)[1]["name"] == recorder
        assert reason(shown(code, joined)) == "ENCRYPTION_NEEDED"
        assert through(wire, "System/Whoami", token=joined)[1]["role"] == "recorder"


def test_a_token_of_an_earlier_device_uses_no_code_up(hub, name):
    name = short(name)
    earlier, token = add(hub)
    hub.reply("Devices/Revoke", {"name": earlier})
    code = hub.reply("Devices/Invite", {"name": name})["code"]
    assert hub.error("Devices/Pair", {"code": code, "tokenSha256": digest(token)}) == ("INVALID_ARGUMENT", "FIELD_INVALID")
    assert hub.reply("Devices/Pair", {"code": code, "tokenSha256": digest(new_token())})["name"] == name


def test_an_invitation_ends_with_the_next_one_and_with_the_hub(hub, name):
    name = short(name)
    first = hub.reply("Devices/Invite", {"name": name})["code"]
    second = hub.reply("Devices/Invite", {"name": name})["code"]
    assert hub.error("Devices/Pair", {"code": first, "tokenSha256": digest("a")}) == ("NOT_FOUND", "CODE_UNKNOWN")
    assert hub.reply("Devices/Pair", {"code": f"{second[:4]} {second[4:]}", "tokenSha256": digest(name)})["name"] == name
    assert hub.error("Devices/Invite", {"name": name}) == ("ALREADY_EXISTS", "RECORD_EXISTS")
    assert hub.error("Devices/Invite", {"name": "Upper"}) == ("INVALID_ARGUMENT", "FIELD_INVALID")
    assert hub.error("Devices/Invite", {"name": "fine", "role": "door"}) == ("INVALID_ARGUMENT", "FIELD_INVALID")


@pytest.mark.parametrize("change", ["Pair", "Add", "Revoke"])
def test_a_kill_between_commit_and_answer_changes_a_device_once(unstarted, change):
    hub, token, other = unstarted, new_token(), new_token()
    request_id = str(uuid.uuid4())
    if change == "Revoke":
        hub.start()
        hub.reply("Devices/Add", {"name": "phone", "tokenSha256": digest(token)})
        hub.end()
    hub.environment = {"KITH_FAULT_POINT": "device_stored:1"}
    hub.start()
    body = {
        "Pair": lambda: {"code": hub.reply("Devices/Invite", {"name": "phone"})["code"], "tokenSha256": digest(token)},
        "Add": lambda: {"name": "phone", "tokenSha256": digest(token)},
        "Revoke": lambda: {"name": "phone"},
    }[change]()
    with Wire(hub.control) as wire:
        wire.send(f"kith.v1.Devices/{change}", json.dumps(body).encode(), header={"requestId": request_id})
        hub.killed()
        assert wire.receive(0.1) is None
    hub.environment = {}
    hub.start()
    # It counts before anybody asks again.
    header, who, _ = hub.ask("System/Whoami", token=token)
    if change == "Revoke":
        assert header["status"]["reason"] == "DEVICE_UNKNOWN"
    else:
        assert who["principal"] == "device:phone"
    header, device, _ = hub.ask(f"Devices/{change}", body, request_id=request_id)
    assert header["replayed"] is True and device["name"] == "phone"
    assert len(hub.reply("Devices/List")["devices"]) == 1
    if change == "Pair":
        # By the phone itself, whose door has gone as well: the code is forgotten, its token is not.
        assert hub.reply("Devices/Pair", body)["name"] == "phone"
        assert hub.error("Devices/Pair", {**body, "tokenSha256": digest(other)}) == ("NOT_FOUND", "CODE_UNKNOWN")


def test_no_token_and_no_code_is_written_anywhere():
    with tcp_hub('[log]\nlevel = "trace"\n') as hub:
        subscription = Subscription(hub.events, "system")
        subscription.wait_for_head()
        token = json.loads(hub.local("--json", "web", "token", "--name", "button", "--role", "recorder"))["token"]
        assert token.startswith("kith_") and len(token) == 48
        invitation = json.loads(hub.local("--json", "web", "pair", "--name", "phone"))
        paired = new_token()
        hub.reply("Devices/Pair", {"code": invitation["code"], "tokenSha256": digest(paired)})
        for each in (token, paired):
            assert hub.reply("System/Whoami", token=each)["role"] == "recorder"
            assert "status" not in hub.ask("Care/Record", {"category": "meal", "memo": "rice"}, token=each)[0]
        hub.local("web", "revoke", "phone", "--yes")
        assert eventually(lambda: subscription.receive(1) and len(subscription.seen["system"]) >= 3)
        written = [text.encode() for each in (token, paired) for text in (each, each.removeprefix("kith_"))]
        assert files_with(hub.directory, *written, invitation["code"].encode()) == []
        assert not any(secret.decode() in json.dumps(subscription.seen["system"]) for secret in written)
        hub.restart(signal.SIGTERM)
        assert files_with(hub.directory, *written, invitation["code"].encode()) == []
        assert hub.reply("System/Whoami", token=token)["principal"] == "device:button"
        assert hub.error("System/Whoami", token=paired) == REFUSED


def test_status_names_the_door_and_what_is_wrong_with_it(hub):
    with door(hub) as wire:
        announced = {"url": "https://hub.home.arpa:8443/", "tls": "own-ca", "certificateExpires": "2001-01-01T00:00:00Z",
                     "version": "1.0", "lastSeen": "2001-01-01T00:00:00Z"}
        assert "status" not in through(wire, "Devices/Announce", announced)[0]
        (shown,) = hub.reply("System/Status")["doors"]
        assert shown["url"] == "https://hub.home.arpa:8443" and shown["lastSeen"] > "2020"
        assert "its certificate expired" in hub.local("status")
        assert reason(through(wire, "Devices/Announce", {**announced, "url": "https://x/\u001b[2J"})) == "FIELD_INVALID"
        # A device that is no admin has no business here.
        _, token = add(hub, "recorder")
        assert reason(through(wire, "Devices/Announce", announced, token)) == "ROLE_NOT_ALLOWED"


def test_a_code_that_waits_is_revoked(hub, name):
    name = short(name)
    code = hub.reply("Devices/Invite", {"name": name})["code"]
    assert "revoked" in hub.local("web", "revoke", name, "--yes")
    assert name not in hub.local("web", "devices")
    assert hub.error("Devices/Pair", {"code": code, "tokenSha256": digest(name)}) == ("NOT_FOUND", "CODE_UNKNOWN")
    assert name in hub.local("web", "revoke", name, "--yes", code=1)


def test_kith_shows_devices_and_who_asks(hub, name):
    name = short(name)
    shown = hub.local("web", "pair", "--name", name, "--valid-for", "30d")
    code = "".join(shown.split("Code     ")[1].split("\n")[0].split())
    assert len(code) == 8 and f"https://kith.home.arpa/pair#{code}" in shown and "█" in shown
    assert f"A code waits for {name}" in hub.local("web", "devices")
    hub.reply("Devices/Pair", {"code": code, "tokenSha256": digest(name)})
    assert re.search(name + " .* in (29|30) days", hub.local("web", "devices"))
    assert "already" in hub.local("web", "pair", "--name", name, code=1)
    assert "revoked" in hub.local("web", "revoke", name, "--yes")
    assert name not in hub.local("web", "devices") and name in hub.local("web", "devices", "--all")
    assert "admin" in hub.local("whoami") and "uid:" in hub.local("whoami")


def test_a_device_reaches_no_file_of_the_hub(hub, tmp_path):
    """An admin's phone is no user of the hub's machine, even if its door is."""
    (tmp_path / "cards").mkdir()
    _, token = add(hub, "admin")
    body = {"name": short("files"), "vdir": {"path": str(tmp_path / "cards")}}
    assert hub.error("Contacts/AddSource", body, token=token) == ("PERMISSION_DENIED", "PATH_NOT_ALLOWED")


def test_the_65th_device_is_refused():
    hub = Hub()
    try:
        hub.start()
        for number in range(64):
            hub.reply("Devices/Add", {"name": f"d{number}", "tokenSha256": digest(str(number))})
        assert hub.error("Devices/Add", {"name": "more", "tokenSha256": digest("more")}) == (
            "RESOURCE_EXHAUSTED", "TOO_MANY_DEVICES")
        assert hub.error("Devices/Invite", {"name": "more"}) == ("RESOURCE_EXHAUSTED", "TOO_MANY_DEVICES")
        hub.reply("Devices/Revoke", {"name": "d0"})
        assert hub.reply("Devices/Add", {"name": "more", "tokenSha256": digest("more")})["state"] == "active"
        assert hub.end() == 0
    finally:
        hub.remove()
