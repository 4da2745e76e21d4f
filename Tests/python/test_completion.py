"""Completion in real shells: names, channels and ids come from kithd, quickly, and nothing comes while it is away."""
import os
import shutil
import subprocess

import pytest

from conftest import BINARIES
from test_care import Home
from test_who import card

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
    home.kith("contacts", "source", "add", "household", "--vdir", str(book))
    home.kith("contacts", "sync")
    home.kith("people", "add", "Ann", "--last-name", "Lee", "--tag", "family")
    home.kith("people", "add", "花子", "--last-name", "佐藤")
    home.kith("channels", "add", "phone", "--ntfy", "topic", "--no-secret")
    home.kith("care", "record", "meal", "tea")
    yield home
    home.stop()


def completed(home, *words, runtime=None):
    """What bash offers for the last word."""
    script = home.folder / "completion.bash"
    if not script.exists():
        script.write_bytes(subprocess.run([BINARIES / "kith", "--generate-completion-script", "bash"], capture_output=True, check=True).stdout)
    run = subprocess.run(
        ["bash", "-c", BASH, "bash", "kith", *words], capture_output=True, text=True, timeout=60, cwd=home.folder,
        env={**os.environ, "SCRIPT": str(script), "PATH": f"{BINARIES}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
             "KITH_RUNTIME_DIR": str(runtime or home.folder / "run")})
    assert not run.stderr, run.stderr
    return [line for line in run.stdout.splitlines() if line]


def test_bash_offers_what_kithd_knows(home):
    assert completed(home, "call", "log", "An") == ["Ann Lee", "Annika $(touch broken) `touch broken`"]
    assert completed(home, "people", "show", "An") == ["Ann Lee"]
    assert completed(home, "people", "show", "佐") == [] and completed(home, "people", "show", "花") == ["花子 佐藤"]
    assert completed(home, "contacts", "show", "Ing") == ["Ingrid Solberg"]
    assert completed(home, "contacts", "sync", "h") == ["household"]
    assert completed(home, "channels", "test", "") == ["phone"]
    assert completed(home, "tag", "delete", "f") == ["family"]
    (entry,) = (word for word in completed(home, "care", "show", "") if word != "last")
    assert home.records()[0]["id"].endswith(entry)
    assert "happy" in completed(home, "call", "log", "ann", "--emotion", "h")
    assert completed(home, "peo") == ["people"]


def test_a_name_in_the_address_book_runs_nothing(home):
    completed(home, "contacts", "show", "Annika")
    assert not (home.folder / "broken").exists()


def test_nothing_is_said_while_kithd_is_away(home, tmp_path):
    assert completed(home, "call", "log", "An", runtime=tmp_path) == []
    assert completed(home, "call", "lo", runtime=tmp_path) == ["log"]


@pytest.mark.parametrize(("shell", "check"), [("zsh", ["zsh", "-n"]), ("fish", ["fish", "--no-execute"])])
def test_the_scripts_of_other_shells_are_scripts(tmp_path, shell, check):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "script"
    script.write_bytes(subprocess.run([BINARIES / "kith", "--generate-completion-script", shell], capture_output=True, check=True).stdout)
    assert "---completion" in script.read_text()
    subprocess.run([*check, script], check=True)


def test_fish_offers_what_kithd_knows(home, tmp_path):
    if not shutil.which("fish"):
        pytest.skip("fish is not installed")
    script = subprocess.run([BINARIES / "kith", "--generate-completion-script", "fish"], capture_output=True, text=True, check=True).stdout
    (tmp_path / "kith.fish").write_text(script)
    run = subprocess.run(
        ["fish", "-c", f"source {tmp_path}/kith.fish; complete -C 'kith people show An'"], capture_output=True, text=True, timeout=60,
        env={**os.environ, "PATH": f"{BINARIES}:{os.environ['PATH']}", "KITH_RUNTIME_DIR": str(home.folder / "run"), "HOME": str(tmp_path)})
    assert "Ann Lee" in run.stdout, run
