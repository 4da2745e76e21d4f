"""Help at a terminal in two languages, and the manual as man(1) reads it."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from conftest import BINARIES, ROOT

CATALOGUE = ROOT / "Sources" / "HelpTexts" / "ja.po"


# kith-web is built only where it is asked for.
PROGRAMS = [program for program in ("kith", "kithd", "kith-homeassistant", "kith-web") if (BINARIES / program).exists()]


def run(program, *arguments, language="C.UTF-8"):
    return subprocess.run([BINARIES / program, *arguments], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "LC_ALL": language, "COLUMNS": "80"})


@pytest.mark.parametrize(("program", "arguments"), [("kith", ["help", "people"]), ("kith", ["people", "--help"]),
                                                    ("kithd", ["worker", "--help"]),
                                                    *((program, ["--help"]) for program in PROGRAMS)])
def test_help_is_in_the_language_of_the_locale(program, arguments):
    english, japanese = run(program, *arguments), run(program, *arguments, language="ja_JP.UTF-8")
    assert english.returncode == japanese.returncode == 0 and not english.stderr + japanese.stderr
    assert "Usage: " in english.stdout and "使い方: " in japanese.stdout
    assert any(line.startswith("Example: ") for line in english.stdout.splitlines()[1:3])
    lines = [line for line in japanese.stdout.splitlines() if not line.startswith("使い方: ")]
    assert any(line.startswith("例: ") for line in lines[1:3])
    # No sentence was left in English; commands are the same in both languages.
    lines = [re.sub("kith keys new .*", "", line) for line in lines if not line.startswith("例: ")]
    assert not [line for line in lines if re.search(r"[a-z]+ [a-z]+ [a-z]+ ", line)], lines


@pytest.mark.parametrize("program", PROGRAMS)
def test_wrong_usage_is_in_the_language_of_the_locale(program):
    needed = ["--listen", "127.0.0.1:1", "--insecure-http"] if program == "kith-web" else []
    wrong = run(program, *needed, "--unheard", language="ja_JP.UTF-8")
    assert wrong.returncode == 2 and not wrong.stdout
    assert wrong.stderr.startswith("エラー: オプション '--unheard' はありません。\n使い方: ")


@pytest.mark.skipif(not shutil.which("msgfmt"), reason="the package gettext of Debian is not installed")
def test_gettext_accepts_the_catalogue():
    subprocess.run(["msgfmt", "--check", "-o", os.devnull, CATALOGUE], check=True)


@pytest.mark.parametrize(("program", "section"), [("kith", 1), ("kithd", 8), ("kith-web", 8), ("kith-homeassistant", 8)])
def test_the_manual_is_without_faults(program, section, tmp_path):
    if not (BINARIES / program).exists():
        pytest.skip(f"{program} is not built")
    assert run(program, "help", "--man", tmp_path / "man").returncode == 0
    pages = sorted((tmp_path / "man").iterdir())
    assert tmp_path / "man" / f"{program}.{section}" in pages
    for page in pages:
        if shutil.which("mandoc"):
            subprocess.run(["mandoc", "-Tlint", "-Wwarning", page], check=True)
        if shutil.which("groff"):
            told = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-Kutf8", page], capture_output=True, text=True, check=True)
            assert not told.stderr and page.stem.upper() in told.stdout, told.stderr
    if program == "kith":
        shown = (tmp_path / "man" / "kith-people.1").read_text()
        assert "Show a person" in shown and "kith people show ann \\-\\-refresh" in shown


def test_a_manual_that_cannot_be_written(tmp_path):
    (tmp_path / "man").write_text("")
    told = run("kith", "help", "--man", tmp_path / "man")
    assert told.returncode == 1 and "was not written" in told.stderr
    assert pathlib.Path(tmp_path / "man").read_text() == ""
