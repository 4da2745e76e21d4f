"""Lists of `kith` as a person reads them: birthdays, who was not called for long, short summaries, sources that go."""
import datetime
import re

import pytest

from test_care import Home
from test_daily_use import piped, shown
from test_who import card


@pytest.fixture
def home(tmp_path):
    home = Home(tmp_path)
    home.start()
    yield home
    home.stop()


def day(days):
    return datetime.date.today() + datetime.timedelta(days=days)


def book(home, *cards):
    folder = home.folder / "book"
    folder.mkdir()
    for number, text in enumerate(cards):
        (folder / f"{number}.vcf").write_text(text)
    home.kith("contacts", "source", "add", "home", "--vdir", str(folder))
    home.kith("contacts", "sync")


def test_birthdays_of_people_and_contacts_are_one_list(home):
    soon, later = day(3), day(200)
    book(home, card("Ingrid Solberg", BDAY=f"1985-{soon:%m-%d}"), card("Otto Brandt", BDAY=f"1950-{later:%m-%d}"), card("Nobody Knows"))
    home.kith("people", "add", "Ann", "--last-name", "Lee", "--birthday", f"--{day(10):%m-%d}")
    home.kith("people", "add", "Dora", "--birthday", f"1940-{soon:%m-%d}", "--dead")
    home.kith("people", "add", "Emil", "--birthday", "~1950")
    # The contact of whom something is recorded is one person.
    home.kith("note", "add", "ingrid", "Waters the plants")
    rows = shown(home, "birthdays", NO_COLOR="1").splitlines()
    assert [re.split(r"  +", row)[:4] for row in rows[1:]] == [
        ["in 3 days", str(soon), "Ingrid Solberg", str(soon.year - 1985)], ["in 10 days", str(day(10)), "Ann Lee", rows[2].split()[-1]]], rows
    assert "Otto Brandt" in shown(home, "birthdays", "--days", "366")
    assert piped(home, "birthdays", "--days", "400").returncode == 2
    assert "3日後" in shown(home, "birthdays", LC_ALL="ja_JP.UTF-8")


def test_who_was_not_called_for_long_is_marked(home):
    home.kith("people", "add", "Ann")
    for days in (90, 80, 70, 60):
        home.kith("call", "log", "ann", "--at", f"{days} days ago")
    home.kith("people", "add", "Bob")
    home.kith("call", "log", "bob")
    rows = shown(home, "people", "list", "--wide", NO_COLOR="1").splitlines()
    assert "(overdue)" in next(row for row in rows if row.startswith("Ann")) and "(overdue)" not in next(
        row for row in rows if row.startswith("Bob")), rows


def test_a_page_of_a_person_names_the_newest_twenty(home):
    home.kith("people", "add", "Ann")
    for number in range(21):
        home.kith("note", "add", "ann", f"Note {number}")
    page = shown(home, "people", "show", "ann", NO_COLOR="1")
    command = re.search(r"The newest 20\. To see all: kith (note list \w+ --all)", page)
    assert command, page
    assert shown(home, *command[1].split(), NO_COLOR="1").count("Note ") == 21


@pytest.mark.parametrize("command", [("call", "list"), ("talk", "list"), ("note", "list", "ann")], ids=" ".join)
def test_a_span_that_ends_before_it_begins_is_refused_and_said_so(home, command):
    home.kith("people", "add", "Ann")
    for language, words in (("en", "kith: --to: is not after the beginning"), ("ja", "kith: --to: 終わりは始まりより後にしてください")):
        refused = piped(home, *command, "--from", "2026-11-20", "--to", "2026-11-19", "--lang", language)
        assert refused.returncode == 1 and words in refused.stderr, refused


@pytest.mark.parametrize(
    "command, last",
    [(("plan", "history"), "--until"), (("measure", "list"), "--until"), (("activity", "list"), "--to"), (("care", "list"), "--to")],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else value)
def test_days_of_which_the_last_is_before_the_first_are_refused(home, command, last):
    for language, words in (("en", f"kith: {last}: is before the first day"), ("ja", f"kith: {last}: 終わりが始まりより前です")):
        refused = piped(home, *command, "--from", "2026-11-20", last, "2026-11-19", "--lang", language)
        assert refused.returncode == 1 and words in refused.stderr, refused
    assert piped(home, *command, "--from", "2026-11-20", last, "2026-11-20").returncode == 0


@pytest.mark.parametrize("arguments, words", [
    (("care", "list", "--from", "yesterday 9:00"), ("whole days", "日単位")),
    (("call", "list", "--from", "xyz"), ("Times are written", "日時の書き方")),
    (("call", "log", "ann", "--at", "monday"), ("the time of day too", "時刻も指定してください")),
], ids=lambda value: value[0])
def test_what_is_wrong_with_a_time_is_said_in_the_language_that_was_asked_for(home, arguments, words):
    for language, expected in zip(("en", "ja"), words):
        refused = piped(home, *arguments, "--lang", language)
        assert refused.returncode == 2 and expected in refused.stderr, refused


