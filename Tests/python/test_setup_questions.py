"""`kith setup` at a terminal: questions, what is answered, what is left as it is, and Ctrl-C at every question."""
import os
import re
import signal
import subprocess

import pytest

from conftest import BINARIES
from test_terminal import Typed
from trials import make_folder


class Place:
    """A running hub as a terminal is opened on it."""

    def __init__(self, hub):
        self.folder = hub.directory


ENGLISH = ["Language of", "cared for", "address book", "Monica server", "topic of ntfy", "evening reminder", "backup now"]
JAPANESE = ["言語は", "どなたですか", "取り込み元", "Monica を使う", "ntfy のトピック", "毎晩のお知らせ", "バックアップを作る"]


def converse(hub, answers, language="C.UTF-8", questions=ENGLISH, confirms=True):
    """Answers each question; returns what was shown and how it ended."""
    typed = Typed(Place(hub), "setup", LC_ALL=language)
    for question, answer in zip(questions, answers):
        typed.until(re.escape(question) + r"[^\n]*\] $")
        typed.type(answer + "\n")
    if confirms:
        typed.until(r"\[Y/n\] $").type("\n")
    status = typed.end()
    return typed.said, status


def state(hub):
    """Everything that setup may change."""
    found = {method: hub.reply(method) for method in
             ("Care/Settings", "Contacts/ListSources", "Channels/List", "Reminders/Settings", "Monica/Status")}
    daily = hub.reply("Reminders/Status").get("daily", {})
    found["daily"] = (daily.get("enabled"), daily.get("time"))
    return found


@pytest.mark.parametrize(("language", "questions", "done"), [
    ("C.UTF-8", ENGLISH, "Done."), ("ja_JP.UTF-8", JAPANESE, "終わりました")], ids=["english", "japanese"])
def test_a_new_household(hub, tmp_path, language, questions, done):
    folder = tmp_path / "cards"
    make_folder(folder, 2)
    backup = tmp_path / "backup.db"
    said, status = converse(hub, ["ja", "佐藤花子", str(folder), "", "family-care", "", str(backup)], language, questions)
    assert status == 0 and done in said, said
    assert "[20:00]" in said, "the reminder has a default where somebody is cared for"
    settings = hub.reply("Care/Settings")
    assert (settings["recipient"], settings["language"]) == ("佐藤花子", "ja")
    assert [source["vdir"]["path"] for source in hub.reply("Contacts/ListSources")["sources"]] == [str(folder)]
    assert hub.reply("Reminders/Settings")["dailyChannels"] == ["phone"]
    assert state(hub)["daily"] == (True, "20:00") and backup.stat().st_size > 0

    # Again: what is set is shown, and stays for Enter.
    before = state(hub)
    said, status = converse(hub, [""] * 7, language, questions, confirms=False)
    assert status == 0 and state(hub) == before
    assert all(shown in said for shown in ["[ja]", "[佐藤花子]", "home", "phone", "[20:00]"]), said
    # One answer changes one thing.
    said, status = converse(hub, ["", "", "", "", "", "21:30", ""], language, questions)
    assert status == 0 and state(hub) == {**before, "daily": (True, "21:30")}
    converse(hub, ["", "", "", "", "", "off", ""], language, questions)
    assert not state(hub)["daily"][0]


@pytest.mark.parametrize("key", ["\x03", "\x04"], ids=["ctrl-c", "ctrl-d"])
@pytest.mark.parametrize("last", range(len(ENGLISH) + 1))
def test_ctrl_c_or_d_changes_nothing(hub, tmp_path, last, key):
    folder = tmp_path / "cards"
    make_folder(folder, 2)
    before = state(hub)
    answers = ["ja", "Hanako", str(folder), "", "topic", "20:00", str(tmp_path / "backup.db")]
    typed = Typed(Place(hub), "setup")
    for question, answer in zip(ENGLISH[:last], answers):
        typed.until(re.escape(question) + r"[^\n]*\] $").type(answer + "\n")
    typed.until(re.escape((ENGLISH + ["Carry this out?"])[last]) + r"[^\n]*\] $").type(key)
    if key == "\x03":
        assert typed.end() == -signal.SIGINT
    else:
        assert typed.end() == 1 and typed.said.endswith("] \r\nkith: Nothing was changed.\r\n"), typed.said
    assert state(hub) == before and not (tmp_path / "backup.db").exists()


@pytest.mark.parametrize(("arguments", "question", "words"), [
    (["monica", "forget"], "[y/N] ", "kith: Nothing was changed."),
    (["monica", "login", "--cloud"], "API token of Monica: ", "kith: No token was given."),
], ids=["question", "secret"])
@pytest.mark.parametrize("key", ["\x04", "\x03"], ids=["ctrl-d", "ctrl-c"])
def test_what_is_said_begins_a_line_of_its_own(hub, arguments, question, words, key):
    typed = Typed(Place(hub), *arguments).until(re.escape(question) + "$").type(key)
    if key == "\x03" and question == "[y/N] ":
        assert typed.end() == -signal.SIGINT
    else:
        assert typed.end() == 1 and f"{question}\r\n{words}" in typed.said, typed.said


def test_wrong_answers_are_asked_again(hub):
    typed = Typed(Place(hub), "setup")
    typed.until("or en[^\n]*\\] $").type("fr\n").until("type ja or en").until(r"or en[^\n]*\] $").type("\n")
    typed.until(r"cared for[^\n]*\] $").type("\n")
    typed.until(r"address book[^\n]*\] $").type("/nowhere\n").until("does not exist")
    typed.until(r"exist[\s\S]*address book[^\n]*\] $").type("\n")
    typed.until(r"Monica server[^\n]*\] $").type("\n").until(r"ntfy[^\n]*\] $").type("\n")
    typed.until(r"evening reminder[^\n]*\] $").type("25:00\n").until("such as 20:00")
    typed.until(r"such as 20:00[\s\S]*evening reminder[^\n]*\] $").type("午後8時半\n").until(r"backup now[^\n]*\] $").type("\n")
    typed.until(r"\[Y/n\] $").type("\n")
    assert typed.end() == 0
    assert state(hub)["daily"] == (True, "20:30") and not hub.reply("Contacts/ListSources").get("sources")


@pytest.mark.parametrize(("language", "words"), [("C.UTF-8", "needs a terminal"), ("ja_JP.UTF-8", "端末で実行")])
def test_without_a_terminal_it_says_what_else_to_do(hub, language, words):
    run = subprocess.run(
        [BINARIES / "kith", "setup", "--runtime-dir", hub.runtime], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=60, start_new_session=True, env={**os.environ, "LC_ALL": language})
    assert run.returncode == 1 and not run.stdout and words in run.stderr and "kith contacts source add" in run.stderr


def test_with_yes_it_asks_nothing(hub):
    """As an installation by a script has it: without a terminal, and again without a change."""
    def set_up():
        return subprocess.run(
            [BINARIES / "kith", "setup", "--yes", "--runtime-dir", hub.runtime], stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=60, start_new_session=True, env={**os.environ, "LC_ALL": "ja_JP.UTF-8"})

    run = set_up()
    assert run.returncode == 0 and "終わりました" in run.stdout and "[" not in run.stdout, run
    assert hub.reply("Care/Settings")["language"] == "ja"
    before = state(hub)
    again = set_up()
    assert again.returncode == 0 and "変更はありません" in again.stdout and state(hub) == before
