"""Who comes in over tcp: keys that are approved, and nobody else."""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
import uuid

import pytest
import zmq
from zmq.utils import z85

from conftest import EXAMPLES, Wire
from keyed import CurveWire, Key, eventually, files_with, strangers, tcp_hub
from messages import ROOT, SERVICES

FAILED_AUTH, FAILED_NO_DETAIL = zmq.EVENT_HANDSHAKE_FAILED_AUTH, zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
HOLDERS = {"VIEWER": {"viewer", "recorder", "admin"}, "RECORDER": {"recorder", "admin"}, "ADMIN": {"admin"},
           "WORKER": {"worker"}, "DOOR": {"admin", "door"}, "OPEN": {"viewer", "recorder", "admin", "door"}}


@pytest.fixture(scope="module")
def hub():
    with tcp_hub() as hub:
        yield hub


def stated_roles():
    """The least role of every method, from proto/ as text."""
    roles, service, method = {}, "", ""
    for path in sorted((ROOT / "proto" / "kith" / "v1").glob("*.proto")):
        for line in path.read_text().splitlines():
            if found := re.match(r"service (\w+)", line):
                service = found[1]
            if found := re.match(r"  rpc (\w+)", line):
                method = found[1]
            if found := re.search(r"role: ([A-Z]+)", line):
                roles[f"kith.v1.{service}/{method}"] = "OPEN" if "open: true" in line else found[1]
    return roles


def descriptors(hub):
    """How many files and connections it has open."""
    return len(list(pathlib.Path(f"/proc/{hub.process.pid}/fd").iterdir()))


def cut_off(hub, key, role, why, *, plane="control", kind=zmq.DEALER):
    """Tries to come in with a key; checks that the hub says why it does not let it."""
    with CurveWire(hub, key, plane=plane, kind=kind, topics=[b""] if kind == zmq.SUB else ()) as wire:
        assert hub.says(why), hub.log.read_text()[-2000:]
        if kind == zmq.DEALER:
            assert not wire.is_in(0.3)
        else:
            assert not wire.socket.poll(300)


def test_a_stranger_waits_and_comes_in_when_approved_without_beginning_anew(hub, name):
    key = Key()
    with CurveWire(hub, key) as wire:
        assert hub.waits(key)
        assert not wire.is_in(0.3)
        assert hub.says(key.fingerprint)
        info = hub.reply("Keys/Approve", {"fingerprint": key.fingerprint, "name": name, "role": "recorder"})
        assert (info["state"], info["role"], info["publicKeyZ85"]) == ("approved", "recorder", key.public.decode())
        assert wire.is_in(60)
        header, reply = wire.ask("System/Hello")
        assert (reply["principal"], reply["role"]) == (f"key:{name}", "recorder")
        assert reply["eventsEndpoint"] == hub.tcp("events")
        assert key.fingerprint not in hub.pending()


def test_without_a_key_nobody_comes_in(hub):
    for kind in (zmq.DEALER, zmq.REQ, zmq.SUB):
        with contextlib.closing(zmq.Context.instance().socket(kind)) as socket:
            socket.linger, socket.sndtimeo = 0, 300
            if kind == zmq.SUB:
                socket.subscribe(b"")
            else:
                socket.immediate = 1
            socket.connect(hub.tcp("events" if kind == zmq.SUB else "control"))
            assert not socket.poll(500, zmq.POLLIN if kind == zmq.SUB else zmq.POLLOUT)
    assert hub.says("it has no key")


def test_who_takes_the_hub_for_another_one_does_not_come_in(hub, name):
    key = Key()
    hub.approve(key, name)
    with CurveWire(hub, key, server_key=Key().public.decode()) as wire:
        assert wire.event(FAILED_NO_DETAIL)
        assert not wire.is_in(0.3)
    assert hub.says("it takes this server for one with another key")


def test_a_revoked_key_is_cut_at_once_and_stays_out_and_others_are_back(hub, name):
    revoked, other = Key(), Key()
    hub.approve(revoked, f"{name}-r"[-32:].strip("-"), "admin")
    hub.approve(other, f"{name}-o"[-32:].strip("-"))
    local = Wire(hub.control)
    with CurveWire(hub, revoked) as first, CurveWire(hub, other) as second, \
            CurveWire(hub, revoked, plane="events", kind=zmq.SUB, topics=[b"j/"]) as listener, \
            contextlib.closing(local.socket):
        assert "status" not in first.ask("System/Ping")[0] and "status" not in second.ask("System/Ping")[0]
        assert listener.socket.poll(30_000)
        local.send()
        local.final()
        before = descriptors(hub)
        assert hub.reply("Keys/Revoke", {"fingerprint": revoked.fingerprint})["state"] == "revoked"
        assert first.event(FAILED_AUTH)["value"] == 400 and listener.event(FAILED_AUTH)["value"] == 400
        assert "status" not in second.ask("System/Ping")[0]
        while listener.socket.poll(200):
            listener.socket.recv_multipart()
        hub.reply("Keys/Approve", {"publicKeyZ85": Key().public.decode(), "name": f"after-{uuid.uuid4().hex[:8]}"})
        assert not listener.socket.poll(1000), "events go on to a key that was revoked"
        # Who is on this machine has noticed nothing.
        local.send()
        assert "status" not in local.final()[0]
        assert eventually(lambda: descriptors(hub) <= before)
    cut_off(hub, revoked, "admin", "the key was revoked")
    assert hub.error("Keys/Approve", {"fingerprint": revoked.fingerprint, "name": "again"}) == (
        "FAILED_PRECONDITION", "KEY_REVOKED")


