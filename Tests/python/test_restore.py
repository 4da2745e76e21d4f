"""A backup that is needed: it comes back whole, whatever happens meanwhile, and what was there before is kept."""
import fcntl
import hashlib
import json
import os
import pathlib
import pty
import random
import shutil
import signal
import struct
import subprocess
import tarfile
import termios
import time

import pytest

from backup_house import ENTRIES, LATER, House, house, locked, sealed  # noqa: F401
from conftest import BINARIES, seed, size


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


def test_one_for_a_public_key_comes_back_with_the_private_one(sealed):
    sealed.fill()
    path = sealed.make()
    assert sealed.hub.end() == 0
    key = sealed.hub.directory / "state" / "content.key"
    secret = key.read_bytes()
    key.unlink()
    refused = sealed.restore(path)
    assert refused.returncode == 1 and "--identity-file" in refused.stderr
    other = sealed.hub.directory / "another"
    subprocess.run(["age-keygen", "-o", other], check=True, capture_output=True)
    refused = sealed.restore(path, "--identity-file", other)
    assert refused.returncode == 1 and "has the private key of this backup" in refused.stderr
    assert not key.exists() and not list((sealed.hub.directory / "state").glob("before-restore-*"))
    assert sealed.restore(path, "--identity-file", sealed.identity).returncode == 0
    assert key.read_bytes() == secret
    sealed.start()
    assert sealed.memos() == sorted(ENTRIES)


def refuses_what_others_may_read(house, file, path, *options):
    """A restore with a secret that others may read changes nothing; with the same secret, kept, it restores."""
    assert house.hub.end() == 0
    for mode in 0o644, 0o640:
        file.chmod(mode)
        refused = house.restore(path, *options)
        assert refused.returncode == 1 and f"chmod 600 {file}" in refused.stderr, refused.stderr
    assert not list((house.hub.directory / "state").glob("before-restore-*"))
    file.chmod(0o600)
    assert house.restore(path, *options).returncode == 0
    house.start()
    assert house.memos() == sorted(ENTRIES)


def test_a_private_key_that_others_may_read_is_refused(sealed):
    sealed.fill()
    refuses_what_others_may_read(sealed, sealed.identity, sealed.make(), "--identity-file", sealed.identity)


@pytest.mark.parametrize("named", [True, False])
def test_a_passphrase_that_others_may_read_opens_nothing(locked, named):
    locked.fill()
    path = locked.make()
    refuses_what_others_may_read(locked, locked.passphrase, path, *(["--passphrase-file", locked.passphrase] if named else []))


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


def two_backups(house):
    """A hub that is stopped, and two backups: each lacks what was recorded after it."""
    house.fill()
    # Of one day only the newest stays.
    first = shutil.copy(house.make(), house.hub.directory / "first.tar")
    house.hub.reply("Care/Record", {"category": "meal", "memo": LATER[0]})
    second = house.make()
    house.hub.reply("Care/Record", {"category": "meal", "memo": LATER[1]})
    house.hub.end()
    return first, second


def cannot_start(house):
    start = subprocess.run(house.hub.command_line(), capture_output=True, text=True, timeout=60)
    assert start.returncode == 1 and "kithd restore" in start.stderr + start.stdout


STEPS = ["restore_marked:1", *(f"restore_moved:{count}" for count in range(1, 5)), "restore_exchanged:1"]


@pytest.mark.parametrize("step", STEPS)
def test_a_restore_that_was_killed_is_begun_anew_with_any_backup(house, step):
    first, second = two_backups(house)
    for path, memos in (first, ENTRIES), (second, [*ENTRIES, LATER[0]]):
        assert house.restore(first, KITH_FAULT_POINT=step).returncode == -signal.SIGKILL
        cannot_start(house)
        # What was put back half is put back whole by the next run.
        assert house.restore(path, KITH_FAULT_POINT="restore_undone:1").returncode in (-signal.SIGKILL, 0)
        run = house.restore(path)
        assert run.returncode == 0, run.stderr
        assert set(ENTRIES + LATER) in house.kept().values()
        house.start()
        assert house.memos() == sorted(memos)
        house.hub.end()


def test_a_restore_that_was_killed_is_undone_by_one_that_is_refused(house):
    first, _ = two_backups(house)
    assert house.restore(first, KITH_FAULT_POINT="restore_exchanged:1").returncode == -signal.SIGKILL
    cannot_start(house)
    assert house.restore(house.folder / "missing.tar").returncode == 1
    house.start()
    assert house.memos() == sorted(ENTRIES + LATER)


