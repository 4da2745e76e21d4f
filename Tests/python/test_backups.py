"""Backups that happen: one each day without anybody asking, checked before it counts, and restored when it is needed."""
import os
import pathlib
import random
import shutil
import signal
import stat
import subprocess
import time

import pytest

from conftest import BINARIES, Hub, seed, size
from keyed import eventually

ENTRIES = [f"Porridge, bowl {number}" for number in range(20)]


class House:
    """A hub that makes backups, and a folder for them."""

    def __init__(self, **settings):
        self.hub = Hub()
        self.folder = self.hub.directory / "backups"
        self.passphrase = self.hub.directory / "pass phrase"
        self.passphrase.write_text("correct horse\n")
        self.passphrase.chmod(0o600)
        self.plan(folder=self.folder, **settings)

    def plan(self, **settings):
        base = (self.hub.directory / "config.toml").read_text().partition("[backup]")[0]
        lines = [f"{key} = {value}" if isinstance(value, (bool, int, list)) else f'{key} = "{value}"'
                 for key, value in settings.items()]
        text = "\n".join(lines).replace("True", "true").replace("'", '"')
        (self.hub.directory / "config.toml").write_text(f"{base}[backup]\n{text}\n")

    def start(self):
        self.hub.start()
        return self

    def fill(self):
        for memo in ENTRIES:
            self.hub.reply("Care/Record", {"category": "meal", "memo": memo})

    def state(self):
        return self.hub.reply("Backups/List")

    def good(self):
        return [backup for backup in self.state().get("backups", []) if backup["state"] == "good"]

    def make(self):
        return self.folder / self.hub.reply("Backups/Make", timeout=120)["name"]

    def memos(self):
        records = self.hub.reply("Care/List", {"limit": 500}).get("records", [])
        return sorted(record["memo"] for record in records)

    def restore(self, path, *options, **environment):
        return subprocess.run(
            [BINARIES / "kithd", "restore", path, "--state-dir", self.hub.directory / "state", "--config",
             self.hub.directory / "config.toml", *options], capture_output=True, text=True, timeout=120,
            env={**os.environ, **environment})

    def remove(self):
        self.hub.remove()


@pytest.fixture
def house():
    house = House()
    try:
        yield house.start()
        assert house.hub.end() in (0, None)
    finally:
        house.remove()


@pytest.fixture
def locked():
    house = House(secrets=True)
    house.plan(folder=house.folder, secrets=True, passphrase_file=house.passphrase)
    try:
        yield house.start()
        assert house.hub.end() in (0, None)
    finally:
        house.remove()


