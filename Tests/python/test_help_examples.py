"""Every example of `kith help` does what it says: each is run against a kithd with a small household."""
import json
import os
import re
import shlex
import shutil
import subprocess

import pytest

from conftest import BINARIES
from test_care import Home, recording
from test_who import card

# What no test runs, and why. The parser takes each of them: UsageTests.
NOT_RUN = {
    r"kith setup$": "asks on a terminal: test_setup_questions.py",
    r"kith watch": "does not end: test_thirty_tasks.py",
    r"kith monica (login|sync|switch|logout|status|queue|retry|clear|conflicts|resolve|forget)": "needs a server: test_monica_*.py",
    r"kith contacts source (login|discover|add work)": "needs a CardDAV server: test_carddav.py",
    r"kith channels (add (family|line|chat|phone)|login|test|retry|discard|settings|remove)": "needs a receiver or asks for a secret: test_channels.py",
    r"kith channels add all": "the program has to be allowed: test_programs.py",
    r"kith care share --day 2026-11-20 --to|kith call share|kith remind settings --daily phone":
        "names a channel of the household: test_channel_use.py",
    r"kith (care voice --category|call voice)|ssh phone|kith care play|kith care audio|kith care retry": "needs a microphone or kept sound: test_terminal.py",
    r"kith care confirm": "needs an entry by voice: test_care.py",
    r"kith jobs (show|retry|cancel)": "needs a job of a worker: test_worker_links.py",
    r"kith remind (snooze|done|skip|remove)": "names the reminder of a day: test_due_minute.py, test_plan_reminders.py",
    r"kith keys (approve|revoke)": "names a key of another machine: test_keys.py",
    r"kith keys new": "writes into the home folder: test_keys.py",
    r"kith call (import|attachment)": "needs a file of an earlier day: test_calls.py",
    r"kith people show ann --refresh": "reads from a server: test_monica_sync.py",
    r"kith (people|contacts) photo": "needs a photo: test_carddav_photos.py",
    r"kith restore": "needs a hub that is stopped: test_restore.py",
    r"kith contacts restore": "needs a contact that was deleted: test_folders.py",
    r"kith people (link ann 'Ann Lee'|dismiss)": "decided once only: test_who.py",
    r"kith web revoke": "names a device: test_devices.py",
}

NEW = {
    "call": ["call", "log", "ann", "--note", "About the garden"], "note": ["note", "add", "ann", "Likes tea"],
    "task": ["task", "add", "ann", "Send the photos"], "gift": ["gift", "add", "ann", "A scarf"],
    "activity": ["activity", "add", "ann", "Walk"], "talk": ["talk", "log", "ann", "--channel", "email", "--note", "Hello"],
    "relation": ["relation", "add", "ann", "friend", "bob"], "care": ["care", "record", "meal", "tea"],
    "field": ["people", "field", "add", "ann", "phone", "1"], "address": ["people", "address", "add", "ann", "--city", "Rome"],
    "plan": ["plan", "add", "aspirin", "--at", "8:00,20:00", "--stock", "28"], "measure": ["measure", "add", "temperature", "37.2"],
    "remind": ["people", "remind", "add", "ann", "Card", "--on", "2027-01-01"],
}


def examples():
    def walk(command):
        for line in (command.get("discussion") or "").splitlines():
            if line.startswith("Example: "):
                yield line.removeprefix("Example: ")
        for below in command.get("subcommands") or []:
            yield from walk(below)

    dump = subprocess.run([BINARIES / "kith", "--experimental-dump-help"], capture_output=True, text=True, check=True).stdout
    return list(dict.fromkeys(walk(json.loads(dump)["command"])))


EXAMPLES = examples()


def is_run(example):
    return not any(re.search(pattern, example) for pattern in NOT_RUN)


@pytest.fixture(scope="module")
def household(tmp_path_factory):
    """What each example finds; made once, because making it takes longer than most examples."""
    home = Home(tmp_path_factory.mktemp("household"))
    (home.folder / "contacts").mkdir()
    (home.folder / "contacts" / "ann.vcf").write_text(card("Ann Lee", email="ann@example.com", BDAY="1980-05-17"))
    (home.folder / "contacts" / "leigh.vcf").write_text(card("Anna Leigh"))
    home.start()
    for name in ("Ann", "Bob"):
        home.kith("people", "add", name, "--last-name", "Lee", "--tag", "family")
    home.kith("contacts", "source", "add", "home", "--vdir", str(home.folder / "contacts"))
    home.kith("contacts", "sync", "home")
    assert home.stop() == 0
    return home.folder


@pytest.fixture
def home(household, tmp_path):
    home = Home(tmp_path)
    backups = tmp_path / "backups"
    backups.mkdir(mode=0o700)
    home.config.write_text(home.config.read_text() + f'\n[backup]\nfolder = "{backups}"\n')
    for folder in ("contacts", "state"):
        shutil.copytree(household / folder, tmp_path / folder)
    recording(tmp_path / "a.wav")
    home.start()
    yield home
    home.stop()


def run(home, *arguments):
    return subprocess.run(
        [BINARIES / "kith", *arguments], capture_output=True, text=True, timeout=60, cwd=home.folder, stdin=subprocess.DEVNULL,
        env={**os.environ, "KITH_RUNTIME_DIR": str(home.folder / "run"), "HOME": str(home.folder), "LC_ALL": "C.UTF-8"})


def furnish(home, example):
    """What the example speaks of."""
    words = shlex.split(example)[1:]
    for word in words[:2]:
        if word in NEW and words[:2] not in (["relation", "add"], ["plan", "add"]):
            run(home, *NEW[word])
    if "restore" in words:
        run(home, words[0], "delete", *(["ann", "--yes"] if words[0] == "people" else ["last"]))
    if words[:2] == ["tag", "add"]:
        run(home, "tag", "delete", "family")
    if words[:3] == ["call", "template", "delete"]:
        run(home, "call", "template", "save", "weekly")
    if words[:3] == ["plan", "undo", "last"]:
        run(home, "plan", "give", "aspirin", "--yes")
    if words[:2] == ["call", "stop"]:
        run(home, "call", "start", "ann")
    if words[:4] == ["contacts", "source", "add", "home"]:
        run(home, "contacts", "source", "remove", "home")


@pytest.mark.parametrize("example", list(filter(is_run, EXAMPLES)))
def test_the_examples_of_help_work(home, example):
    furnish(home, example)
    arguments = [word.replace("~", str(home.folder)) for word in shlex.split(example)[1:]]
    # Without a terminal nobody is asked.
    if arguments[:2] in (["people", "delete"], ["plan", "give"]):
        arguments.append("--yes")
    done = run(home, *arguments)
    # `kith doctor` says by 1 that something needs a person.
    assert done.returncode in ((0, 1) if arguments == ["doctor"] else (0,)), done.stdout + done.stderr


def test_each_reason_not_to_run_is_of_an_example():
    for pattern in NOT_RUN:
        assert any(re.search(pattern, example) for example in EXAMPLES), pattern
    assert sum(map(is_run, EXAMPLES)) > len(EXAMPLES) * 0.6
