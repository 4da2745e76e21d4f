"""What the trials share: daemons that are broken on purpose, and what has to be true of them afterwards."""
import concurrent.futures
import contextlib
import functools
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile

import pytest

import cards
from conftest import BINARIES, CONFIGURATION, Hub

NOBODY = 65534
STREAMS = ("sync", "contacts", "system")

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user or mount a small disk")


@contextlib.contextmanager
def acting_as(user):
    """Gives this process the effective user for a while: connections that it makes are that user's."""
    if user is None or user == os.geteuid():
        yield
        return
    os.seteuid(user)
    try:
        yield
    finally:
        os.seteuid(0)


class Daemon(Hub):
    """A kithd that may run as another user, with settings and an environment of its own, and under another command."""

    def __init__(self, *, configuration=CONFIGURATION, user=None, under=()):
        super().__init__()
        self.user = user
        # The words of a command that becomes the daemon.
        self.under = under
        self.binary = BINARIES / "kithd"
        (self.directory / "config.toml").write_text(configuration)
        if user is not None:
            # The build may lie where only root can go.
            self.binary = self.directory / "kithd"
            shutil.copy(BINARIES / "kithd", self.binary)
            os.chown(self.directory, user, user)

    def command_line(self):
        line = [self.binary, *super().command_line()[1:]]
        if self.user is not None:
            line = ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups", *line]
        return [*self.under, *line]

    def start(self, **environment):
        kept, self.environment = self.environment, {**self.environment, **environment}
        try:
            return super().start()
        finally:
            self.environment = kept

    def ask(self, *arguments, **options):
        with acting_as(self.user):
            return super().ask(*arguments, **options)


def together(*trials):
    """Runs trials at the same time, because most of each is waiting; the first one that fails fails them all."""
    with concurrent.futures.ThreadPoolExecutor(len(trials)) as pool:
        for running in [pool.submit(trial) for trial in trials]:
            running.result()


def seeing(what, where):
    """A command that becomes another one, for which WHERE shows WHAT."""
    return ["unshare", "--mount", "sh", "-c", f"mount --bind '{what}' '{where}' && exec \"$0\" \"$@\""]


@contextlib.contextmanager
def daemon(start=True, **options):
    """A daemon that is gone afterwards, however the trial ended."""
    hub = Daemon(**options)
    try:
        yield hub.start() if start else hub
    finally:
        hub.remove()


def kith(hub, *arguments):
    """Runs the command-line client."""
    line = [BINARIES / "kith", "--runtime-dir", hub.runtime, *arguments]
    return subprocess.run(line, capture_output=True, text=True, timeout=60)


# More than two batches of a pass, which has 400 in each.
CARDS = 900


@functools.cache
def corpus():
    """The bytes of generated cards by their file names; made once, because pictures take time."""
    with tempfile.TemporaryDirectory(prefix="kith-cards-") as folder:
        cards.make(CARDS, folder)
        return {path.name: path.read_bytes() for path in sorted(pathlib.Path(folder).iterdir())}


def make_folder(folder, count):
    """Writes a folder of cards whose stamps are old enough to be believed; returns them."""
    folder.mkdir(parents=True)
    made = dict(list(corpus().items())[:count])
    for name, card in made.items():
        (folder / name).write_bytes(card)
        os.utime(folder / name, (1_700_000_000, 1_700_000_000))
    return made


def add_folder(hub, name, folder):
    return hub.reply("Contacts/AddSource", {"name": name, "vdir": {"path": str(folder)}})


def sync(hub, name, **options):
    """The state of one source after a pass."""
    (status,) = hub.reply("Contacts/Sync", {"sources": [name], **options})["sources"]
    return status


def pages(hub, method, field, **request):
    cursor = ""
    while True:
        reply = hub.reply(method, {**request, "cursor": cursor})
        yield from reply.get(field, [])
        cursor = reply.get("nextCursor", "")
        if not cursor:
            return


def contacts(hub, source="", **options):
    """Every live contact by the name of its card. No card may have two, and no id may come twice."""
    listed = list(pages(hub, "Contacts/List", "contacts", limit=500, source=source, **options))
    by_card = {(contact["source"], contact["sourceIdentifier"]): contact for contact in listed}
    assert len(by_card) == len(listed), "a card has two contacts"
    assert len({contact["id"] for contact in listed}) == len(listed), "an id came twice"
    return {card: contact for (_, card), contact in by_card.items()} if source else by_card


def by_uid(found):
    """The ids of contacts by the UIDs of their cards, of which no two may be the same."""
    identities = {contact["uid"]: contact["id"] for contact in found.values()}
    assert len(identities) == len(found), "a UID has two contacts"
    return identities


def without_marks(contact):
    """What a contact says, without what the hub says of it: id and times."""
    return {key: value for key, value in contact.items() if key not in ("id", "createdAt", "updatedAt")}


def dense(hub, stream, after=0):
    """The events of a stream, which have to be numbered one by one up to where the hub says it stands."""
    events, position = [], after
    while True:
        reply = hub.reply("System/Replay", {"stream": stream, "afterSeq": str(position), "limit": 500})
        events += reply.get("events", [])
        numbers = [int(event["header"]["seq"]) for event in events]
        assert numbers == list(range(after + 1, after + 1 + len(events))), f"{stream} has a hole or a double: {numbers}"
        position = after + len(events)
        if "more" not in reply:
            assert position == int(reply["head"].get("seq", 0)) == hub.seq(stream)
            return events


class AddressBook:
    """A folder of generated cards that changes by a seed, and what a hub in step with it holds."""

    UNREADABLE = b"BEGIN:VCARD\r\nthis is no card\r\n\x00\x01\x02"

    def __init__(self, folder, count, seed):
        self.folder = pathlib.Path(folder)
        self.random = random.Random(seed)
        self.good = make_folder(self.folder, count)
        # Cards that cannot be read now, with what they were before; None where no good state was ever there.
        self.bad = {}
        self.edits = 0

    def pick(self, count):
        return self.random.sample(sorted(self.good), count)

    def write(self, name, card):
        self.good[name] = card
        (self.folder / name).write_bytes(card)

    def edit(self, count):
        for name in self.pick(count):
            self.edits += 1
            line = b"EMAIL;TYPE=WORK:edit-%d@example.org\r\nEND:VCARD" % self.edits
            self.write(name, self.good[name].replace(b"END:VCARD", line))

    def add(self, count):
        for name in self.pick(count):
            self.edits += 1
            uid = b"UID:copy-%d" % self.edits
            self.write(f"copy-{self.edits}.vcf", re.sub(rb"UID:[^\r\n]*", uid, self.good[name]))

    def delete(self, count):
        for name in self.pick(count):
            (self.folder / name).unlink()
            del self.good[name]

    def rename(self, count):
        for name in self.pick(count):
            (self.folder / name).rename(self.folder / f"renamed-{name}")
            self.good[f"renamed-{name}"] = self.good.pop(name)

    def spoil(self, count):
        for name in self.pick(count):
            self.bad[name] = self.good.pop(name)
            (self.folder / name).write_bytes(self.UNREADABLE)
        self.edits += 1
        name = f"bad-{self.edits}.vcf"
        self.bad[name] = None
        (self.folder / name).write_bytes(self.UNREADABLE)

    def mend(self):
        for name, card in list(self.bad.items()):
            if card is not None:
                self.write(name, card)
                del self.bad[name]

    @property
    def names(self):
        """The cards that have a contact: an unreadable one keeps that of its last good state."""
        return set(self.good) | {name for name, card in self.bad.items() if card is not None}
