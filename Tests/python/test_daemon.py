"""The process itself: one of it, ended in order or not, with doors closed to others and nothing said that is private."""
import contextlib
import json
import pathlib
import re
import signal
import socket
import stat
import subprocess
import time

import pytest

from conftest import BINARIES, CONFIGURATION, Wire
from send import HubNotRunning, command
from trials import (
    NOBODY, STREAMS, AddressBook, acting_as, add_folder, contacts, daemon, dense, make_folder, needs_root, pages, sync,
    without_marks)


@contextlib.contextmanager
def syncing(hub, name):
    """A pass that has begun; gives the socket that it was asked for on."""
    wire = Wire(hub.control)
    try:
        end, is_over = time.monotonic() + 90, True
        while True:
            if is_over:
                wire.send("kith.v1.Contacts/Sync", json.dumps({"sources": [name], "full": True}).encode())
            (state,) = [status for status in hub.reply("System/Status")["sync"] if status["source"] == f"contacts:{name}"]
            if state["state"] == "SYNCING":
                break
            assert time.monotonic() < end, state
            # One that was faster than this looks is followed by another.
            frames = wire.receive(0.01)
            is_over = frames is not None and frames[1] == b"\x03"
        yield wire
    finally:
        wire.close()


@pytest.fixture
def hub():
    with daemon() as hub:
        yield hub


def plane(hub, name):
    (found,) = [plane for plane in hub.reply("System/Status")["planes"] if plane["name"] == name]
    return found.get("connections", 0), int(found.get("failedHandshakes", 0))


