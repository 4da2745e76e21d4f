"""Commands as a script sends them: pyzmq and JSON, against a real kithd."""
import json
import signal
import subprocess

import pytest

import cards
from events import Subscription
from trials import kith

COUNT = 1000


def test_thousand_cards_are_synced_once_and_seen_whole(hub, tmp_path):
    folder = tmp_path / "cards"
    cards.make(COUNT, folder)
    subscription = Subscription(hub.events, "sync", "contacts")
    subscription.wait_for_head()
    source = hub.reply("Contacts/AddSource", {"name": "home", "vdir": {"path": str(folder)}}, request_id="add-1")
    assert source["name"] == "home"

    partials = []
    header, reply, _ = hub.ask(
        "Contacts/Sync", {"sources": ["home"]}, request_id="sync-1", timeout=300, on_partial=lambda *p: partials.append(p))
    assert "status" not in header
    (status,) = reply["sources"]
    assert (status["source"], status["state"]) == ("contacts:home", "COMPLETED")
    counts = {key: status.get(key, 0) for key in ("total", "done", "added", "live", "updated", "deleted", "skipped", "heldBack")}
    assert counts == {**dict.fromkeys(counts, 0), "total": COUNT, "done": COUNT, "added": COUNT, "live": COUNT}
    sequences = [partial["seq"] for partial, _ in partials if "seq" in partial]
    assert sequences == sorted(sequences)

    effects = {position["stream"]: int(position["seq"]) for position in header["effects"]}
    seen = subscription.until(effects)
    for stream, events in seen.items():
        assert [int(header["seq"]) for header, _ in events] == list(range(1, effects[stream] + 1)), stream
    states = [event["sync"]["state"] for _, event in seen["sync"] if "sync" in event]
    assert "SYNCING" in states and states[-1] == "COMPLETED"
    changed = [event["changed"]["ids"] for _, event in seen["contacts"]]
    assert max(map(len, changed)) <= 500
    assert len({identity for ids in changed for identity in ids}) == COUNT

    listed = list(pages(hub, "Contacts/List", "contacts", limit=300))
    assert len({contact["id"] for contact in listed}) == len(listed) == COUNT


def pages(hub, method, field, **request):
    cursor = ""
    while True:
        reply = hub.reply(method, {**request, "cursor": cursor})
        yield from reply.get(field, [])
        cursor = reply.get("nextCursor", "")
        if not cursor:
            return


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL], ids=["stopped", "killed"])
def test_same_request_gets_the_stored_answer_also_after_a_restart(hub, tmp_path, ending):
    folder = tmp_path / "cards"
    cards.make(20, folder)
    add = ("Contacts/AddSource", {"name": "home", "vdir": {"path": str(folder)}})
    sync = ("Contacts/Sync", {})
    first = {call[0]: hub.ask(*call, request_id=f"once-{call[0]}") for call in (add, sync)}
    assert all("replayed" not in header and "status" not in header for header, _, _ in first.values())
    positions = hub.seq("sync"), hub.seq("contacts")

    for restart in (False, True):
        if restart:
            hub.restart(ending)
        for call in (add, sync):
            header, reply, _ = hub.ask(*call, request_id=f"once-{call[0]}")
            assert header.get("replayed") is True
            assert "status" not in header
            assert reply == first[call[0]][1]
            assert header.get("effects") == first[call[0]][0].get("effects")
    assert len(hub.reply("Contacts/ListSources")["sources"]) == 1
    assert (hub.seq("sync"), hub.seq("contacts")) == positions
    assert len(list(pages(hub, "Contacts/List", "contacts"))) == 20


def test_key_is_kept_apart_from_request_id(hub, tmp_path):
    body = {"name": "home", "vdir": {"path": str(tmp_path)}}
    assert "replayed" not in hub.ask("Contacts/AddSource", body, request_id="r-1", key="k-1")[0]
    header, _, _ = hub.ask("Contacts/AddSource", body, request_id="r-2", key="k-1")
    assert header.get("replayed") is True and header["requestId"] == "r-2"
    other = {"name": "other", "vdir": {"path": str(tmp_path)}}
    assert hub.error("Contacts/AddSource", other, request_id="r-3", key="k-1") == (
        "INVALID_ARGUMENT", "IDEMPOTENCY_KEY_REUSED")
    assert hub.error("Contacts/AddSource", body, request_id="r-4")[0] == "ALREADY_EXISTS"
    assert [source["name"] for source in hub.reply("Contacts/ListSources")["sources"]] == ["home"]


def test_cancelled_sync_stops_and_a_later_one_completes(hub, tmp_path):
    folder = tmp_path / "cards"
    cards.make(3000, folder)
    hub.reply("Contacts/AddSource", {"name": "home", "vdir": {"path": str(folder)}})
    started = []

    def cancel(header, body):
        if not started:
            started.append(hub.reply("System/Cancel", {"requestId": "long"}))

    # The first PARTIAL comes while the pass runs.
    header, _, _ = hub.ask("Contacts/Sync", {}, request_id="long", timeout=300, on_partial=cancel)
    assert started == [{"cancelled": True}]
    assert (header["status"]["code"], header["status"]["reason"]) == ("CANCELLED", "CANCELLED_BY_USER")
    assert hub.reply("System/Cancel", {"requestId": "long"}) == {}

    (status,) = hub.reply("Contacts/Sync", {}, timeout=300)["sources"]
    assert (status["state"], status["live"]) == ("COMPLETED", 3000)


def test_reading_while_a_pass_runs_does_not_wait_for_it(hub, tmp_path):
    folder = tmp_path / "cards"
    cards.make(2000, folder)
    hub.reply("Contacts/AddSource", {"name": "home", "vdir": {"path": str(folder)}})
    answers = []

    def read(header, body):
        if len(answers) < 3:
            answers.append(hub.ask("Contacts/List", {"limit": 5}, timeout=60)[0])

    (status,) = hub.ask("Contacts/Sync", {}, timeout=300, on_partial=read)[1]["sources"]
    assert status["live"] == 2000
    assert answers and all("status" not in header for header in answers)


def test_second_daemon_on_the_same_state_is_refused(hub):
    line = hub.command_line()
    line[line.index("--runtime-dir") + 1] = hub.directory / "other"
    other = subprocess.run(line, capture_output=True, text=True, timeout=60)
    assert other.returncode == 1
    assert "Another kithd" in other.stderr and str(hub.process.pid) in other.stderr
    assert hub.reply("System/Status")


def test_any_method_is_sent_from_the_command_line(hub):
    entry = ("call", "Care/Record", '{"category": "meal", "memo": "Soup"}', "--idempotency-key", "soup-1")
    first, again = (kith(hub, *entry) for _ in range(2))
    assert first.returncode == 0, first.stderr
    assert json.loads(first.stdout) == json.loads(again.stdout) and len(hub.reply("Care/List")["records"]) == 1
    assert json.loads(kith(hub, "call", "kith.v1.Care/List").stdout)["records"][0]["memo"] == "Soup"
    refused = kith(hub, "call", "Care/Record", '{"category": "nothing"}')
    assert refused.returncode == 1 and "category" in refused.stderr
    unknown = kith(hub, "call", "xyzzy")
    assert unknown.returncode != 0 and "xyzzy" in unknown.stderr and "docs/services.md" in unknown.stderr
    mistyped = kith(hub, "call", "strat")
    assert mistyped.returncode == 2 and "Did you mean: kith call start" in mistyped.stderr
    help = kith(hub, "call")
    assert help.returncode == 0 and "timeline" in help.stdout
