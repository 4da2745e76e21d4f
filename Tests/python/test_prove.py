"""What scripts/prove.sh says of trials that fail, cannot run, or do not end."""
import os
import pathlib
import select
import signal
import subprocess
import sys

import pytest

import prove


@pytest.fixture
def proved(monkeypatch, tmp_path, capsys):
    """The status and the words of prove.py for one trial, which is a script of the shell."""
    monkeypatch.setattr(prove, "KEPT", tmp_path)
    monkeypatch.setattr("sys.argv", ["prove.py", "--minutes", "0", "--seed", "1"])

    def run(script, program="bash"):
        trial = prove.Trial("trial", "a script", 1, lambda seed, seconds: ([program, "-c", script], {}))
        monkeypatch.setattr(prove, "trials", lambda programs: [trial])
        return prove.main(), capsys.readouterr().out

    return run


def test_what_passes_is_counted(proved):
    status, said = proved("""echo '{"histories": 3}' >> "$KITH_TALLY"; echo stat::number_of_executed_units: 1200""")
    assert status == 0, said
    assert "| trial | a script |    1 |         3 |        |  1,200 |" in said, said


def test_what_fails_leaves_its_output(proved, tmp_path):
    status, said = proved("echo a word; exit 3")
    assert status == 1 and "FAILED trial, seed 1000000000, status 3" in said and "a word" in said, said
    assert (tmp_path / "trial-1000000000.log").read_text() == "a word\n"


@pytest.mark.parametrize("script", [
    """printf '{"histor' >> "$KITH_TALLY" """,
    """echo '{"herstories": 3}' >> "$KITH_TALLY" """,
    """rm "$KITH_TALLY" """,
], ids=["half a line", "a name that is not counted", "no counts"])
def test_counts_that_cannot_be_read_are_a_failure(proved, script):
    status, said = proved(script)
    assert status == 1 and "FAILED trial, seed 1000000000, status its counts" in said, said


def test_a_program_that_is_not_there_is_a_failure(proved):
    status, said = proved("", program="/nowhere/kithPackageTests.xctest")
    assert status == 1 and "FileNotFoundError" in said and "/nowhere/kithPackageTests.xctest" in said, said


def test_an_output_that_cannot_be_written_is_a_failure(proved, tmp_path):
    (tmp_path / "trial-1000000000.log").symlink_to("/nowhere/full")
    status, said = proved("exit 0")
    assert status == 1 and "FAILED trial" in said, said


def test_a_trial_that_was_not_reached_is_a_failure(proved, monkeypatch):
    monkeypatch.setattr(prove.Lane, "run", lambda lane: None)
    status, said = proved("exit 0")
    assert status == 1 and "FAILED trial" in said and "it was not run" in said, said


@pytest.fixture
def alive(tmp_path):
    """A pipe that a process has open while it lives."""
    os.mkfifo(tmp_path / "alive")
    reading = os.open(tmp_path / "alive", os.O_RDONLY | os.O_NONBLOCK)
    yield reading
    os.close(reading)


# `set -m` gives what it starts a group of its own, as Foundation's Process does.
ENDLESS = "set -m; exec 3>{}/alive; echo started >&3; sleep 600 & wait"


def test_what_does_not_end_is_ended_with_all_that_it_started(proved, alive, monkeypatch, tmp_path):
    monkeypatch.setattr(prove, "PATIENCE", 5)
    status, said = proved(ENDLESS.format(tmp_path))
    assert status == 1 and "status no end" in said, said
    assert os.read(alive, 100) == b"started\n"
    # The end of the pipe: no process has it open to write. Otherwise this raises BlockingIOError.
    assert os.read(alive, 100) == b""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_all_that_was_started(alive, tmp_path, number):
    program = f"""
import pathlib, prove
prove.KEPT = pathlib.Path({str(tmp_path)!r})
prove.trials = lambda programs: [prove.Trial("trial", "", 1, lambda *_: (["bash", "-c", {ENDLESS.format(tmp_path)!r}], {{}}))]
prove.main()
"""
    line = [sys.executable, "-c", program]
    with subprocess.Popen(line, cwd=pathlib.Path(prove.__file__).parent, stderr=subprocess.DEVNULL) as process:
        while not select.select([alive], [], [], 60)[0] or not os.read(alive, 100):
            assert process.poll() is None
        process.send_signal(number)
        assert process.wait(60) != 0
    assert os.read(alive, 100) == b""
