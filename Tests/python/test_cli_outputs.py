"""What somebody new tries at the command line: a full disk, bytes on a terminal, words for days, the words that lists print."""
import os
import re
import subprocess

import pytest

from test_care import BIN, Home
from test_daily_use import piped, shown


@pytest.fixture
def home(tmp_path):
    home = Home(tmp_path)
    home.start()
    yield home
    home.stop()


def into(home, target, *arguments):
    with open(target, "w") as output:
        return subprocess.run(
            [BIN / "kith", "--runtime-dir", home.folder / "run", *arguments], stdout=output, stderr=subprocess.PIPE, text=True,
            timeout=60, env={**os.environ, "LC_ALL": "C.UTF-8"})


@pytest.mark.parametrize("arguments", [("people", "list"), ("--version",), ("people", "--help")], ids=" ".join)
def test_output_that_is_lost_on_a_full_disk_is_an_error(home, arguments):
    run = into(home, "/dev/full", *arguments)
    assert run.returncode == 1 and "standard output cannot be written: No space left on device" in run.stderr, run.stderr


def test_a_reader_that_has_seen_enough_is_no_error(home):
    command = f"{BIN}/kith --runtime-dir {home.folder}/run people list --help"
    run = subprocess.run(["bash", "-c", f"trap '' PIPE; {command} | true; echo ${{PIPESTATUS[0]}}"], capture_output=True, text=True)
    assert run.stdout == "0\n" and run.stderr == "", run


def test_bytes_are_not_written_to_a_terminal(home):
    assert "This is no text" in shown(home, "backup", "-", code=1)
    assert "文字ではない" in shown(home, "backup", "-", code=1, LC_ALL="ja_JP.UTF-8")
    assert '"occurred_at"' in shown(home, "care", "export", "-o", "-")
    assert (home.folder / "copy.db").write_bytes(subprocess.run(
        [BIN / "kith", "--runtime-dir", home.folder / "run", "backup", "-"], capture_output=True, check=True).stdout)


def test_a_week_or_a_month_has_a_first_and_a_last_day(home):
    home.kith("care", "record", "meal", "rice")
    home.kith("care", "record", "meal", "soup", "--at", "40 days ago")
    for month in "this month", "今月":
        text = piped(home, "care", "export", "-o", "-", "--from", month, "--to", month).stdout
        assert "rice" in text and "soup" not in text, text
    assert "rice" not in piped(home, "care", "export", "-o", "-", "--to", "last month").stdout
    assert "rice" in piped(home, "care", "summary", "今日").stdout


def test_lists_are_asked_for_in_the_words_that_they_print(home):
    home.kith("people", "add", "Ann")
    home.kith("call", "log", "ann")
    for words in "here", "この家だけ":
        assert "Ann" in piped(home, "call", "list", "--day", "today", "--state", words).stdout
    assert "Ann" not in piped(home, "call", "list", "--state", "未送信").stdout
    wrong = piped(home, "care", "export", "-o", "-", "--format", "xml", LC_ALL="ja_JP.UTF-8")
    assert wrong.returncode == 2 and "'csv'、'json'" in wrong.stderr, wrong.stderr


def test_what_was_deleted_is_restored_by_the_command_that_is_printed(home):
    home.kith("care", "record", "meal", "rice")
    command = re.search(r"To restore it: kith (care restore \w+)", shown(home, "care", "delete", "last"))
    assert "deleted" not in shown(home, *command[1].split())
    assert "There is no deleted person yet" in piped(home, "people", "restore", "last").stderr


def test_a_reminder_for_today_is_in_no_days(home):
    home.kith("people", "add", "Ann")
    run = piped(home, "remind", "call", "ann", "--in", "0")
    # After ten o'clock that time has passed.
    assert run.returncode == 0 or "must be in the future" in run.stderr, run.stderr


@pytest.mark.parametrize(("arguments", "words"), [
    (("call", "import", "/nowhere"), "/nowhere を読めません (ファイルかフォルダーがありません)"),
    (("call", "import", "/etc/hostname"), "/etc/hostname は電話を書き出したファイルではありません"),
    (("contacts", "export", "-o", "/nowhere/x.vcf"), "/nowhere/x.vcf に書き込めません (ファイルかフォルダーがありません)"),
    (("keys", "approve", "zz", "--name", "a"), "16桁の16進数"),
    (("call", "Foo/Bar"), "「Foo/Bar」は"),
    (("watch", "nope"), "選べるもの: system, jobs"),
    (("call", "log", "ann", "--at", "昨日"), "時刻も指定してください"),
    (("contacts", "source", "add", "home", "--vdir", "/nowhere"), "/nowhere がありません")], ids=lambda item: " ".join(item)[:30])
def test_errors_in_japanese_say_as_much_as_in_english(home, arguments, words):
    home.kith("people", "add", "Ann")
    run = piped(home, *arguments, LC_ALL="ja_JP.UTF-8")
    assert run.returncode in (1, 2) and words in run.stderr, run.stderr
