"""The command line at a terminal of 80 columns, with Ctrl-C typed in the middle of what takes time."""
import codecs
import contextlib
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unicodedata

import pytest

from conftest import CONFIGURATION, stopped
from keyed import eventually
from test_care import BIN, Home, recording

COLUMNS = 80


class Typed:
    """`kith` at a terminal."""

    def __init__(self, home, *arguments, columns=COLUMNS, **environment):
        self.terminal, far = pty.openpty()
        fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

        def take_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            [BIN / "kith", "--runtime-dir", home.folder / "run", *map(str, arguments)], stdin=far, stdout=far, stderr=far,
            preexec_fn=take_terminal, env={**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm", **environment})
        os.close(far)
        self.said = ""
        # What is read may end in the middle of a character.
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def read(self, seconds):
        if not select.select([self.terminal], [], [], seconds)[0]:
            return True
        try:
            self.said += self.decoder.decode(os.read(self.terminal, 10_000))
            return True
        except OSError:
            return False

    def until(self, pattern, seconds=60):
        end = time.monotonic() + seconds
        while not re.search(pattern, self.said):
            assert self.read(0.1) and time.monotonic() < end, self.said
        return self

    def handles_signals(self):
        """Whether an interrupt reaches the command's own handler by now, and does not end the process: proc_pid_status(5)."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return bool(int(re.search(r"SigCgt:\s+(\w+)", status)[1], 16) >> (signal.SIGTERM - 1) & 1)

    def until_true(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, self.said
            self.read(0.005)
        return self

    def type(self, text):
        os.write(self.terminal, text.encode())
        return self

    def end(self, seconds=60):
        """How it ended."""
        end = time.monotonic() + seconds
        while self.read(0.1) and time.monotonic() < end:
            pass
        status = self.process.wait(60)
        os.close(self.terminal)
        return status

    def redrawn(self):
        """How wide each line was that was drawn over another: one that wraps would leave its beginning behind."""
        return [width(line) for line in re.findall(r"\r\x1b\[K([^\r\n]*)", self.said)]


def width(line):
    """How many columns of a terminal a line takes."""
    plain = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", line)
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in plain)


@pytest.fixture
def home(tmp_path):
    home = Home(tmp_path)
    home.start()
    yield home
    if home.process.poll() is None:
        home.stop()


@pytest.fixture
def kept(home):
    """The id of an entry whose sound is kept, with as much of it as a recording may have."""
    home.engine.write_text("import sys\nsys.exit(70)\n")
    sound = recording(home.folder / "long.wav", seconds=2).read_bytes()
    head, body = bytearray(sound[:44]), sound[44:] * 145
    head[4:8], head[40:44] = struct.pack("<I", 36 + len(body)), struct.pack("<I", len(body))
    (home.folder / "long.wav").write_bytes(bytes(head) + body)
    assert home.kith("care", "voice", "--file", home.folder / "long.wav", check=False).returncode == 1
    return home.records()[0]["id"]


def span(number):
    """Seconds to sleep by which the processes of one test are known."""
    return f"{600 + number}.{os.getpid()}"


def sleepers(span):
    return subprocess.run(["pgrep", "-f", f"^sleep {span}$"], capture_output=True, text=True).stdout.split()


@contextlib.contextmanager
def nobody_left(span):
    try:
        yield
        assert not sleepers(span), "a program was left behind"
    finally:
        for process in sleepers(span):
            os.kill(int(process), signal.SIGKILL)


def test_a_recording_shows_its_clock_and_level_and_ends_by_ctrl_c(home):
    with nobody_left(span(1)):
        command = f"cat {recording(home.folder / 'a.wav')}; exec sleep {span(1)}"
        typed = Typed(home, "care", "voice", "--seconds", "90", "--command", command)
        typed.until(r"Recording 0:0\d of 1:30 .*▮.*Ctrl-C ends it").type("\x03")
        assert typed.end() == 0, typed.said
        assert "two tablets after breakfast" in typed.said
        assert max(typed.redrawn()) <= COLUMNS, typed.said


@pytest.mark.parametrize("command", [
    "cat {sound}; sleep {span} >/dev/null & exit 0", "trap '' INT; cat {sound}; sleep {span} >/dev/null & wait"],
    ids=["left behind", "deaf"])
def test_a_recorder_ends_where_interrupts_are_ignored(home, command):
    """As in a script that was started in the background: what it starts ignores interrupts too."""
    with nobody_left(span(2)):
        command = command.format(sound=recording(home.folder / "a.wav"), span=span(2))
        run = subprocess.run(
            [BIN / "kith", "--runtime-dir", home.folder / "run", "care", "voice", "--seconds", "2", "--command", command],
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN), capture_output=True, text=True, timeout=60,
            env={**os.environ, "LC_ALL": "C.UTF-8"})
        assert run.returncode == 0 and "two tablets after breakfast" in run.stdout, run


def test_a_recorder_ends_when_the_hub_has_gone(home):
    with nobody_left(span(3)):
        command = f"trap '' INT; cat {recording(home.folder / 'a.wav')}; while sleep {span(3)}; do :; done"
        typed = Typed(home, "care", "voice", "--command", command).until("Recording 0:0")
        typed.until_true(lambda: sleepers(span(3)))
        home.process.kill()
        home.process.wait()
        typed.type("\x03")
        assert typed.end() != 0, typed.said


@pytest.mark.parametrize("script", ["sleep {span} & wait", "sleep {span}; true", "trap '' INT; sleep {span}; sleep {span}"],
                         ids=["background", "child", "deaf"])
def test_a_player_ends_with_all_that_it_has_started(home, kept, script):
    programs = home.folder / "programs"
    programs.mkdir()
    (programs / "aplay").write_text(f"#!/bin/sh\n{script.format(span=span(4))}\n")
    (programs / "aplay").chmod(0o755)
    with nobody_left(span(4)):
        typed = Typed(home, "care", "play", kept, PATH=f"{programs}:{os.environ['PATH']}")
        typed.until_true(lambda: sleepers(span(4)) and typed.handles_signals()).type("\x03")
        assert typed.end() == 0, typed.said


@pytest.mark.parametrize("with_nohup", [False, True], ids=["ends", "nohup"])
def test_a_player_ends_with_its_terminal(home, kept, with_nohup):
    programs = home.folder / "programs"
    programs.mkdir()
    (programs / "aplay").write_text(f"#!/bin/sh\nsleep {span(5)} & wait\n")
    (programs / "aplay").chmod(0o755)
    disposition = signal.SIG_IGN if with_nohup else signal.SIG_DFL
    with nobody_left(span(5)):
        before = signal.signal(signal.SIGHUP, disposition)
        try:
            typed = Typed(home, "care", "play", kept, PATH=f"{programs}:{os.environ['PATH']}")
        finally:
            signal.signal(signal.SIGHUP, before)
        typed.until_true(lambda: sleepers(span(5)) and typed.handles_signals())
        os.close(typed.terminal)
        if with_nohup:
            assert sleepers(span(5))
            typed.process.terminate()
        assert typed.process.wait(60) == 0


def test_a_recording_is_kept_when_its_terminal_closes(home):
    with nobody_left(span(6)):
        command = f"cat {recording(home.folder / 'a.wav')}; exec sleep {span(6)}"
        typed = Typed(home, "care", "voice", "--seconds", "90", "--command", command).until(r"Recording 0:0\d.*▮")
        os.close(typed.terminal)
        typed.process.wait(60)
        (entry,) = home.records()
        # No command waits for its text any more.
        assert eventually(lambda: home.records()[0].get("transcript") == "two tablets after breakfast"), entry


def files_open_in(folder, process):
    """Names of files that a process has open in a folder, those without a name too."""
    names = []
    with contextlib.suppress(FileNotFoundError):
        for descriptor in pathlib.Path(f"/proc/{process.pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                names.append(os.readlink(descriptor))
    return [name for name in names if name.startswith(f"{folder}/")]


@pytest.mark.parametrize("with_signal", [None, signal.SIGKILL], ids=["ctrl-c", "kill"])
def test_a_download_that_is_interrupted_leaves_nothing(home, kept, tmp_path, with_signal):
    folder = tmp_path / "downloads"
    folder.mkdir()
    (folder / "note.wav").write_text("as it was")
    typed = Typed(home, "care", "audio", kept, "-o", folder / "note.wav")
    typed.until_true(lambda: files_open_in(folder, typed.process))
    # In the middle for as long as it takes: the hub stands still.
    with stopped(home.process):
        if with_signal:
            typed.process.send_signal(with_signal)
        else:
            typed.type("\x03")
        assert typed.end() != 0, typed.said
    assert [(path.name, path.read_text()) for path in folder.iterdir()] == [("note.wav", "as it was")]


def test_a_recording_that_waits_for_a_worker_says_so(tmp_path):
    home = Home(tmp_path)
    home.config.write_text(CONFIGURATION + home.config.read_text() + '\n[placement]\ntranscriber = "worker"\n')
    home.start()
    try:
        typed = Typed(home, "care", "voice", "--file", recording(home.folder / "a.wav"))
        typed.until(r"worker.*Ctrl-C: do not wait").type("\x03")
        assert typed.end() == 1, typed.said
        assert "kith care show" in typed.said and max(typed.redrawn()) <= COLUMNS, typed.said
        typed = Typed(home, "care", "voice", "--file", recording(home.folder / "a.wav"), "--timeout", "2")
        assert typed.end() == 1 and "kith care show" in typed.said, typed.said
    finally:
        home.stop()


def test_what_failed_and_what_was_typed_are_shown_as_they_are(home):
    home.engine.write_text("import sys\nprint('no model', file=sys.stderr)\nsys.exit(70)\n")
    typed = Typed(home, "care", "voice", "--file", recording(home.folder / "a.wav"))
    assert typed.end() == 1 and "no model" in typed.said, typed.said
    typed = Typed(home, "care", "record", "meal", "half of the rice")
    assert typed.end() == 0, typed.said
    written, spoken = home.records()
    assert (written["state"], spoken["state"]) == ("written", "needs_memo")
    typed = Typed(home, "care", "show", spoken["id"])
    assert typed.end() == 0 and "it ended with 70: no model" in typed.said, typed.said
    typed = Typed(home, "care", "show", spoken["id"], columns=200, LC_ALL="ja_JP.UTF-8")
    assert typed.end() == 0 and "終了コード 70 で終わりました: no model" in typed.said, typed.said
    typed = Typed(home, "care", "show", written["id"])
    assert typed.end() == 0 and "transcribed" not in typed.said, typed.said


def test_a_second_item_of_one_name_is_asked_about(home):
    home.kith("plan", "add", "Aspirin", "--at", "8:00")
    for answer, count in ("n", 1), ("y", 2):
        typed = Typed(home, "--lang", "en", "plan", "add", "aspirin", "--at", "20:00").until(r"(?s)Aspirin, 08:00.*\[y/N\]").type(f"{answer}\n")
        assert (typed.end() == 0) == (answer == "y"), typed.said
        assert len(home.kith("plan", "items")["items"]) == count


@pytest.mark.parametrize(("language", "question", "words"), [
    ("C.UTF-8", r"What was done or seen\? $", "Say what was done or seen"), ("ja_JP.UTF-8", r"何をしましたか\? $", "内容を書いてください")])
def test_an_entry_by_hand_has_words(home, language, question, words):
    typed = Typed(home, "care", "record", "meal", LC_ALL=language).until(question).type("\x04")
    assert typed.end() == 2 and words in typed.said, typed.said
    piped = subprocess.run([BIN / "kith", "--runtime-dir", home.folder / "run", "care", "record", "meal", " "], capture_output=True, text=True,
                           timeout=60, env={**os.environ, "LC_ALL": language})
    assert piped.returncode == 2 and words in piped.stderr and not home.records(), piped
    typed = Typed(home, "care", "record", "meal", LC_ALL=language).until(question).type("half of the rice\n")
    assert typed.end() == 0 and [record["memo"] for record in home.records()] == ["half of the rice"], typed.said


def test_a_recording_of_nothing_leaves_no_entry_and_one_of_silence_does(home):
    sound = recording(home.folder / "a.wav").read_bytes()
    head = sound[:36]
    for name, content in (("empty", b""), ("head", sound[:44]), ("list", head + b"LIST" + struct.pack("<I", 4) + b"INFO" + b"data" + bytes(4))):
        (home.folder / name).write_bytes(content)
        typed = Typed(home, "care", "voice", "--file", home.folder / name)
        assert typed.end() == 1 and "There is no sound in the file" in typed.said, typed.said
        typed = Typed(home, "care", "voice", "--command", f"cat {home.folder / name}", LC_ALL="ja_JP.UTF-8")
        assert typed.end() == 1 and "何も録音されていません" in typed.said and "arecord --list-devices" in typed.said, typed.said
    assert not home.records()
    (home.folder / "silence").write_bytes(sound[:44] + bytes(len(sound) - 44))
    Typed(home, "care", "voice", "--file", home.folder / "silence").end()
    assert len(home.records()) == 1, "what was recorded is kept"
