"""Backups that happen: one each day without anybody asking, checked before it counts, under clocks, disks and deaths that come."""
import os
import random
import shutil
import signal
import stat
import subprocess
import time

import pytest

from backup_house import ENTRIES, House, house, locked, sealed  # noqa: F401
from conftest import BINARIES, seed, size
from keyed import eventually
from test_clock_back import LIBRARIES, needs_faketime


def test_the_first_one_is_made_without_anybody_asking(house):
    assert eventually(house.good)
    backup, = house.good()
    path = house.folder / backup["name"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and path.stat().st_size == int(backup["size"])
    assert [file.name for file in house.folder.iterdir()] == [backup["name"]]
    state = house.state()
    assert state["lastGood"] == backup["made"] and state["next"] > backup["made"] and "fault" not in state
    names = subprocess.run(["tar", "-tf", path], capture_output=True, text=True, check=True).stdout.split()
    assert "./kith.db" in names and "./manifest.json" in names and not any("key" in name for name in names)


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


def test_one_for_a_public_key_is_opened_by_age_and_tar_with_the_private_one_alone(sealed):
    sealed.fill()
    path = sealed.make()
    assert sealed.good() and sealed.good()[0]["encrypted"]
    opened = subprocess.run(["age", "--decrypt", "--identity", sealed.identity, path], capture_output=True, check=True).stdout
    names = subprocess.run(["tar", "-t"], input=opened, capture_output=True, check=True).stdout.decode().split()
    assert {"./kith.db", "./manifest.json", "./content.key"} <= set(names)
    # The key by which kithd checked it is gone, and with it the last one that this machine had.
    state = sealed.hub.directory / "state"
    keys = [file for file in state.rglob("*") if file.is_file() and b"AGE-SECRET-KEY" in file.read_bytes()]
    assert not keys and b"Porridge" not in path.read_bytes()


def test_public_keys_that_others_could_add_to_are_refused(sealed):
    def refused():
        assert sealed.hub.error("Backups/Make", timeout=120) == ("INTERNAL", "BACKUP_FAILED")
        return sealed.state()["fault"]

    sealed.recipients.chmod(0o666)
    assert "chmod 644" in refused()
    sealed.recipients.unlink()
    assert "is missing" in refused()
    sealed.recipients.write_text("age1nonsense\n")
    sealed.recipients.chmod(0o644)
    assert "Check the public keys" in refused()
    if os.getuid() == 0:
        os.chown(sealed.recipients, 4711, 4712)
        assert "chown root" in refused()
        os.chown(sealed.recipients, 0, 0)
    assert {file.name for file in sealed.folder.iterdir()} == {backup["name"] for backup in sealed.good()}


def test_public_keys_behind_a_link_are_judged_by_their_own_file(sealed):
    keys = sealed.recipients.rename(sealed.hub.directory / "keys of the house")
    sealed.recipients.symlink_to(keys)
    assert sealed.make().exists()
    keys.chmod(0o664)
    assert sealed.hub.error("Backups/Make", timeout=120) == ("INTERNAL", "BACKUP_FAILED")
    assert "chmod 644" in sealed.state()["fault"]


def ask_for_one(house):
    return subprocess.Popen(
        [BINARIES / "kith", "--runtime-dir", house.hub.runtime, "backup", "now"], stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)


def test_a_kill_during_a_backup_leaves_nothing_and_the_next_one_is_good(house):
    chance = random.Random(seed(20261125))
    assert eventually(house.good)
    house.fill()
    for _ in range(size(6, 40)):
        asker = ask_for_one(house)
        time.sleep(chance.random() * 0.4)
        house.hub.restart(signal.SIGKILL)
        # A command that was under way is run again by the hub that comes back.
        asker.wait(60)
        assert eventually(house.is_settled)
        assert not (house.hub.directory / "state" / "backup.scratch").exists()
    assert house.make().exists()
    assert house.memos() == sorted(ENTRIES)


@pytest.mark.parametrize("point", ["backup_checked", "backup_named", "backup_stored"])
def test_a_kill_at_each_step_of_a_backup_leaves_files_and_rows_alike(house, point):
    assert eventually(house.good)
    house.fill()
    house.hub.end()
    house.hub.environment["KITH_FAULT_POINT"] = f"{point}:1"
    house.start()
    asker = ask_for_one(house)
    house.hub.killed()
    del house.hub.environment["KITH_FAULT_POINT"]
    house.start()
    # A command that was under way is run again by the hub that comes back.
    assert asker.wait(120) == 0
    assert eventually(house.is_settled)


def test_an_ordinary_stop_during_a_backup_is_no_failure(house):
    chance = random.Random(seed(20261127))
    assert eventually(house.good)
    for _ in range(size(4, 20)):
        asker = ask_for_one(house)
        time.sleep(chance.random() * 0.3)
        assert house.hub.restart(signal.SIGTERM) == 0
        asker.kill()
        asker.wait()
        assert "fault" not in house.state()
        assert eventually(house.is_settled)


def test_a_passphrase_that_others_may_read_is_refused(locked):
    locked.passphrase.chmod(0o644)
    assert locked.hub.error("Backups/Make", timeout=60) == ("FAILED_PRECONDITION", "SECRET_UNREADABLE")
    assert "chmod 600" in locked.state()["fault"]
    locked.passphrase.chmod(0o600)
    assert locked.make().exists()


def test_passwords_without_a_passphrase_are_refused(unstarted):
    with open(unstarted.directory / "config.toml", "a") as file:
        file.write(f'[backup]\nfolder = "{unstarted.directory}/backups"\nsecrets = true\n')
    run = subprocess.run(unstarted.command_line(), capture_output=True, text=True, timeout=60)
    assert run.returncode == 2 and "passphrase_file" in run.stderr


def test_two_households_share_a_folder(house):
    other = House()
    try:
        other.folder = house.folder
        other.plan(folder=house.folder, keep_days=1, keep_weeks=0, keep_months=0)
        other.start()
        assert eventually(house.good)
        assert eventually(other.good)
        mine = {backup["name"] for backup in house.good()}
        for _ in range(3):
            other.make()
        assert len(other.good()) == 1 and house.files() == mine | {other.good()[0]["name"]}
    finally:
        other.remove()


def under_another_clock(house, by):
    # Under the library a Swift program does not see its arguments.
    hub = house.hub
    places = {"KITH_STATE_DIR": hub.directory / "state", "KITH_RUNTIME_DIR": hub.runtime, "KITH_CONFIG": hub.directory / "config.toml"}
    hub.environment = {"LD_PRELOAD": str(LIBRARIES[-1]), "FAKETIME": by, "FAKETIME_DONT_FAKE_MONOTONIC": "1",
                       **{name: str(place) for name, place in places.items()}}
    house.start()
    hub.environment = {}


@needs_faketime
def test_a_clock_that_was_ahead_costs_no_backup():
    house = House(keep_days=1, keep_weeks=0, keep_months=0)
    try:
        under_another_clock(house, "+400d")
        assert eventually(house.good)
        ahead, = house.files()
        assert house.hub.end() == 0
        house.start()
        assert eventually(lambda: "lastGood" in house.state())
        assert eventually(house.is_settled)
        assert len(house.files()) == 2 and ahead in house.files()
        new = house.make().name
        assert eventually(house.is_settled)
        assert house.files() == {ahead, new} and house.state()["next"] > house.state()["lastGood"]
    finally:
        house.remove()


@needs_faketime
def test_under_a_clock_that_stands_before_the_release_none_is_made():
    house = House()
    try:
        under_another_clock(house, "-4000d")
        assert house.hub.error("Backups/Make") == ("FAILED_PRECONDITION", "CLOCK_UNSET")
        assert "clock" in house.state()["fault"] and not house.folder.exists()
    finally:
        house.remove()


def test_a_folder_that_cannot_be_written_is_said_and_tried_again(house):
    assert eventually(house.good)
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
        japanese = subprocess.run(
            [BINARIES / "kith", "--runtime-dir", house.hub.runtime, command], capture_output=True, text=True,
            env={**os.environ, "LC_ALL": "ja_JP.UTF-8"})
        assert f"バックアップ {house.folder}" in japanese.stdout and "No backup" not in japanese.stdout, japanese.stdout
    house.folder.unlink()
    house.hub.error("Backups/Make", timeout=60)
    assert "Mount its disk" in house.state()["fault"] and not house.folder.exists()
    house.folder.mkdir()
    assert house.make().exists() and "fault" not in house.state()


def test_the_configured_program_gets_each_one(house):
    assert eventually(house.good)
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
