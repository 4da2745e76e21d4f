"""A full disk: commands say so, nothing is half-written, and all goes on when there is room again."""
import contextlib
import hashlib
import itertools
import os
import subprocess

import pytest

from trials import CARDS, STREAMS, Daemon, add_folder, contacts, dense, make_folder, needs_root, sync
from workers import Frames, Home, one_effect

DISK = 16 << 20
FULL = ("RESOURCE_EXHAUSTED", "DISK_FULL")


class SmallDisk:
    """A hub whose state directory is a disk of its own, of sixteen mebibytes."""

    def __init__(self, hub=None):
        self.hub = hub or Daemon()
        self.path = self.hub.directory / "state"
        self.path.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "kith-trial", self.path], check=True)

    @property
    def filler(self):
        return self.path / "filler"

    def room(self):
        status = os.statvfs(self.path)
        return status.f_bavail * status.f_frsize

    def fill(self, leave=0):
        """Takes all room but `leave` bytes."""
        with open(self.filler, "ab") as file, contextlib.suppress(OSError):
            file.truncate(0)
            while self.room() > leave:
                os.write(file.fileno(), bytes(min(64 << 10, self.room() - leave)))

    def free(self):
        self.filler.unlink(missing_ok=True)

    def remove(self):
        if self.hub.process is not None:
            self.hub.process.kill()
            self.hub.process.wait()
            self.hub.process = None
        subprocess.run(["umount", self.path], check=True)
        self.hub.remove()


@pytest.fixture
def disk():
    disk = SmallDisk()
    try:
        disk.hub.start()
        yield disk
        assert disk.hub.end() == 0
    finally:
        disk.remove()


def state(hub):
    """What must not change while nothing can be stored."""
    return ({stream: hub.seq(stream) for stream in STREAMS},
            [source["name"] for source in hub.reply("Contacts/ListSources").get("sources", [])], contacts(hub))


def fails_full(hub, method, body, request_id):
    header, reply, _ = hub.ask(method, body, request_id=request_id)
    status = header.get("status", {})
    assert (status.get("code"), status.get("reason")) == FULL, header
    assert reply == {} and status["retryAfterMs"] > 0 and status["message"]


def use_up(hub, meanwhile=lambda: None):
    """Has SQLite use what room it has inside its files, by so many sources as are given back. Each time something else is done too."""
    for stored in range(5000):
        meanwhile()
        header, _, _ = hub.ask("Contacts/AddSource", {"name": f"s{stored}", "vdir": {"path": "/nowhere"}}, request_id=f"add-{stored}")
        if "status" in header:
            return stored
    raise AssertionError("the disk is never full")


@needs_root
def test_commands(disk, tmp_path):
    hub = disk.hub
    make_folder(tmp_path / "cards", 30)
    add_folder(hub, "home", tmp_path / "cards")
    assert sync(hub, "home")["live"] == 30
    disk.fill()
    stored = use_up(hub)
    before = state(hub)
    for _ in range(3):
        fails_full(hub, "Contacts/AddSource", {"name": f"s{stored}", "vdir": {"path": "/nowhere"}}, f"add-{stored}")
        fails_full(hub, "Contacts/RemoveSource", {"name": "home"}, "remove")
    assert state(hub) == before
    assert len(before[1]) == stored + 1 and len(before[2]) == 30
    assert hub.reply("System/Ping", {"echo": "aGk="}) == {"echo": "aGk="}

    disk.free()
    call = ("Contacts/AddSource", {"name": f"s{stored}", "vdir": {"path": "/nowhere"}})
    header, _, _ = hub.ask(*call, request_id=f"add-{stored}")
    assert "status" not in header and "replayed" not in header
    assert hub.ask(*call, request_id=f"add-{stored}")[0]["replayed"] is True
    assert hub.reply("Contacts/RemoveSource", {"name": "home"}, request_id="remove") == {"contactsRemoved": 30}
    for stream in STREAMS:
        dense(hub, stream)
    assert hub.seq("sync") == before[0]["sync"] + 2
    print(f"disk full after {stored} more commands: DISK_FULL, nothing changed; same ids succeed once there is room")


