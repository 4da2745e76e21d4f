"""Events: HEAD, Snapshot, Replay, and the example programs as somebody would run them."""
import json
import signal
import subprocess
import sys
import threading
import time

import pytest
import zmq

import cards
from conftest import EXAMPLES
from events import Subscription
from keyed import eventually
from watch import Follower


@pytest.fixture
def household(hub, tmp_path):
    """A hub that has synced a small source."""
    folder = tmp_path / "cards"
    cards.make(12, folder)
    hub.reply("Contacts/AddSource", {"name": "home", "vdir": {"path": str(folder)}})
    hub.reply("Contacts/Sync")
    return hub


def test_head_comes_at_once_and_again(hub):
    witness = Subscription(hub.events, "sync")
    # On a busy machine not each connection is made within the interval, so that its HEAD may be one that comes anyway.
    for _ in range(10):
        witness.wait_for_head()
        begin = time.monotonic()
        subscription = Subscription(hub.events, "sync")
        first = subscription.wait_for_head()
        if time.monotonic() - begin < 1.5:
            break
    else:
        raise AssertionError("no HEAD came at once")
    assert {"sync", "contacts"} <= {head["stream"] for head in first["heads"]}
    subscription.wait_for_head()
    assert first["intervalMs"] == 2000


def test_a_topic_that_was_asked_for_twice_is_gone_with_its_peer(hub):
    stays = Subscription(hub.events, "sync")
    stays.wait_for_head()
    before = hub.reply("System/Status")["subscriptions"]
    # XSUB says what it is told to say, where SUB would say it once.
    with zmq.Context() as context, context.socket(zmq.XSUB) as twice:
        twice.connect(hub.events)
        for _ in range(2):
            twice.send(b"\x01j/sync/")
        assert eventually(lambda: hub.reply("System/Status")["subscriptions"] == before + 1)
    assert eventually(lambda: hub.reply("System/Status")["subscriptions"] == before)
    stays.wait_for_head()


def test_a_subscriber_that_asks_again_and_again_floods_nobody_with_heads(hub):
    stays = Subscription(hub.events, "sync")
    stays.wait_for_head()
    before = hub.reply("System/Status")["subscriptions"]
    with zmq.Context() as context, context.socket(zmq.XSUB) as loud:
        loud.sndhwm = 0
        loud.connect(hub.events)
        begin = time.monotonic()
        for number in range(40):
            # No more than a client may be ahead of the hub.
            for _ in range(50):
                loud.send(b"\x01j/sync/")
                loud.send(b"\x01j/contacts/")
                loud.send(b"\x00j/contacts/")
            # The last one says that the hub has read all before it.
            is_on = number % 2 == 0
            loud.send(b"\x01p/" if is_on else b"\x00p/")
            assert eventually(lambda: hub.reply("System/Status")["subscriptions"] == before + 1 + is_on)
    hub.reply("Contacts/AddSource", {"name": "late", "vdir": {"path": "/nowhere"}})
    heads = 0
    while not stays.seen["sync"]:
        kind, _, _ = stays.receive(60)
        heads += kind == b"\x02"
    # Ten a second at most; as many as were read together with others would be 750.
    assert heads < 20 + 11 * (time.monotonic() - begin)


def test_replay_gives_what_was_missed(household):
    head = household.seq("sync")
    assert head >= 2
    reply = household.reply("System/Replay", {"stream": "sync", "afterSeq": "0", "limit": 500})
    assert [int(event["header"]["seq"]) for event in reply["events"]] == list(range(1, head + 1))
    assert int(reply["head"]["seq"]) == head and "more" not in reply
    epoch = reply["head"]["epoch"]

    page = household.reply("System/Replay", {"stream": "sync", "epoch": epoch, "afterSeq": "0", "limit": 1})
    assert len(page["events"]) == 1 and page["more"] is True
    assert "events" not in household.reply("System/Replay", {"stream": "sync", "epoch": epoch, "afterSeq": str(head)})


def test_replay_of_another_epoch_is_refused(household):
    error = household.error("System/Replay", {"stream": "sync", "epoch": "of-another-life", "afterSeq": "1"})
    assert error == ("OUT_OF_RANGE", "EPOCH_CHANGED")


def test_epoch_outlives_a_restart(household):
    before = household.reply("System/Snapshot", {"stream": "sync"})["position"]
    household.restart(signal.SIGKILL)
    after = household.reply("System/Snapshot", {"stream": "sync"})["position"]
    assert after["epoch"] == before["epoch"] and int(after["seq"]) >= int(before["seq"])