def test_a_restore_that_is_killed_at_any_time_loses_nothing(house):
    chance = random.Random(seed(20261126))
    first, _ = two_backups(house)
    for _ in range(size(10, 100)):
        run = subprocess.Popen(
            [BINARIES / "kithd", "restore", first, "--state-dir", house.hub.directory / "state"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.random() * 0.12)
        run.kill()
        run.wait()
    assert house.restore(first).returncode == 0
    assert set(ENTRIES + LATER) in house.kept().values()
    house.start()
    assert house.memos() == sorted(ENTRIES)
    assert not (house.hub.directory / "state" / "restore.scratch").exists()


def test_what_no_backup_has_is_not_restored(house, tmp_path):
    path = house.make()
    house.hub.end()
    with tarfile.open(path) as archive:
        archive.extractall(tmp_path / "content")
    (tmp_path / "content" / "config.toml").write_text("planted")
    manifest = json.loads((tmp_path / "content" / "manifest.json").read_text())
    manifest["files"]["config.toml"] = hashlib.sha256(b"planted").hexdigest()
    (tmp_path / "content" / "manifest.json").write_text(json.dumps(manifest))
    subprocess.run(["tar", "-cf", tmp_path / "made.tar", "-C", tmp_path / "content", "."], check=True)
    refused = house.restore(tmp_path / "made.tar")
    assert refused.returncode == 1 and "config.toml" in refused.stderr
    assert not (house.hub.directory / "state" / "config.toml").exists()


def test_a_copy_that_kith_backup_wrote_is_restored_too(house):
    house.fill()
    path = pathlib.Path(house.hub.directory / "copy.db")
    subprocess.run([BINARIES / "kith", "--runtime-dir", house.hub.runtime, "backup", path], check=True, capture_output=True)
    house.hub.end()
    assert house.restore(path).returncode == 0
    house.start()
    assert house.memos() == sorted(ENTRIES)


def test_kith_restore_says_that_kithd_has_to_be_stopped_and_then_restores(house):
    house.fill()
    path = house.make()
    house.hub.reply("Care/Record", {"category": "meal", "memo": LATER[0]})
    environment = {**os.environ, "KITH_STATE_DIR": str(house.hub.directory / "state"), "KITH_RUNTIME_DIR": str(house.hub.runtime),
                   "KITH_CONFIG": str(house.hub.directory / "config.toml")}

    def restore(*options, **locale):
        return subprocess.run(
            [BINARIES / "kith", "restore", path, *options], capture_output=True, text=True, timeout=120,
            env={**environment, **locale})

    refused = restore()
    assert refused.returncode == 1 and "systemctl --user stop kithd" in refused.stderr, refused.stderr
    house.hub.end()
    unasked = restore()
    assert unasked.returncode == 1 and "--yes" in unasked.stderr and "before-restore-TIME" in unasked.stderr, unasked.stderr
    run = restore("--yes", LC_ALL="ja_JP.UTF-8")
    assert run.returncode == 0 and "kithd を起動してください" in run.stdout, run.stderr
    house.start()
    assert house.memos() == sorted(ENTRIES)


def at_a_terminal(house, path, answer):
    """`kith restore` on a terminal of 80 columns, with the answer to its question; what it said, and how it ended."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(KITH_STATE_DIR=str(house.hub.directory / "state"), KITH_RUNTIME_DIR=str(house.hub.runtime),
                          KITH_CONFIG=str(house.hub.directory / "config.toml"), LC_ALL="C.UTF-8")
        os.execv(BINARIES / "kith", ["kith", "restore", str(path)])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    said = b""
    try:
        while piece := os.read(terminal, 4096):
            said += piece
            if said.endswith(b"[y/N] "):
                os.write(terminal, answer)
    except OSError:
        pass
    return said.decode(), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_person_is_asked_before_everything_is_replaced(house):
    house.fill()
    path = house.make()
    house.hub.reply("Care/Record", {"category": "meal", "memo": LATER[0]})
    house.hub.end()
    said, code = at_a_terminal(house, path, b"n\n")
    assert code == 1 and "Nothing was changed" in said and not house.kept(), said
    said, code = at_a_terminal(house, path, b"y\n")
    assert code == 0 and "The backup is in place" in said and len(house.kept()) == 1, said


def test_what_is_no_backup_is_called_so(house, tmp_path):
    assert house.hub.end() == 0
    (tmp_path / "letter.tar").write_text("Dear Ann,\n")
    for path in tmp_path / "letter.tar", tmp_path:
        refused = house.restore(path)
        assert refused.returncode == 1 and f"{path} is not a backup of Kith" in refused.stderr, refused.stderr
        assert "tar said" not in refused.stderr and "NSCocoa" not in refused.stderr
    assert "Kith のバックアップではありません" in house.restore(tmp_path, LC_ALL="ja_JP.UTF-8").stderr


def test_the_copy_from_before_an_upgrade_is_put_back(house):
    house.fill()
    copy = house.hub.directory / "state" / "before-upgrade-3-22-24.db"
    subprocess.run([BINARIES / "kith", "--runtime-dir", house.hub.runtime, "backup", copy], check=True, capture_output=True)
    house.hub.reply("Care/Record", {"category": "meal", "memo": LATER[0]})
    house.hub.end()
    options = ["--state-dir", house.hub.directory / "state", "--config", house.hub.directory / "config.toml"]
    both = subprocess.run([BINARIES / "kithd", "restore", copy, "--before-upgrade"], capture_output=True, text=True)
    assert both.returncode == 2 and "--before-upgrade" in both.stderr
    run = subprocess.run(
        [BINARIES / "kithd", "restore", "--before-upgrade", *options], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0 and "release of before" in run.stdout, run.stderr
    assert copy.exists()
    house.start()
    assert house.memos() == sorted(ENTRIES)
    house.hub.end()
    copy.unlink()
    run = subprocess.run(
        [BINARIES / "kithd", "restore", "--before-upgrade", *options], capture_output=True, text=True, timeout=120)
    assert run.returncode == 1 and "kithd restore FILE" in run.stderr