def eventually(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_who_is_connected_is_counted(hub):
    # Those of the questions themselves may still be on their way out.
    eventually(lambda: plane(hub, "control")[0] == 1)
    wires = [Wire(hub.control) for _ in range(5)]
    try:
        eventually(lambda: plane(hub, "control")[0] == 6)
        assert plane(hub, "work") == (0, 0)
    finally:
        for wire in wires:
            wire.close()
    eventually(lambda: plane(hub, "control")[0] == 1)
    with socket.socket(socket.AF_UNIX) as stranger:
        stranger.connect(hub.events.removeprefix("ipc://"))
        # A greeting of ZMTP 3.0 that wants another mechanism than the one there is.
        stranger.sendall(b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"PLAIN".ljust(20, b"\0") + bytes(32))
        eventually(lambda: plane(hub, "events")[1] == 1)


def start_other(hub, state, runtime):
    line = hub.command_line()
    line[line.index("--state-dir") + 1] = state
    line[line.index("--runtime-dir") + 1] = runtime
    return subprocess.run(line, capture_output=True, text=True, timeout=30)


def test_a_second_one_is_refused(hub):
    pid = str(hub.process.pid)
    state, runtime = hub.directory / "state", hub.runtime
    for other in (start_other(hub, state, hub.directory / "elsewhere"), start_other(hub, hub.directory / "elsewhere", runtime)):
        assert other.returncode == 1, other
        assert re.search(rf"\b{pid}\b", other.stderr), f"the process is not named: {other.stderr}"
        assert hub.reply("System/Ping") == {}
    assert hub.end() == 0
    print("a second kithd on the state or the runtime directory: refused with the process named, exit 1")


def test_a_key_that_was_never_written_is_made(tmp_path):
    """What a kill in the first second of the first start may leave behind. Another damage is for a person to judge."""
    with daemon(start=False) as hub:
        key = hub.directory / "state" / "content.key"
        key.parent.mkdir(mode=0o700)
        key.write_bytes(b"")
        hub.start()
        assert hub.end() == 0
        made = key.read_bytes()
        assert len(made) == 32 and stat.S_IMODE(key.stat().st_mode) == 0o600
        hub.start()
        assert hub.end() == 0 and key.read_bytes() == made
        key.write_bytes(made[:7])
        assert subprocess.run(hub.command_line(), capture_output=True, timeout=30).returncode == 1
        assert key.read_bytes() == made[:7]


def test_a_reader_of_its_log_that_ends_does_not_end_it():
    with daemon(start=False) as hub:
        hub.process = subprocess.Popen(hub.command_line(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        hub.process.stderr.readline()
        hub.process.stderr.close()
        end = time.monotonic() + 60
        while True:
            try:
                hub.reply("System/Ping")
                break
            except HubNotRunning:
                assert hub.process.poll() is None and time.monotonic() < end
                time.sleep(0.02)
        # It says that it stops, to nobody.
        assert hub.end() == 0


def test_sigterm_ends_it_in_order_also_in_a_pass(hub, tmp_path):
    make_folder(tmp_path / "cards", 600)
    add_folder(hub, "home", tmp_path / "cards")
    with syncing(hub, "home"):
        assert hub.end(signal.SIGTERM) == 0
    hub.start()
    assert hub.reply("System/Status")["storage"]["integrity"] == "SOUND"
    assert sync(hub, "home")["live"] == 600
    kinds = [event["event"]["system"]["kind"] for event in dense(hub, "system")]
    assert kinds == ["agent.started", "agent.stopping", "agent.started"]
    assert hub.end(signal.SIGINT) == 0
    assert not list(hub.runtime.glob("*.sock")), "sockets were left behind"


def test_sd_notify(hub):
    hub.end()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
        path = hub.directory / "notify"
        notify.bind(str(path))
        notify.settimeout(60)
        hub.start(NOTIFY_SOCKET=str(path))
        assert "READY=1" in notify.recv(1000).decode().split("\n")
        assert hub.end() == 0
        assert "STOPPING=1" in notify.recv(1000).decode().split("\n")
    print("sd_notify: READY=1 when it answers, STOPPING=1 when it ends")


def test_everything_is_private(hub, tmp_path):
    make_folder(tmp_path / "cards", 20)
    add_folder(hub, "home", tmp_path / "cards")
    sync(hub, "home")
    hub.reply("System/Backup")
    modes = {}
    for root in (hub.directory / "state", hub.runtime):
        for path in (root, *root.rglob("*")):
            modes[path.relative_to(hub.directory)] = stat.S_IMODE(path.lstat().st_mode), path.is_dir()
    assert {"control.sock", "events.sock"} <= {path.name for path in modes}
    open_ones = {str(path): oct(mode) for path, (mode, is_folder) in modes.items() if mode != (0o700 if is_folder else 0o600)}
    assert not open_ones, open_ones
    assert hub.end() == 0
    print(f"{len(modes)} files and folders: 0600 and 0700, all of them")


@needs_root
def test_other_users_are_refused(hub):
    # Doors as wide as they go: what refuses now is the hub alone.
    hub.directory.chmod(0o755)
    hub.runtime.chmod(0o755)
    for path in hub.runtime.glob("*.sock"):
        path.chmod(0o666)
    with acting_as(NOBODY):
        with pytest.raises(HubNotRunning):
            command(hub.control, "kith.v1.System/Ping", timeout=3)
        with socket.socket(socket.AF_UNIX) as raw:
            raw.connect(str(hub.runtime / "control.sock"))
    assert hub.reply("System/Ping") == {}
    assert hub.end() == 0
    with daemon(user=NOBODY) as theirs:
        assert theirs.reply("System/Hello")["principal"] == f"uid:{NOBODY}"
        # Root passes every mode of the file system.
        with pytest.raises(HubNotRunning):
            command(theirs.control, "kith.v1.System/Ping", timeout=3)
        told = subprocess.run([BINARIES / "kith", "--runtime-dir", theirs.runtime, "--json", "ping"],
                              capture_output=True, text=True, timeout=60)
        assert told.returncode and "PRINCIPAL_UNKNOWN" in told.stdout + told.stderr, told
        assert theirs.end() == 0
    print("another user, and root at another's hub: no answer, whatever the modes of the sockets are")


@pytest.mark.parametrize("text, key", [
    ("[contacts]\nsync_at_strat = true\n", "contacts.sync_at_strat"),
    ("[contacts]\nsync_every_minutes = \"often\"\n", "contacts.sync_every_minutes"),
    ("[contacts]\nsync_every_minutes = -1\n", "contacts.sync_every_minutes"),
    ("[monica]\ntime_limit_seconds = 901\n", "monica.time_limit_seconds"),
    ("[contacts]\nwatch_files = 1\n", "contacts.watch_files"),
    ("[log]\nlevel = \"loud\"\n", "log.level"),
    ("[weather]\nrain = true\n", "weather"),
    ("contacts = 3\n", "contacts"),
    ("[contacts\n", "line 1"),
    (None, "missing.toml"),
])
def test_configuration(tmp_path, text, key):
    with daemon(start=False) as hub:
        path = hub.directory / "config.toml"
        path.write_text(text) if text else path.unlink()
        line = hub.command_line()
        if text is None:
            line[line.index("--config") + 1] = tmp_path / "missing.toml"
        done = subprocess.run(line, capture_output=True, text=True, timeout=30)
        assert done.returncode == 2, done
        assert key in done.stderr, done.stderr
        assert not (hub.directory / "state").exists(), "something was opened before the configuration was read"
    print(f"{key}: exit 2, {done.stderr.strip()}")


def test_unknown_option_is_usage(hub):
    done = subprocess.run([*hub.command_line(), "--fast"], capture_output=True, text=True, timeout=30)
    assert done.returncode == 2 and "--fast" in done.stderr, done
    print("an unknown option: exit 2")


def test_start_after_a_kill_is_clean(hub, tmp_path):
    make_folder(tmp_path / "cards", 300)
    add_folder(hub, "home", tmp_path / "cards")
    sync(hub, "home")
    before, heads = contacts(hub, "home"), {stream: hub.seq(stream) for stream in STREAMS}
    with syncing(hub, "home"):
        assert hub.end(signal.SIGKILL) == -signal.SIGKILL
    hub.start()
    end = time.monotonic() + 60
    seen = set()
    while (integrity := hub.reply("System/Status")["storage"]["integrity"]) != "SOUND":
        seen.add(integrity)
        assert integrity == "CHECKING" and time.monotonic() < end, integrity
    assert contacts(hub, "home") == before
    for stream in STREAMS:
        dense(hub, stream)
        assert hub.seq(stream) >= heads[stream]
    assert hub.end() == 0
    print(f"killed in a pass: started again, integrity {sorted(seen)} then SOUND, contacts as they were")


def fetch(hub, blob):
    data = b""
    while len(data) < int(blob["size"]):
        _, _, (piece,) = hub.ask("System/BlobGet", {"sha256": blob["sha256"], "offset": str(len(data))})
        data += piece
    return data


def test_backup_in_a_pass_can_be_restored(hub, tmp_path):
    book = AddressBook(tmp_path / "cards", 300, 5)
    add_folder(hub, "home", book.folder)
    sync(hub, "home")
    before = contacts(hub, "home")
    book.edit(100)
    with syncing(hub, "home"):
        blob = hub.reply("System/Backup", request_id="backup", timeout=60)
    backup = fetch(hub, blob)
    assert sync(hub, "home")["state"] == "COMPLETED"
    after, epoch = contacts(hub, "home"), hub.reply("System/Snapshot", {"stream": "sync"})["position"]["epoch"]
    assert hub.end() == 0

    with daemon(start=False) as other:
        (other.directory / "state").mkdir(mode=0o700)
        (other.directory / "state" / "kith.db").write_bytes(backup)
        other.start()
        assert other.reply("System/Snapshot", {"stream": "sync"})["position"]["epoch"] != epoch
        assert other.error("System/Replay", {"stream": "sync", "epoch": epoch, "afterSeq": "0"}) == (
            "OUT_OF_RANGE", "EPOCH_CHANGED")
        held = contacts(other, "home")
        assert {name: contact["id"] for name, contact in held.items()} == {name: contact["id"] for name, contact in before.items()}
        # The backup shows one moment of the pass: each contact is as before it or as after it.
        mixed = {name: without_marks(contact) for name, contact in held.items()}
        assert all(mixed[name] in (without_marks(before[name]), without_marks(after[name])) for name in mixed)
        assert sync(other, "home", full=True)["state"] == "COMPLETED"
        restored = contacts(other, "home")
        assert {name: without_marks(contact) for name, contact in restored.items()} == {
            name: without_marks(contact) for name, contact in after.items()}
        assert {name: contact["id"] for name, contact in restored.items()} == {name: contact["id"] for name, contact in after.items()}
        photos = [contact["photo"] for contact in restored.values() if "photo" in contact]
        # Cards that are made here, where the sample cards are absent, have none.
        assert bool(photos) == any(b"PHOTO" in card for card in book.good.values())
        for photo in photos[:1]:
            assert len(fetch(other, photo)) == int(photo["size"])
        assert other.reply("System/Status")["storage"]["integrity"] in ("SOUND", "CHECKING")
        assert other.end() == 0
    print(f"backup of {len(backup) >> 10} KiB in a pass, restored elsewhere: a new epoch, the same contacts and ids")


def private_texts(contact):
    """Every text of a contact that tells something of a person."""
    def texts(value):
        if isinstance(value, dict):
            for inner in value.values():
                yield from texts(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from texts(inner)
        elif isinstance(value, str):
            yield value
    shown = {key: contact.get(key) for key in ("formattedName", "name", "nickname", "organization", "title", "note", "birthday")}
    values = [entry.get("value") for field in ("phones", "emails", "urls") for entry in contact.get(field, [])]
    addresses = [entry.get(field) for entry in contact.get("addresses", []) for field in ("street", "city")]
    return {text for text in texts([shown, values, addresses]) if len(text) >= 4}


def test_log_and_events_are_silent_about_people(tmp_path):
    configuration = CONFIGURATION + '[log]\nlevel = "trace"\n'
    with daemon(configuration=configuration) as hub:
        book = AddressBook(tmp_path / "cards", 120, 9)
        add_folder(hub, "home", book.folder)
        sync(hub, "home")
        book.spoil(5)
        book.edit(20)
        book.delete(3)
        for name in book.pick(3):
            (book.folder / name).write_bytes(book.good[name][:-20])
        sync(hub, "home")
        held = contacts(hub, "home", includeDeleted=True)
        texts = set().union(*map(private_texts, held.values()))
        hub.reply("Contacts/Search", {"text": sorted(texts)[0]})
        hub.ask("Contacts/Get", {"id": sorted(texts)[1]})
        hub.ask("Contacts/Restore", {"id": next(iter(held.values()))["id"]})
        hub.reply("Contacts/Export", {"format": "vcf"})
        problems = list(pages(hub, "Contacts/Problems", "problems"))
        events = json.dumps([dense(hub, stream) for stream in STREAMS], ensure_ascii=False)
        assert hub.end() == 0
        log = hub.log.read_text()
        assert "pass ended" in log and len(texts) > 300 and problems
        for place, said in (("log", log), ("events", events), ("problems", json.dumps(problems, ensure_ascii=False))):
            told = sorted(text for text in texts if text in said)
            assert not told, f"the {place} tell of people: {told[:5]}"
    print(f"log at trace ({len(log.splitlines())} lines), events and problems: none of {len(texts)} texts of cards in them")


def test_the_code_of_the_start_is_given_back(hub):
    """Half of a hub that has little to do is code that its start alone runs."""
    def size(name):
        text = pathlib.Path(f"/proc/{hub.process.pid}/status").read_text()
        return int(re.search(rf"{name}:\s+(\d+)", text)[1])
    # Now, and the most that it ever was.
    eventually(lambda: size("VmRSS") < 0.8 * size("VmHWM"), 60)
    hub.reply("System/Ping")