def test_many_revocations_do_not_fill_the_planes(hub):
    """libzmq says nothing of connections that go with their listener; they must not be counted for ever."""
    visitor = Key()
    hub.approve(visitor, "visitor")
    with contextlib.ExitStack() as closing:
        wires = [closing.enter_context(CurveWire(hub, visitor)) for _ in range(15)]
        for _ in range(5):
            for wire in wires:
                assert "status" not in wire.ask("System/Ping")[0]
            other = Key()
            hub.approve(other, "passing")
            hub.reply("Keys/Revoke", {"name": "passing"})
        for wire in wires:
            assert "status" not in wire.ask("System/Ping")[0]


@pytest.mark.waits
def test_an_expired_key_is_cut_and_comes_back_when_it_is_approved_again(hub, name):
    key = Key()
    hub.approve(key, name, validFor="15s")
    with CurveWire(hub, key) as wire:
        assert "status" not in wire.ask("System/Ping")[0]
        assert wire.event(zmq.EVENT_DISCONNECTED, seconds=60)
        assert eventually(lambda: not wire.is_in(0), 60)
        states = {info["name"]: info["state"] for info in hub.reply("Keys/List")["keys"]}
        assert states[name] == "expired"
        assert hub.says("the key has expired")
        hub.approve(key, name)
        assert "status" not in wire.ask("System/Ping", seconds=60)[0]


def test_workers_come_to_no_other_plane_and_others_to_none_of_theirs(hub, name):
    key = Key()
    hub.approve(key, name, "worker", services=["contacts"])
    for plane, kind in (("control", zmq.DEALER), ("events", zmq.SUB)):
        cut_off(hub, key, "worker", "a key of the role worker has no business on this plane", plane=plane, kind=kind)


@pytest.mark.parametrize("role", ["viewer", "recorder", "admin", "worker", "door"])
def test_every_method_is_open_to_the_roles_that_proto_says_and_no_other(hub, name, role):
    """Each cell of the table, over tcp with a key. A deadline that has passed is looked at after the role, so that nothing
    is carried out."""
    roles = stated_roles()
    assert set(roles) == set(SERVICES)
    served = {service["name"] for service in hub.reply("System/Services")["services"]}
    key = Key()
    # A worker does not even get here; one that was let in as something else is refused at each command.
    hub.approve(key, name, "viewer" if role == "worker" else role)
    with CurveWire(hub, key) as wire:
        assert wire.is_in()
        if role == "worker":
            wire.ask("System/Ping")
            hub.approve(key, name, "worker", services=["contacts"])
            assert eventually(lambda: not wire.is_in(0))
            return
        for method, least in sorted(roles.items()):
            wire.send(method, header={"requestId": str(uuid.uuid4()), "deadline": "2001-01-01T00:00:00Z"})
            code, reason = wire.error()
            if method not in served:
                assert reason in ("SERVICE_UNKNOWN", "ROLE_NOT_ALLOWED"), method
            elif role in HOLDERS[least]:
                assert (code, reason) == ("DEADLINE_EXCEEDED", "EXPIRED_ON_ARRIVAL"), method
            else:
                assert (code, reason) == ("PERMISSION_DENIED", "ROLE_NOT_ALLOWED"), method


def test_a_role_counts_from_the_next_command_on(hub, name):
    key = Key()
    hub.approve(key, name, "admin")
    with CurveWire(hub, key) as wire:
        assert "status" not in wire.ask("Keys/List")[0]
        hub.approve(key, name, "viewer")
        assert wire.ask("Keys/List", seconds=60)[0]["status"]["reason"] == "ROLE_NOT_ALLOWED"