@pytest.mark.parametrize("noun", ["call", "talk", "note", "activity", "task", "gift", "relation"])
def test_what_is_not_there_names_the_list_of_what_is(home, noun):
    home.kith("people", "add", "Ann")
    for typed in ("nope", "01a0b1c2-0000-7000-8000-000000000000"):
        failed = piped(home, noun, "show", typed, "--lang", "en")
        assert failed.returncode == 1, failed
        command = re.search(rf"kith ({noun} list[ A-Z]*)", failed.stderr)
        assert command, failed.stderr
        shown(home, *command[1].strip().replace("PERSON", "ann").split())
        assert f"kith {noun} list" in piped(home, noun, "show", typed, "--lang", "ja").stderr


def test_a_short_summary_has_no_memos(home):
    home.kith("care", "record", "free_memo", "The neighbour came")
    whole, short = (piped(home, "care", "summary", "--lang", "en", *options).stdout for options in ((), ("--short",)))
    assert whole.count("The neighbour came") == 2 and short.count("The neighbour came") == 1, (whole, short)


def test_a_source_goes_only_when_that_is_confirmed(home):
    book(home, *(card(f"Person{number} Example") for number in range(101)))
    refused = piped(home, "contacts", "source", "remove", "home")
    assert refused.returncode == 1 and "--yes" in refused.stderr and "101 contacts" in refused.stderr
    assert home.kith("contacts", "list")["contacts"]
    done = piped(home, "contacts", "source", "remove", "home", "--yes")
    assert done.returncode == 0 and "101 contacts" in done.stdout
    assert not home.kith("contacts", "list").get("contacts")


def test_an_activity_comes_back(home):
    home.kith("people", "add", "Ann")
    home.kith("activity", "add", "ann", "Walk in the park")
    deleted = piped(home, "activity", "delete", "last")
    command = re.search(r"kith (activity restore \S+)", deleted.stdout)[1]
    assert "Walk" not in piped(home, "activity", "list").stdout
    assert piped(home, *command.split()).returncode == 0
    assert "Walk in the park" in piped(home, "activity", "list").stdout


def test_a_contact_is_shown_by_its_name(home):
    book(home, card("Ingrid Solberg", phone="+1-555-010-0131"), card("Otto Brandt"))
    assert "+1-555-010-0131" in piped(home, "contacts", "show", "ingrid").stdout
    assert "Otto Brandt" in piped(home, "contacts", "show", "Otto Brandt").stdout
    nobody = piped(home, "contacts", "show", "zoe")
    assert nobody.returncode == 1 and "kith contacts list" in nobody.stderr


def test_phones_and_addresses_lead_somewhere_on_a_terminal_that_shows_links(home):
    book(home, card("Ingrid Solberg", phone="+47 55 51 01 31", EMAIL="ingrid@example.org"))
    home.kith("people", "add", "Ann")
    home.kith("people", "field", "add", "ann", "phone", "+1-555-010-0131")

    def link(address, text):
        return f"\x1b]8;;{address}\x1b\\{text}\x1b]8;;\x1b\\"

    shows = {"VTE_VERSION": "7600"}
    said = shown(home, "contacts", "show", "ingrid", **shows)
    assert link("tel:+4755510131", "+47 55 51 01 31") in said and link("mailto:ingrid@example.org", "ingrid@example.org") in said, said
    assert link("tel:+15550100131", "+1-555-010-0131") in shown(home, "people", "show", "ann", **shows)
    for others in ({}, {**shows, "NO_COLOR": "1"}, {**shows, "TERM": "dumb"}, {**shows, "TERM": "tmux-256color"}, {"VTE_VERSION": "4000"}):
        assert "\x1b]8" not in shown(home, "contacts", "show", "ingrid", **others), others
    assert "\x1b" not in piped(home, "contacts", "show", "ingrid", **shows).stdout


def test_a_very_long_name_takes_nothing_from_the_others(home):
    long = "Anna Charlotte Wilhelmina Frederika von der Marwitz-Rosenhagen, whose neighbours call her Lotte"
    book(home, card(long), card("Otto Brandt", phone="+1-555-010-0131", EMAIL="otto@example.org"))
    for columns in (80, 200):
        said = shown(home, "contacts", "list", columns=columns)
        assert re.search(r"Otto Brandt +\+1-555-010-0131 +otto@example\.org", said) and "Left out" not in said, said
        assert all(word in said for word in long.split()), said
    home.kith("people", "add", long, "--nickname", "Lotte", "--company", "Acme")
    home.kith("people", "add", "Ann", "--last-name", "Lee", "--nickname", "Annie", "--company", "Acme")
    assert re.search(r"Ann Lee +Annie +Acme", shown(home, "people", "list"))


@pytest.mark.parametrize(("typed", "meant"), [("peeple", "people"), ("birthday", "birthdays"), ("contact", "contacts"), ("staus", "status")])
def test_a_mistyped_noun_is_suggested(home, typed, meant):
    run = piped(home, typed, "list")
    assert run.returncode == 2 and f"Did you mean '{meant}'?" in run.stderr, run


