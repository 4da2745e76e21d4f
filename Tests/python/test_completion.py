"""Completion in real shells: names, channels and ids come from kithd, quickly, and nothing comes while it is away."""
import fcntl
import functools
import os
import pty
import select
import shutil
import struct
import subprocess
import termios
import time

import pyte
import pytest

from conftest import BINARIES
from test_care import Home
from test_who import card

# One process, because each would have the scripts made, which takes seconds.
pytestmark = pytest.mark.xdist_group("completion")

BASH = r"""
source "$SCRIPT"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMP_TYPE=9 COMP_KEY=9
cur=${COMP_WORDS[COMP_CWORD]}
_kith kith "$cur" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = Home(tmp_path_factory.mktemp("home"))
    home.start()
    book = home.folder / "book"
    book.mkdir()
    (book / "a.vcf").write_text(card("Ingrid Solberg"))
    (book / "b.vcf").write_text(card("Annika $(touch broken) `touch broken`"))
    # Scripts that write a sign before others make one character with it.
    (book / "c.vcf").write_text(card("Prep \u0d4e`touch broken\u0d4e` \u0600$(touch broken)"))
    home.kith("contacts", "source", "add", "household", "--vdir", str(book))
    home.kith("contacts", "sync")
    home.kith("people", "add", "Ann", "--last-name", "Lee", "--tag", "family")
    home.kith("people", "add", "花子", "--last-name", "佐藤")
    home.kith("channels", "add", "phone", "--ntfy", "topic", "--no-secret")
    home.kith("care", "record", "meal", "tea")
    yield home
    home.stop()


@functools.cache
def script_for(shell):
    """Takes some seconds in a debug build."""
    return subprocess.run([BINARIES / "kith", "--generate-completion-script", shell], capture_output=True, check=True).stdout


def completed(home, *words, runtime=None):
    """What bash offers for the last word."""
    script = home.folder / "completion.bash"
    if not script.exists():
        script.write_bytes(script_for("bash"))
    run = subprocess.run(
        ["bash", "-c", BASH, "bash", "kith", *words], capture_output=True, text=True, timeout=60, cwd=home.folder,
        env={**os.environ, "SCRIPT": str(script), "PATH": f"{BINARIES}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
             "KITH_RUNTIME_DIR": str(runtime or home.folder / "run")})
    assert not run.stderr, run.stderr
    return [line for line in run.stdout.splitlines() if line]


def offered(home, *words, count=1):
    """What bash offers once it is so many words: a kithd that is slow is not waited for, and then there are fewer."""
    end = time.monotonic() + 60
    while len(offer := completed(home, *words)) < count and time.monotonic() < end:
        pass
    return offer


def test_bash_offers_what_kithd_knows(home):
    assert offered(home, "call", "log", "An", count=2) == ["Ann Lee", "Annika $(touch broken) `touch broken`"]
    assert offered(home, "people", "show", "An") == ["Ann Lee"]
    assert offered(home, "people", "show", "佐") == ["佐藤 花子"] and completed(home, "people", "show", "花") == []
    assert offered(home, "contacts", "show", "Ing") == ["Ingrid Solberg"]
    assert offered(home, "contacts", "sync", "h") == ["household"]
    assert offered(home, "channels", "test", "") == ["phone"]
    assert offered(home, "tag", "delete", "f") == ["family"]
    (entry,) = (word for word in offered(home, "care", "show", "", count=2) if word != "last")
    assert home.records()[0]["id"].endswith(entry)
    assert "happy" in completed(home, "call", "log", "ann", "--emotion", "h")
    assert completed(home, "peo") == ["people"]


def test_a_name_in_the_address_book_runs_nothing(home):
    assert offered(home, "contacts", "show", "Annika")
    assert not (home.folder / "broken").exists()


def test_nothing_is_said_while_kithd_is_away(home, tmp_path):
    assert completed(home, "call", "log", "An", runtime=tmp_path) == []
    assert completed(home, "call", "lo", runtime=tmp_path) == ["log"]


@pytest.mark.parametrize(("shell", "check"), [("zsh", ["zsh", "-n"]), ("fish", ["fish", "--no-execute"])])
def test_the_scripts_of_other_shells_are_scripts(tmp_path, shell, check):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "script"
    script.write_bytes(script_for(shell))
    assert "---completion" in script.read_text()
    subprocess.run([*check, script], check=True)


def screen_after(shell, home, folder, typed, expected):
    """What a shell at a terminal shows after Tab."""
    terminal, far = pty.openpty()
    fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        shell, stdin=far, stdout=far, stderr=far, preexec_fn=lambda: (os.setsid(), fcntl.ioctl(0, termios.TIOCSCTTY, 0)), cwd=folder,
        env={**os.environ, "PATH": f"{BINARIES}:{os.environ['PATH']}", "KITH_RUNTIME_DIR": str(home.folder / "run"), "HOME": str(folder),
             "TERM": "xterm", "LC_ALL": "C.UTF-8", "PS1": "ready> "})
    os.close(far)
    screen = pyte.Screen(80, 24)
    stream = pyte.ByteStream(screen)

    def until(words, key=b""):
        """Presses the key again where nothing was offered, because kithd was slow."""
        end, pressed = time.monotonic() + 60, 0
        while words not in "\n".join(screen.display):
            assert time.monotonic() < end, "\n".join(screen.display)
            if time.monotonic() > pressed + 3:
                os.write(terminal, key)
                pressed = time.monotonic()
            if select.select([terminal], [], [], 0.1)[0]:
                stream.feed(os.read(terminal, 65536))

    try:
        until("ready>")
        os.write(terminal, typed.encode())
        until(typed)
        until(expected, key=b"\t")
    finally:
        process.kill()
        process.wait()
        os.close(terminal)


def script(folder, shell, name):
    (folder / name).write_bytes(script_for(shell))


def test_bash_completes_at_a_terminal(home, tmp_path):
    script(tmp_path, "bash", "kith")
    (tmp_path / "rc").write_text("PS1='ready> '; source ./kith\n")
    screen_after(["bash", "--rcfile", "rc", "-i"], home, tmp_path, "kith people show An", "kith people show Ann\\ Lee")


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_completes_at_a_terminal(home, tmp_path):
    script(tmp_path, "zsh", "_kith")
    (tmp_path / ".zshrc").write_text("PS1='ready> '; fpath=($HOME $fpath); autoload -Uz compinit; compinit -u\n")
    screen_after(["zsh", "-i"], home, tmp_path, "kith people show An", "kith people show Ann\\ Lee")


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish_completes_at_a_terminal(home, tmp_path):
    (tmp_path / ".config" / "fish" / "completions").mkdir(parents=True)
    script(tmp_path / ".config" / "fish" / "completions", "fish", "kith.fish")
    (tmp_path / ".config" / "fish" / "config.fish").write_text("function fish_prompt; echo 'ready> '; end\nset -U fish_greeting\n")
    screen_after(["fish", "-i"], home, tmp_path, "kith people show An", "kith people show Ann\\ Lee")
