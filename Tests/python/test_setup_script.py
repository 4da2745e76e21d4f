"""The script that installs packages, for a user whose sudo asks, and for a machine where nobody could answer."""
import contextlib
import os
import pathlib
import pty
import shutil
import signal
import subprocess

import pytest

from conftest import ROOT
from keyed import eventually
from trials import needs_root, seeing

FAKES = {
    "dpkg-query": "exit 1",
    "id": "echo 1000",
    "apt-get": "exit 0",
    "env": 'exec apt-get',
    "install": "cat >/dev/null",
    "rm": "exit 0",
    # Asks as sudo does: on the terminal, and not with -n.
    "sudo": """
if [ "$1" = -n ]; then echo 'sudo: a password is required' >&2; exit 1; fi
[ -e "$HOME/known" ] || { printf 'password: ' >/dev/tty; read -r _ </dev/tty; touch "$HOME/known"; }
exec "$@"
""",
}


@pytest.fixture
def script(tmp_path):
    """setup.sh and the programs that it calls, which change nothing."""
    bin = tmp_path / "bin"
    bin.mkdir()
    for name, text in FAKES.items():
        (bin / name).write_text(f"#!/bin/bash\n{text}\n")
        (bin / name).chmod(0o755)
    shutil.copy(ROOT / "scripts" / "setup.sh", tmp_path / "setup.sh")
    environment = {"PATH": f"{bin}:/usr/bin:/bin", "HOME": str(tmp_path), "TMPDIR": str(tmp_path), "LC_ALL": "C.UTF-8"}
    return (["bash", tmp_path / "setup.sh"], environment)


def test_sudo_may_ask_where_somebody_can_answer(script):
    command, environment = script
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe(command[0], [str(word) for word in command], environment)
    said, answered = b"", False
    while True:
        try:
            said += os.read(terminal, 1000)
        except OSError:
            break
        if b"password: " in said and not answered:
            answered = True
            os.write(terminal, b"secret\n")
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.close(terminal)
    assert (status, answered) == (0, True), said


@pytest.mark.parametrize("more", [{}, {"CI": "true"}], ids=["no terminal", "ci"])
def test_nobody_is_asked_where_nobody_can_answer(script, more):
    command, environment = script
    run = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, env={**environment, **more},
        start_new_session=True)
    assert run.returncode == 1
    assert "a password is required" in run.stderr and "as root, or in a terminal" in run.stderr, run.stderr


@needs_root
def test_what_a_killed_run_left_stops_nobody_to_whom_nothing_is_missing(script, tmp_path):
    command, environment = script
    sbin = tmp_path / "sbin"
    sbin.mkdir()
    mark = next(line for line in (ROOT / "scripts/setup.sh").read_text().splitlines() if line.startswith("mark="))
    (sbin / "policy-rc.d").write_text(f"#!/bin/sh\n{mark.removeprefix('mark=')[1:-1]}\nexit 101\n")
    (tmp_path / "bin" / "dpkg-query").write_text("#!/bin/bash\necho installed\n")
    run = subprocess.run(
        [*seeing(sbin, "/usr/sbin"), *command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
        env=environment, start_new_session=True)
    assert run.returncode == 0, run.stderr
    assert "remove it as root" in run.stderr


@pytest.fixture
def machine(tmp_path):
    """setup.sh as root of a machine whose /usr/sbin is a folder of the test, and whose apt-get says when it begins and ends."""
    bin, sbin = tmp_path / "bin", tmp_path / "sbin"
    bin.mkdir()
    sbin.mkdir()
    os.mkfifo(tmp_path / "go")
    fakes = {
        "id": "echo 0",
        "dpkg-query": '[ -e "$HOME/installed" ] && echo installed',
        "apt-get": """
/usr/sbin/policy-rc.d; echo "begins $?" >> "$HOME/log"
read -r _ < "$HOME/go"
/usr/sbin/policy-rc.d; echo "ends $?" >> "$HOME/log"
touch "$HOME/installed"
""",
    }
    for name, text in fakes.items():
        (bin / name).write_text(f"#!/bin/bash\n{text}\n")
        (bin / name).chmod(0o755)
    machine = Machine(tmp_path)
    yield machine
    for run in machine.runs:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
        run.wait()


class Machine:
    def __init__(self, folder):
        self.folder, self.policy = folder, folder / "sbin" / "policy-rc.d"
        self.runs = []

    def setup(self):
        environment = {"PATH": f"{self.folder}/bin:/usr/bin:/bin", "HOME": str(self.folder), "TMPDIR": str(self.folder)}
        line = [*seeing(self.folder / "sbin", "/usr/sbin"), "bash", ROOT / "scripts" / "setup.sh"]
        self.runs.append(subprocess.Popen(line, env=environment, start_new_session=True))
        return self.runs[-1]

    def log(self):
        log = self.folder / "log"
        return log.read_text().splitlines() if log.exists() else []

    def go(self):
        with open(self.folder / "go", "w") as pipe:
            pipe.write("\n")


@needs_root
def test_no_service_starts_meanwhile(machine):
    running = machine.setup()
    machine.go()
    assert running.wait(60) == 0
    assert machine.log() == ["begins 101", "ends 101"]
    assert not machine.policy.exists()


@needs_root
def test_what_the_machine_has_stays(machine):
    machine.policy.write_text("#!/bin/sh\nexit 104\n")
    machine.policy.chmod(0o755)
    running = machine.setup()
    machine.go()
    assert running.wait(60) == 0
    assert machine.log() == ["begins 104", "ends 104"] and machine.policy.exists()


@needs_root
def test_what_a_killed_run_left_is_removed(machine):
    killed = machine.setup()
    assert eventually(machine.log)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    assert machine.policy.exists()
    # All packages are there, so that nothing else is to be done.
    (machine.folder / "installed").touch()
    assert machine.setup().wait(60) == 0
    assert not machine.policy.exists()


@needs_root
def test_two_runs_wait_for_each_other(machine):
    first = machine.setup()
    assert eventually(machine.log)
    second = machine.setup()
    children = pathlib.Path(f"/proc/{second.pid}/task/{second.pid}/children")

    def waits():
        assert machine.log() == ["begins 101"], "both install at once"
        return any(name(child) == "flock\n" for child in children.read_text().split())

    def name(child):
        # It may have ended since.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            return pathlib.Path(f"/proc/{child}/comm").read_text()

    assert eventually(waits)
    machine.go()
    # The packages are there then.
    assert first.wait(60) == 0 and second.wait(60) == 0
    assert machine.log() == ["begins 101", "ends 101"] and not machine.policy.exists()
