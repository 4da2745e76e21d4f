"""The script that installs packages, for a user whose sudo asks, and for a machine where nobody could answer."""
import os
import pty
import shutil
import subprocess

import pytest

from conftest import ROOT

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