@pytest.mark.parametrize(("typed", "meant"), [("--hbu=x", "--hub"), ("--jsno", "--json"), ("--kye=x", "--key"), ("--at=9:00", None)])
def test_a_mistyped_option_is_suggested_only_where_it_is_near(home, typed, meant):
    run = piped(home, "note", "add", "ann", "hello", typed)
    suggestion = f". Did you mean '{meant}'?" if meant else ""
    assert run.returncode == 2 and run.stderr.startswith(f"Error: Unknown option '{typed.split('=')[0]}'{suggestion}\n"), run


@pytest.mark.parametrize(("typed", "listing"), [
    (("channels", "test"), "kith channels list"), (("contacts", "sync"), "kith contacts source list"), (("web", "revoke"), "kith web devices"),
    (("keys", "revoke"), "kith keys list"), (("call", "template", "delete"), "kith call template list"), (("jobs", "show"), "kith jobs list")],
    ids=" ".join)
@pytest.mark.parametrize("language", ["ja", "en"])
def test_an_unknown_name_is_answered_with_the_command_that_lists_them(home, typed, listing, language):
    run = piped(home, *typed, "nobody", "--lang", language)
    assert run.returncode == 1 and listing in run.stderr, run
    assert bool(re.search("ありません|見つかりません", run.stderr)) == (language == "ja"), run


@pytest.mark.parametrize("command", [("web", "revoke"), ("keys", "revoke"), ("channels", "remove"), ("contacts", "source", "remove")], ids=" ".join)
def test_what_is_not_there_is_refused_without_a_question(home, command):
    said = shown(home, *command, "nobody", code=1)
    assert said.startswith("kith: ") and "nobody" in said and "?" not in said, said


def test_wrong_usage_is_told_in_the_language_that_was_asked_for(home):
    for command in (("peple", "--lang", "ja"), ("call", "show", "--lang=ja"), ("people", "list", "--limt", "3", "--lang", "ja")):
        run = piped(home, *command)
        assert run.returncode == 2 and run.stderr.startswith("エラー: "), run
    run = piped(home, "people", "list", "--limt", "3", "--lang", "en", LC_ALL="ja_JP.UTF-8")
    assert run.returncode == 2 and run.stderr.startswith("Error: "), run


def test_a_summary_is_in_the_language_of_the_household_else_of_its_reader(home):
    def title(locale):
        return piped(home, "care", "summary", LC_ALL=locale).stdout.splitlines()[0]

    assert title("C.UTF-8").startswith("[Care log]") and title("ja_JP.UTF-8").startswith("【")
    assert home.kith("care", "summary")["text"].startswith("[Care log]")
    home.kith("care", "settings", "--language", "en")
    assert title("ja_JP.UTF-8").startswith("[Care log]")
    home.kith("care", "settings", "--language", "ja")
    assert title("C.UTF-8").startswith("【")


@pytest.mark.timeout(600)  # Nearly a hundred programs, one after another.
@pytest.mark.parametrize("zone", ["America/Los_Angeles", "UTC", "Asia/Tokyo"])
def test_what_was_during_some_days_is_listed_in_every_list(home, zone):
    home.kith("people", "add", "Ann")
    home.kith("care", "settings", "--time-zone", zone)
    for day in ("today", "yesterday", "10 days ago"):
        first, last = ("now", "now") if day == "today" else (f"{day} 00:01", f"{day} 23:59")
        for command in (("talk", "log", "ann", "--channel", "email", "--note", f"talk {day}", "--at", first),
                        ("activity", "add", "ann", f"activity {day}", "--on", day), ("care", "record", "meal", f"meal {day}", "--at", last)):
            assert piped(home, *command, TZ=zone).returncode == 0, command
    home.kith("note", "add", "ann", "note today")

    def listed(*command):
        run = piped(home, *command, TZ=zone)
        assert run.returncode == 0, run
        return set(re.findall(r"(?:talk|activity|meal|note) (today|yesterday|10 days ago)", run.stdout))

    for command in (("talk", "list", "ann"), ("activity", "list"), ("care", "list")):
        assert listed(*command, "--during", "yesterday") == {"yesterday"}, command
        assert listed(*command, "--day", "today") == {"today"}, command
        assert listed(*command, "--from", "yesterday") == {"today", "yesterday"}, command
        assert listed(*command, "--to", "8 days ago") == {"10 days ago"}, command
        assert listed(*command) == {"today", "yesterday", "10 days ago"}, command
        assert piped(home, *command, "--during", "today", "--to", "today").returncode == 2
        # A time of day is taken, or refused, and never cut off.
        run = piped(home, *command, "--from", "yesterday 9:00", TZ=zone)
        if command[0] == "talk":
            assert "talk today" in run.stdout and "talk yesterday" not in run.stdout, run
        else:
            assert run.returncode == 2 and "whole days" in run.stderr, run
    assert listed("note", "list", "ann", "--during", "今日") == {"today"}
    assert listed("note", "list", "ann", "--to", "yesterday") == set()
    assert "talk" not in piped(home, "talk", "list", "ann", "--limit", "1", "--channel", "email", "--to", "20 days ago").stdout
    assert piped(home, "talk", "list", "ann", "--limit", "1").stdout.count("talk ") == 1