def test_the_first_one_is_made_without_anybody_asking(house):
    eventually(house.good)
    backup, = house.good()
    path = house.folder / backup["name"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and path.stat().st_size == int(backup["size"])
    assert [file.name for file in house.folder.iterdir()] == [backup["name"]]
    state = house.state()
    assert state["lastGood"] == backup["made"] and state["next"] > backup["made"] and "fault" not in state
    names = subprocess.run(["tar", "-tf", path], capture_output=True, text=True, check=True).stdout.split()
    assert "./kith.db" in names and "./manifest.json" in names and not any("key" in name for name in names)


def test_everything_comes_back_on_another_machine(house):
    house.fill()
    path = house.make()
    other = House()
    try:
        run = other.restore(path)
        assert run.returncode == 0 and "before-restore-" in run.stdout, run.stderr
        other.start()
        assert other.memos() == sorted(ENTRIES)
    finally:
        other.remove()


def test_what_was_there_before_a_restore_is_kept(house):
    house.fill()
    path = house.make()
    house.hub.reply("Care/Record", {"category": "meal", "memo": "after the backup"})
    busy = house.restore(path)
    assert busy.returncode == 1 and "uses this state directory" in busy.stderr
    assert house.hub.end() == 0
    assert house.restore(path).returncode == 0
    before, = (house.hub.directory / "state").glob("before-restore-*")
    house.start()
    assert house.memos() == sorted(ENTRIES)
    house.hub.end()
    for file in (house.hub.directory / "state").glob("kith.db*"):
        file.unlink()
    for file in before.iterdir():
        shutil.move(file, house.hub.directory / "state" / file.name)
    house.start()
    assert "after the backup" in house.memos()


def test_an_encrypted_one_is_opened_by_gpg_and_tar(locked, tmp_path):
    locked.fill()
    path = locked.make()
    assert b"Porridge" not in path.read_bytes()
    assert not subprocess.run(["pgrep", "-f", f"gpg-agent.*{locked.hub.directory}"], capture_output=True).stdout
    (tmp_path / "gnupg").mkdir(mode=0o700)
    # As docs/operations.md has it, with a passphrase that is not typed.
    plain = subprocess.run(
        ["gpg", "--homedir", tmp_path / "gnupg", "--batch", "--pinentry-mode", "loopback", "--no-autostart", "--passphrase-file",
         locked.passphrase, "--decrypt", path], capture_output=True, check=True).stdout
    names = subprocess.run(["tar", "-t"], input=plain, capture_output=True, check=True).stdout.decode().split()
    assert {"./kith.db", "./manifest.json", "./content.key"} <= set(names)


def test_a_wrong_passphrase_changes_nothing(locked):
    locked.fill()
    path = locked.make()
    assert locked.hub.end() == 0
    key = (locked.hub.directory / "state" / "content.key").read_bytes()
    locked.passphrase.write_text("wrong\n")
    refused = locked.restore(path)
    assert refused.returncode == 1 and "passphrase" in refused.stderr
    locked.passphrase.write_text("correct horse\n")
    locked.start()
    assert locked.memos() == sorted(ENTRIES)
    locked.hub.end()
    (locked.hub.directory / "state" / "content.key").unlink()
    assert locked.restore(path).returncode == 0
    assert (locked.hub.directory / "state" / "content.key").read_bytes() == key
    locked.start()
    assert locked.memos() == sorted(ENTRIES)


@pytest.mark.parametrize("place", [0.3, 0.6, 0.9])
def test_a_damaged_one_is_refused_and_changes_nothing(house, place):
    house.fill()
    path = house.make()
    damaged = bytearray(path.read_bytes())
    damaged[int(len(damaged) * place)] ^= 0xFF
    path.write_bytes(damaged)
    house.hub.end()
    refused = house.restore(path)
    assert refused.returncode == 1 and "damaged" in refused.stderr, refused.stderr
    assert not list((house.hub.directory / "state").glob("before-restore-*"))
    house.start()
    assert house.memos() == sorted(ENTRIES)


def test_a_kill_during_a_backup_leaves_nothing_and_the_next_one_is_good(house):
    chance = random.Random(seed(20261125))
    eventually(house.good)
    house.fill()
    for _ in range(size(6, 40)):
        frames = subprocess.Popen(
            [BINARIES / "kith", "--runtime-dir", house.hub.runtime, "backup", "now"], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        time.sleep(chance.random() * 0.4)
        house.hub.restart(signal.SIGKILL)
        frames.wait(60)
        assert {file.name for file in house.folder.iterdir()} >= {backup["name"] for backup in house.good()}
        # A command that was under way is run again by the hub that comes back.
        eventually(lambda: not (house.hub.directory / "state" / "backup.scratch").exists())
        assert not list(house.folder.glob("*.partial"))
    assert house.make().exists()
    assert house.memos() == sorted(ENTRIES)


def test_a_killed_restore_is_finished_by_the_next_one(house):
    chance = random.Random(seed(20261126))
    house.fill()
    path = house.make()
    house.hub.reply("Care/Record", {"category": "meal", "memo": "after the backup"})
    house.hub.end()
    state = house.hub.directory / "state"
    for _ in range(size(10, 100)):
        run = subprocess.Popen(
            [BINARIES / "kithd", "restore", path, "--state-dir", state], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.random() * 0.12)
        run.kill()
        run.wait()
        if (state / "restore.unfinished").exists():
            start = subprocess.run(house.hub.command_line(), capture_output=True, text=True, timeout=60)
            assert start.returncode == 1 and "kithd restore" in start.stderr + start.stdout
            assert (state / "before-restore" / "kith.db").exists() or (state / "kith.db").exists()
    assert house.restore(path).returncode == 0
    house.start()
    assert house.memos() == sorted(ENTRIES)


def test_a_folder_that_cannot_be_written_is_said_and_tried_again(house):
    eventually(house.good)
    shutil.rmtree(house.folder)
    house.folder.write_text("a file is in the way")
    code, reason = house.hub.error("Backups/Make", timeout=60)
    assert reason == "BACKUP_FAILED", (code, reason)
    assert "backups" in house.state()["fault"]
    for command in "status", "doctor":
        run = subprocess.run(
            [BINARIES / "kith", "--runtime-dir", house.hub.runtime, command], capture_output=True, text=True,
            env={**os.environ, "LC_ALL": "C.UTF-8"})
        assert "No backup came of" in run.stdout and "kith backup now" in run.stdout, run.stdout
    house.folder.unlink()
    assert house.make().exists() and "fault" not in house.state()


def test_the_configured_program_gets_each_one(house):
    eventually(house.good)
    taken = house.hub.directory / "taken"
    house.hub.end()
    house.plan(folder=house.folder, command=["/bin/cp", "--target-directory", str(taken)])
    house.start()
    name = house.make().name
    assert "did not take the backup" in house.state()["fault"] and house.good()[0]["name"] == name
    taken.mkdir()
    name = house.make().name
    assert (taken / name).exists(), house.state()


def test_without_a_folder_it_says_what_to_do(hub):
    assert hub.reply("Backups/List") == {}
    assert hub.error("Backups/Make") == ("FAILED_PRECONDITION", "BACKUP_NOT_CONFIGURED")
    run = subprocess.run([BINARIES / "kith", "--runtime-dir", hub.runtime, "backup", "list"], capture_output=True, text=True)
    assert "[backup]" in run.stdout


def test_a_copy_that_kith_backup_wrote_is_restored_too(house):
    house.fill()
    path = pathlib.Path(house.hub.directory / "copy.db")
    subprocess.run([BINARIES / "kith", "--runtime-dir", house.hub.runtime, "backup", path], check=True, capture_output=True)
    house.hub.end()
    assert house.restore(path).returncode == 0
    house.start()
    assert house.memos() == sorted(ENTRIES)
