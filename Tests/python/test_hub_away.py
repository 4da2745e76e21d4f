"""What a client says of a hub that is not there, that belongs to another user, that does not answer, or that serves the machine."""
import os
import shutil
import signal
import socket
import subprocess
import sys

import pytest

from conftest import BINARIES, EXAMPLES, stopped
from keyed import eventually
from send import HubNotRunning, command
from trials import NOBODY, daemon, needs_root


def environment(tmp_path, **more):
    """A session without a hub of its own, in English."""
    own = tmp_path / "session"
    own.mkdir(exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("KITH_", "XDG_"))}
    return {**kept, "LC_ALL": "C.UTF-8", "XDG_RUNTIME_DIR": str(own), "HOME": str(tmp_path), **more}


def kith(*arguments, user=None, under=(), program=BINARIES / "kith", **options):
    line = [*under, program, *arguments]
    return subprocess.run(line, capture_output=True, text=True, timeout=60, user=user, **options)


@pytest.fixture
def program():
    """`kith` where every user of the machine can run it."""
    with daemon(start=False, user=NOBODY) as place:
        place.directory.chmod(0o755)
        shutil.copy(BINARIES / "kith", place.directory / "kith")
        yield place.directory / "kith"


@needs_root
def test_a_hub_of_another_user_is_told_from_one_that_is_not_there(program, tmp_path):
    with daemon() as hub:
        hub.directory.chmod(0o755)
        kept = environment(tmp_path)
        run = kith("--runtime-dir", hub.runtime, "status", user=NOBODY, program=program, env=kept)
        assert run.returncode == 4, run.stderr
        assert "Permission denied" in run.stderr and str(hub.runtime) in run.stderr, run.stderr
        assert "root" in run.stderr and "nobody" in run.stderr and "Start it" not in run.stderr, run.stderr
        japanese = kith("remind", "status", "--lang", "ja", "--runtime-dir", hub.runtime, user=NOBODY, program=program, env=kept)
        assert "動いていません" not in japanese.stderr and "ユーザー" in japanese.stderr, japanese.stderr
        with pytest.raises(PermissionError):
            os.seteuid(NOBODY)
            try:
                command(hub.control, "kith.v1.System/Ping", timeout=3)
            finally:
                os.seteuid(0)
        assert hub.end() == 0


@needs_root
def test_a_hub_whose_door_is_open_and_that_does_not_know_the_user_is_not_called_absent(program, tmp_path):
    with daemon() as hub:
        hub.directory.chmod(0o755)
        hub.runtime.chmod(0o755)
        for path in hub.runtime.glob("*.sock"):
            path.chmod(0o666)
        run = kith("--runtime-dir", hub.runtime, "status", user=NOBODY, program=program, env=environment(tmp_path))
        assert run.returncode == 4, run.stderr
        assert "[users]" in run.stderr and "Start it" not in run.stderr, run.stderr
        assert hub.end() == 0


def test_a_hub_that_stands_still_is_not_called_absent(tmp_path):
    with daemon() as hub:
        with stopped(hub.process):
            run = kith("--runtime-dir", hub.runtime, "status", env=environment(tmp_path))
        assert run.returncode == 3, run.stderr
        assert "does not answer" in run.stderr and "Start it" not in run.stderr, run.stderr
        assert hub.end() == 0


def as_hub_of_the_machine(hub):
    """How a program is begun that finds this hub at /run/kith. Nothing outside its process sees that."""
    return ["unshare", "--mount", "sh", "-c",
            f"mount -t tmpfs none /run && mkdir /run/kith && mount --bind '{hub.runtime}' /run/kith && exec \"$0\" \"$@\""]


@needs_root
def test_the_hub_of_the_machine_is_found_where_the_user_has_none(tmp_path):
    with daemon() as hub:
        under = as_hub_of_the_machine(hub)
        kept = environment(tmp_path)
        (tmp_path / "session" / "kith").mkdir()
        run = kith("ping", under=under, env=kept)
        assert run.returncode == 0, run.stderr
        python = kith("kith.v1.System/Ping", under=[*under, sys.executable], program=EXAMPLES / "send.py", env=kept)
        assert python.returncode == 0, python.stderr
        # A place that is named is the only one.
        named = kith("--runtime-dir", tmp_path / "session" / "kith", "ping", under=under, env=kept)
        assert named.returncode == 3 and "/run/kith" not in named.stderr, named.stderr
        assert hub.end() == 0
        run = kith("ping", under=under, env=kept)
        assert run.returncode == 3, run.stderr
        assert f"{tmp_path}/session/kith" in run.stderr and "/run/kith" in run.stderr, run.stderr


@needs_root
def test_a_worker_finds_the_hub_of_the_machine(tmp_path):
    with daemon() as hub:
        under = as_hub_of_the_machine(hub)
        line = [*under, BINARIES / "kithd", "worker", "--serve", "contacts", "--name", "found"]
        with subprocess.Popen(line, env=environment(tmp_path), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as worker:
            try:
                assert eventually(lambda: hub.reply("System/Status").get("work", {}).get("workers"))
            finally:
                worker.terminate()
        assert worker.returncode == 0


def test_what_a_killed_hub_left_behind_is_no_hub(tmp_path):
    with daemon() as hub:
        hub.end(signal.SIGKILL)
        with socket.socket(socket.AF_UNIX) as raw, pytest.raises(ConnectionRefusedError):
            raw.connect(str(hub.runtime / "control.sock"))
        with pytest.raises(HubNotRunning):
            command(hub.control, "kith.v1.System/Ping", timeout=3)
        run = kith("--runtime-dir", hub.runtime, "ping", env=environment(tmp_path))
        assert run.returncode == 3 and "No kithd answers" in run.stderr, run.stderr
