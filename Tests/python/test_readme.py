"""The tour of the README: each command that it shows prints what it shows, with other ids and times."""
import re
import shlex
import shutil

from conftest import ROOT
from trials import daemon, kith

ID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
# What is of its day.
OF_THE_DAY = re.compile(rf"(?<!uuid:){ID}|\d{{4}}-\d\d-\d\dT[\d:.]+Z|\d{{4}}-\d\d-\d\d(?= 09:00)|\d+ (?:hour|day)s? ago")


def tour():
    """The commands of kith with what each prints. `watch` does not end, and draws for a terminal."""
    section = (ROOT / "README.md").read_text().split("\n## A tour\n")[1].split("\n## ")[0]
    for block in re.findall(r"```console\n(.*?)```", section, re.DOTALL):
        for shown in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, output = shown.partition("\n")
            words = shlex.split(line)
            if words[0] == "kith" and words[1] != "watch":
                yield words[1:], output


def same(text):
    """A text without what is of its day."""
    return OF_THE_DAY.sub("…", text)


def test_the_tour_shows_what_is_printed():
    with daemon() as hub:
        folder = hub.directory / "contacts"
        shutil.copytree(ROOT / "examples" / "household", folder)
        syncs = 0
        for words, shown in tour():
            if words == ["contacts", "sync"]:
                syncs += 1
                # The second one finds "the folder suddenly empty".
                for card in folder.iterdir() if syncs == 2 else ():
                    card.unlink()
            if words[:2] == ["contacts", "show"]:
                (found,) = hub.reply("Contacts/Search", {"text": shown.partition("\n")[0]})["contacts"]
                words = [*words[:2], found["id"]]
            words = [word.replace("~", str(hub.directory)) for word in words]
            run = kith(hub, *words)
            assert same(run.stdout + run.stderr).rstrip() == same(shown).rstrip(), shlex.join(words)
        assert syncs == 2