def test_events_come_over_tcp_narrowed_to_the_streams(hub, name):
    key = Key()
    hub.approve(key, name)
    with CurveWire(hub, key, plane="events", kind=zmq.SUB, topics=[b"j/"]) as listener:
        assert listener.socket.poll(30_000)
        hub.approve(Key(), f"{name}-2"[-32:].strip("-"))

        def notice():
            topic, _, kind, _, _, body = listener.socket.recv_multipart()
            return topic == b"j/system/" and json.loads(body)["system"]["kind"] == "key.approved"

        assert eventually(lambda: listener.socket.poll(1000) and notice())


def test_names_are_taken_once(hub):
    first, second = Key(), Key()
    hub.approve(first, "taken")
    request = {"publicKeyZ85": second.public.decode(), "name": "taken"}
    assert hub.error("Keys/Approve", request) == ("ALREADY_EXISTS", "RECORD_EXISTS")
    hub.reply("Keys/Revoke", {"name": "taken"})
    assert hub.reply("Keys/Approve", request)["fingerprint"] == second.fingerprint
    assert hub.error("Keys/Revoke", {"name": "nobody"}) == ("NOT_FOUND", "RECORD_UNKNOWN")
    assert hub.error("Keys/Revoke", {}) == ("INVALID_ARGUMENT", "FIELD_INVALID")
    # A command would take it for an option.
    request = {"publicKeyZ85": Key().public.decode(), "name": "-a"}
    assert hub.error("Keys/Approve", request) == ("INVALID_ARGUMENT", "FIELD_INVALID")


def test_keys_outlive_a_kill_and_nothing_secret_is_written_anywhere():
    with tcp_hub() as hub:
        key, server = Key(), hub.server_key
        hub.approve(key, "kitchen", "recorder")
        hub.reply("Keys/RotateServer", {"overlap": "3600s"})
        hub.restart(signal.SIGKILL)
        assert hub.server_key == server
        with CurveWire(hub, key) as wire:
            assert wire.ask("System/Hello")[1]["principal"] == "key:kitchen"
        file = hub.directory / "state" / "server.key"
        assert file.stat().st_mode & 0o777 == 0o600
        secrets = [line.split()[1].encode() for line in file.read_text().splitlines()]
        assert len(secrets) == 2
        assert files_with(hub.directory, *secrets, *map(z85.decode, secrets)) == ["state/server.key"]
        assert not files_with(hub.directory, key.secret, z85.decode(key.secret))


@pytest.mark.waits
def test_the_server_changes_its_key_and_nobody_has_to_be_told(tmp_path):
    with tcp_hub() as hub:
        key, old = Key(), hub.server_key
        hub.approve(key, "kitchen")
        file = key.file(tmp_path / "key", old)
        new = hub.reply("Keys/RotateServer", {"overlap": "20s"})["nextPublicKeyZ85"]
        # Meanwhile both are good: the old one where it was, the new one at ports of its own.
        hub.remote(file, "ping")
        assert f"server {new}" in file.read_text()
        with CurveWire(hub, key, server_key=new, endpoint=hub.tcp(next_key=True)) as wire:
            assert "status" not in wire.ask("System/Ping")[0]
        assert eventually(lambda: hub.server_key == new, 120)
        hub.remote(file, "ping")
        assert f"server {old}" not in file.read_text()
        with CurveWire(hub, key, server_key=old) as wire:
            assert wire.event(FAILED_NO_DETAIL)
            assert not wire.is_in(0.3)


def test_strangers_who_knock_without_end_hold_nobody_up():
    with tcp_hub() as hub:
        friend = Key()
        hub.approve(friend, "friend")
        with CurveWire(hub, friend) as wire, strangers(hub, "control", "control") as tried:
            end = time.monotonic() + 12
            # Long enough that many have knocked, on a machine that is busy too.
            while time.monotonic() < end or tried() <= 700 and time.monotonic() < end + 60:
                assert "status" not in wire.ask("System/Ping", seconds=60)[0]
                assert "status" not in hub.ask("System/Status", timeout=60)[0]
            with CurveWire(hub, friend) as late:
                assert "status" not in late.ask("System/Ping")[0]
        assert tried() > 700, "too few to show anything"
        assert len(hub.pending()) <= 32
        assert hub.log.read_text().count("not let in") < 200
        assert eventually(lambda: descriptors(hub) < 100, 60)


@pytest.mark.waits
def test_the_33rd_that_waits_is_turned_away_and_room_is_made_by_an_answer():
    with tcp_hub() as hub, contextlib.ExitStack() as closing:
        server = hub.server_key
        waiting = []
        while len(waiting) < 32:
            key = Key()
            closing.enter_context(CurveWire(hub, key, server_key=server))
            assert hub.waits(key, 60)
            waiting.append(key)
        late = Key()
        with CurveWire(hub, late, server_key=server) as wire:
            assert wire.event(FAILED_AUTH)["value"] == 400
        assert late.fingerprint not in hub.pending()
        hub.reply("Keys/Revoke", {"fingerprint": waiting[0].fingerprint})
        with CurveWire(hub, late, server_key=server):
            assert hub.waits(late, 60)


