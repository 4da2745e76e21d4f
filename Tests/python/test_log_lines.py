"""The log as people and the journal read it: words first, one time stamp a line, a priority where the journal takes it."""
import os
import re
import signal
import subprocess
import threading
import time

import pytest

from conftest import BINARIES
from trials import daemon


def end(process):
    """Ends a process by SIGTERM, which in its first moments ends it as any process, or is lost: it takes the signal over then."""
    while process.poll() is None:
        process.send_signal(signal.SIGTERM)
        time.sleep(1)


def lines_of(command, environment, words):
    """What a process writes to a pipe until it has said these words, and until it has ended after that."""
    reader, writer = os.pipe()
    with open(reader, encoding="utf-8") as log:
        status = os.fstat(writer)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=writer, env={
            **os.environ, **{name: value.format(device=status.st_dev, inode=status.st_ino) for name, value in environment.items()}})
        os.close(writer)
        lines = []
        for line in log:
            lines.append(line)
            if words in line:
                threading.Thread(target=end, args=[process]).start()
        assert process.wait(60) in (0, -signal.SIGTERM) and any(words in line for line in lines), lines
    return [line.rstrip("\n") for line in lines]


def worker(hub):
    return [BINARIES / "kithd", "worker", "--serve", "transcriber", "--name", "speech", "--runtime-dir", hub.runtime,
            "--hub", f"ipc://{hub.runtime}/work.sock", "--config", hub.directory / "config.toml"]


@pytest.mark.parametrize("who", ["hub", "worker"])
def test_words_come_before_fields(who):
    with daemon(start=False) as hub:
        hub.runtime.mkdir()
        line = hub.command_line() if who == "hub" else worker(hub)
        words, field = ("ready", "control=") if who == "hub" else ("worker", "name=speech")
        said = lines_of(line, {"JOURNAL_STREAM": "1:1"}, f"{words} {field}")
        stamp = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d{4})"
        assert all(re.match(rf"{stamp} [a-z]+ kithd(\.worker)?: [a-z]", line) for line in said), said
        assert not any("[Hub]" in line for line in said), said


@pytest.mark.parametrize("who", ["hub", "worker"])
def test_the_journal_gets_priorities_and_no_second_time_stamp(who):
    with daemon(start=False) as hub:
        hub.runtime.mkdir()
        line = hub.command_line() if who == "hub" else worker(hub)
        words = "ready control=" if who == "hub" else "worker name=speech"
        said = lines_of(line, {"JOURNAL_STREAM": "{device}:{inode}"}, words)
        assert any(line.startswith(f"<6>{words}") for line in said), said
        # sd-daemon(3): every line begins with its priority.
        assert all(re.match(r"<[0-7]>", line) for line in said), said


def test_a_warning_has_the_priority_of_one():
    with daemon(start=False) as hub:
        with open(hub.directory / "config.toml", "a", encoding="utf-8") as configuration:
            # No address of this machine: RFC 5737.
            configuration.write('\n[tcp]\naddress = "192.0.2.1"\n')
        said = lines_of(hub.command_line(), {"JOURNAL_STREAM": "{device}:{inode}"}, "ready control=")
        assert any(re.match(r"<[34]>tcp is not served", line) for line in said), said
