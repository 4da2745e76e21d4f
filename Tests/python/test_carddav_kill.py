"""kithd is killed at marked points of its passes over an account: the end is what the server has, and nothing is doubled."""
import itertools
import random

import pytest

from conftest import seed, size, tally
from servers import RADICALE, XANDIKOS, Reader, card, server
from test_kill import kill_at, send_again
from trials import by_uid, daemon, dense

CARDS = 450
KILLS = 20
SEED = seed(20260214)


def points():
    """(point, how often it is passed before the kill, whether every card is read again)."""
    chance = random.Random(SEED)
    once = ["pass_started", "listed", "deletions_decided", "pass_committed"]
    # A pass over all cards has two batches.
    chosen = [(name, count, True) for name in ("batch_read", "batch_committed") for count in (1, 2)]
    chosen += [(name, 1, False) for name in (*once, "batch_read", "batch_committed")]
    chosen += [(chance.choice(once), 1, chance.random() < 0.5) for _ in range(KILLS // 2 - len(chosen))]
    chance.shuffle(chosen)
    return chosen


class Book:
    """A book on a server that changes by a seed, and what it holds: the text of each card by its name."""

    def __init__(self, dav, start):
        self.dav, self.random, self.numbers = dav, random.Random(start), itertools.count()
        self.texts = {name: name[:-len(".vcf")] for name in dav.fill(CARDS)}
        self.uids = {name: f"friends-{number}" for number, name in enumerate(sorted(self.texts))}

    def put(self, name, uid):
        self.texts[name], self.uids[name] = f"edit-{next(self.numbers)}", uid
        self.dav.put(name, card(self.texts[name], uid=uid))

    def delete(self, name):
        self.dav.delete(name)
        del self.texts[name]
        return self.uids.pop(name)

    def change(self):
        """Deletions stay below what would be held back."""
        names = self.random.sample(sorted(self.texts), 12)
        for name in names[:6]:
            self.put(name, self.uids[name])
        for name in names[6:9]:
            self.delete(name)
        for name in names[9:]:
            self.put(f"renamed-{next(self.numbers)}.vcf", self.delete(name))
        for number in itertools.islice(self.numbers, 4):
            self.put(f"new-{number}.vcf", f"new-{number}")


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("program", [RADICALE, XANDIKOS])
def test_nothing_is_lost_and_nothing_doubled(program):
    with server(program) as dav, daemon() as hub:
        book = Book(dav, SEED)
        home = Reader(hub, dav)
        hub.end()
        identities = {}
        # In the short form each server has half of the points.
        chosen = points()[size((RADICALE, XANDIKOS).index(program), 0)::size(2, 1)]
        for number, (point, count, full) in enumerate(chosen):
            if number:
                book.change()
            calls = {f"pass-{number}": ("Contacts/Sync", {"sources": ["home"], "full": full or number == 0})}
            kill_at(hub, point, count, calls)
            hub.start()
            (reply,) = send_again(hub, calls)
            (status,) = reply["sources"]
            assert (status["state"], status["live"]) == ("COMPLETED", len(book.texts)), (point, count, status)
            held = home.contacts()
            texts = {name.removeprefix("friends/"): contact["formattedName"] for name, contact in held.items()}
            assert texts == book.texts, (point, count)
            # Also a card under another name is the contact that it was.
            now = by_uid(held)
            assert {uid: now[uid] for uid in identities.keys() & now.keys()} == {
                uid: identities[uid] for uid in identities.keys() & now.keys()}, (point, count)
            identities = now
            hub.end()
        hub.start()
        home.completed(live=len(book.texts))
        events = dense(hub, "contacts")
        told = {identity for event in events for identity in event["event"]["changed"]["ids"]}
        assert set(identities.values()) <= told
        assert hub.end() == 0
    tally(histories=1, faults=len(chosen))
    print(f"{program}: {len(chosen)} kills at marked points of passes over {CARDS} cards, {len(held)} contacts as on the server")