def test_snapshot_has_the_last_event_of_each_key(household):
    reply = household.reply("System/Snapshot", {"stream": "sync"})
    (last,) = [entry for entry in reply["lastByKey"] if entry["header"]["key"] == "contacts:home"]
    assert last["event"]["sync"]["state"] == "COMPLETED"
    assert int(reply["position"]["seq"]) == household.seq("sync")


def test_unknown_stream(hub):
    assert hub.error("System/Snapshot", {"stream": "weather"})[0] in ("NOT_FOUND", "INVALID_ARGUMENT")


def test_events_are_thin(household):
    names = [contact["formattedName"] for contact in household.reply("Contacts/List")["contacts"]]
    log = json.dumps([household.reply("System/Replay", {"stream": stream, "afterSeq": "0"}) for stream in ("sync", "contacts")],
                     ensure_ascii=False)
    assert names and not [name for name in names if name in log]


def run(script, *arguments):
    return subprocess.run([sys.executable, EXAMPLES / script, *arguments], capture_output=True, text=True, timeout=60)


def test_send_prints_the_final(household):
    done = run("send.py", "--runtime-dir", household.runtime, "kith.v1.Contacts/List", '{"limit": 3}')
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["body"]["contacts"]) == 3
    done = run("send.py", "--req", "--runtime-dir", household.runtime, "kith.v1.System/Ping")
    assert done.returncode == 0 and "requestId" in json.loads(done.stdout)["header"]


def test_send_reports_errors(hub, tmp_path):
    done = run("send.py", "--runtime-dir", hub.runtime, "kith.v1.Contacts/Fly")
    assert done.returncode == 1
    assert json.loads(done.stdout)["header"]["status"]["reason"] == "SERVICE_UNKNOWN"
    assert run("send.py", "--runtime-dir", hub.runtime, "kith.v1.System/Ping", "{").returncode == 2
    assert run("send.py", "--runtime-dir", tmp_path, "kith.v1.System/Ping").returncode == 3


def test_watch_gives_the_past_and_ends_at_the_count(household):
    head = household.seq("sync")
    done = run("watch.py", "sync", "--runtime-dir", household.runtime, "--since", "sync=0", "--count", str(head))
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [int(line["header"]["seq"]) for line in lines] == list(range(1, head + 1))
    assert {line["origin"] for line in lines} <= {"replay", "live"}


def test_a_head_that_waited_during_a_replay_is_ignored(hub):
    hub.reply("Contacts/AddSource", {"name": "one", "vdir": {"path": "/nowhere"}})
    follower = Follower(str(hub.runtime), ["sync"], {"sync": 0})
    socket, witness = follower.subscribe(), None
    try:
        # Its first HEAD waits; two more that a witness gets are sent to it as well.
        assert socket.poll(10_000)
        witness = Subscription(hub.events, "sync")
        for _ in range(3):
            witness.wait_for_head()
        for name in ("two", "three"):
            hub.reply("Contacts/AddSource", {"name": name, "vdir": {"path": "/nowhere"}})
        seen, events = [], follower.listen(socket)
        while int((seen or [(0, {"seq": 0})])[-1][1]["seq"]) < 3:
            seen.append(next(events))
        # What comes after the HEADs that waited shows that they were passed over.
        hub.reply("Contacts/AddSource", {"name": "four", "vdir": {"path": "/nowhere"}})
        seen.append(next(events))
    finally:
        socket.close()
        if witness:
            witness.socket.close()
    assert [(origin, int(header["seq"])) for origin, header, _ in seen] == [
        ("replay", 1), ("replay", 2), ("replay", 3), ("live", 4)]


def test_watch_follows_through_a_killed_hub(household):
    before = household.seq("sync")
    line = [sys.executable, EXAMPLES / "watch.py", "sync", "--runtime-dir", household.runtime, "--since", "sync=0"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as watcher:
        limit = threading.Timer(90, watcher.kill)
        limit.start()
        try:
            seen = [json.loads(watcher.stdout.readline()) for _ in range(before)]
            for _ in range(3):
                household.restart(signal.SIGKILL)
                household.reply("Contacts/Sync", {"full": True})
                while int(seen[-1]["header"]["seq"]) < household.seq("sync"):
                    seen.append(json.loads(watcher.stdout.readline()))
        finally:
            limit.cancel()
            watcher.kill()
    assert [int(entry["header"]["seq"]) for entry in seen] == list(range(1, len(seen) + 1))
    assert len(seen) > before