@pytest.mark.waits
def test_a_port_that_is_taken_leaves_ipc_and_is_tried_again(tmp_path):
    with tcp_hub() as first:
        first.end()
        with contextlib.closing(zmq.Context.instance().socket(zmq.ROUTER)) as squatter:
            squatter.linger = 0
            squatter.bind(first.tcp("events"))
            first.start()
            assert first.says("tcp is not served; ipc is")
            assert "endpoints" not in first.reply("Keys/Server")
            assert "in use" in first.reply("Keys/Server")["fault"]
            assert "in use" in first.local("keys", "show")
        # The next turn of the upkeep.
        assert eventually(lambda: len(first.reply("Keys/Server").get("endpoints", [])) > 0, 45)


def test_kith_says_what_keeps_it_out(hub, tmp_path):
    file = tmp_path / "key"
    new = json.loads(hub.kith("--json", "keys", "new", "--file", file))
    assert file.stat().st_mode & 0o777 == 0o600
    assert "--server-key" in hub.remote(file, "ping", code=1)
    server = hub.server_key
    assert f"kith keys approve {new['fingerprint']}" in hub.remote(
        file, f"--server-key={server}", "ping", code=4)
    assert new["fingerprint"] in hub.local("keys", "pending")
    hub.local("keys", "approve", new["fingerprint"], "--name", "laptop", "--role", "viewer")
    hub.remote(file, f"--server-key={server}", "ping")
    # Remembered from the first time on.
    assert "laptop" in hub.local("keys", "list")
    hub.remote(file, "status")
    assert "needs the role admin" in hub.remote(file, "keys", "list", code=4)
    assert "--server-key" in hub.remote(file, f"--server-key={Key().public.decode()}", "ping", code=4)
    hub.remote(file, "ping")
    hub.local("keys", "revoke", "laptop", "--yes")
    assert "revoked" in hub.remote(file, "ping", code=4)
    file.chmod(0o644)
    assert "chmod 600" in hub.remote(file, "ping", code=1)
    assert "already" in hub.kith("keys", "new", "--file", file, code=1)


def test_an_admin_elsewhere_may_revoke_and_gets_the_answer(hub, tmp_path):
    admin, other = Key(), Key()
    hub.approve(admin, "admin-elsewhere", "admin")
    hub.approve(other, "other-elsewhere")
    file = admin.file(tmp_path / "key", hub.server_key)
    assert "revoked" in hub.remote(file, "keys", "revoke", "other-elsewhere", "--yes")
    hub.remote(file, "ping")


@pytest.mark.timeout(360)
def test_watch_follows_from_another_machine_through_a_restart(tmp_path):
    with tcp_hub() as hub:
        key = Key()
        hub.approve(key, "kitchen")
        file = key.file(tmp_path / "key", hub.server_key)
        printed = []
        watching = threading.Thread(target=lambda: printed.append(
            hub.remote(file, "--json", "watch", "system", "--since", "system=0", "--count", "5", timeout=240)))
        watching.start()
        assert eventually(lambda: hub.reply("System/Status").get("subscriptions", 0) > 0, 90)
        hub.restart(signal.SIGKILL)
        for _ in range(5):
            hub.approve(Key(), f"k-{uuid.uuid4().hex[:8]}")
        watching.join(240)
        assert [json.loads(line)["header"]["seq"] for line in printed[0].splitlines()] == ["1", "2", "3", "4", "5"]


def test_the_examples_work_from_another_machine(tmp_path):
    with tcp_hub() as hub:
        key = Key()
        hub.approve(key, "kitchen", "recorder")
        environment = {**os.environ, "KITH_KEY": str(key.file(tmp_path / "key", hub.server_key, Key().public.decode()))}

        def run(script, *arguments):
            return subprocess.run([sys.executable, EXAMPLES / script, "--hub", hub.tcp(), *arguments], env=environment,
                                  capture_output=True, text=True, timeout=60)

        sent = run("send.py", "kith.v1.System/Hello")
        assert json.loads(sent.stdout)["body"]["principal"] == "key:kitchen", sent
        refused = run("send.py", "kith.v1.Keys/List")
        assert refused.returncode == 1 and "ROLE_NOT_ALLOWED" in refused.stdout
        watched = run("watch.py", "system", "--since", "system=0", "--count", "2")
        kinds = [json.loads(line)["event"]["system"]["kind"] for line in watched.stdout.splitlines()]
        # The hub answers before it has stored that it started.
        assert sorted(kinds) == ["agent.started", "key.approved"], watched