@needs_root
def test_pass(disk, tmp_path):
    hub = disk.hub
    folder = tmp_path / "cards"
    make_folder(folder, CARDS)
    add_folder(hub, "home", folder)
    # Room for a commit and not for all: how much that is depends on the cards.
    for half in itertools.count(1):
        disk.fill(leave=half << 19)
        fails_full(hub, "Contacts/Sync", {"sources": ["home"]}, f"pass-{half}")
        if held := contacts(hub, "home"):
            break
    assert len(held) < CARDS
    for stream in STREAMS:
        dense(hub, stream)
    told = {identity for event in dense(hub, "contacts") for identity in event["event"]["changed"]["ids"]}
    assert told == {contact["id"] for contact in held.values()}, "a contact without its event, or the other way round"

    disk.free()
    header, reply, _ = hub.ask("Contacts/Sync", {"sources": ["home"]}, request_id=f"pass-{half}", timeout=120)
    assert "status" not in header and "replayed" not in header, header
    (status,) = reply["sources"]
    assert (status["state"], status["live"]) == ("COMPLETED", CARDS), status
    after = contacts(hub, "home")
    assert {name: after[name]["id"] for name in held} == {name: contact["id"] for name, contact in held.items()}
    for stream in STREAMS:
        dense(hub, stream)
    print(f"disk full in a pass: {len(held)} of {CARDS} stored whole, DISK_FULL; the rest follows without a restart")


@needs_root
def test_upload(disk):
    hub = disk.hub
    blob = os.urandom(1 << 20)
    digest = hashlib.sha256(blob).hexdigest()
    chunk = 256 << 10

    def put(offset, piece):
        return hub.ask("System/BlobPut", {"sha256": digest, "offset": str(offset)}, attachments=[piece])

    assert hub.reply("System/BlobOpen", {"blob": {"sha256": digest, "size": str(len(blob))}}).get("nextOffset", "0") == "0"
    assert put(0, blob[:chunk])[1]["nextOffset"] == str(chunk)
    disk.fill(leave=100 << 10)
    header, _, _ = put(chunk, blob[chunk:2 * chunk])
    assert (header["status"]["code"], header["status"]["reason"]) == FULL
    reply = hub.reply("System/BlobOpen", {"blob": {"sha256": digest, "size": str(len(blob))}})
    assert reply["nextOffset"] == str(chunk), "half a piece was kept"

    disk.free()
    for offset in range(chunk, len(blob), chunk):
        assert "status" not in put(offset, blob[offset:offset + chunk])[0]
    assert put(len(blob), b"")[1]["complete"] is True
    read = b"".join(hub.ask("System/BlobGet", {"sha256": digest, "offset": str(offset)})[2][0] for offset in range(0, len(blob), chunk))
    assert read == blob
    print("disk full in an upload: DISK_FULL, no half piece, then completed from where it stood")


@needs_root
def test_backup(disk, tmp_path):
    hub = disk.hub
    folder = tmp_path / "cards"
    make_folder(folder, 300)
    add_folder(hub, "home", folder)
    assert sync(hub, "home")["live"] == 300
    disk.fill(leave=64 << 10)
    files = sorted(path.name for path in (disk.path / "blobs").rglob("*"))
    header, _, _ = hub.ask("System/Backup", request_id="backup", timeout=60)
    assert (header["status"]["code"], header["status"]["reason"]) == FULL, header
    assert sorted(path.name for path in (disk.path / "blobs").rglob("*")) == files, "the failed backup left something"
    disk.free()
    assert int(hub.reply("System/Backup", request_id="backup", timeout=60)["size"]) > 0
    print("disk full in a backup: DISK_FULL, nothing left behind; the same command succeeds once there is room")


@needs_root
def test_the_end_of_a_job_is_acknowledged_when_there_is_room_for_it():
    disk = SmallDisk(Home())
    try:
        home = disk.hub.start()
        with contextlib.closing(Frames(home).ready()) as worker:
            identity = home.speak()
            job, _, _ = worker.wait(0x02)
            disk.fill()
            use_up(home, lambda: worker.send(0x05, {"leaseIds": [job["leaseId"]]}))
            worker.final(job)
            with pytest.raises(AssertionError, match="no message"):
                worker.wait(0x13, 3)
            assert home.entry(identity)["state"] != "transcribed"
            disk.free()
            # A worker says it again until it is heard.
            worker.final(job)
            assert "duplicate" not in worker.wait(0x13, 60)[0]
            home.settled(identity)
            one_effect(home, identity, attempts=1)
    finally:
        disk.remove()
