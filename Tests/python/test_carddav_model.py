"""Random histories of edits on real servers: after each pass the store is what the server holds."""
import random
import time

import pytest

from conftest import histories, seed, tally
from servers import RADICALE, XANDIKOS, Reader, card, server
from trials import by_uid, daemon

# On each server.
HISTORIES = histories(15, 150)
SEED = seed(20260301)
PASSES = 3
EDITS = ("put", "put", "change", "change", "change", "delete", "rename", "put_again", "delete_and_put_back", "put_and_delete")


class History:
    """A book and what it should hold: (text, uid) by the name of a card. Deletions stay below what is held back."""

    def __init__(self, dav, book, seed):
        self.dav, self.book, self.random = dav, book, random.Random(seed)
        self.cards, self.gone = {}, {}
        self.count = 0
        self.written = []
        dav.make(book)
        for _ in range(self.random.randrange(2, 6)):
            self.put()

    def fresh(self):
        self.count += 1
        return self.count

    def store(self, name, uid):
        text = f"text-{self.fresh()}"
        self.cards[name] = (text, uid)
        self.dav.put(name, card(text, uid=uid), self.book)

    def remove(self, name):
        self.dav.delete(name, self.book)
        self.gone[name] = self.cards.pop(name)

    def pick(self):
        return self.random.choice(sorted(self.cards))

    def put(self):
        number = self.fresh()
        self.store(self.random.choice([f"{number}.vcf", f"n%20{number}.vcf", f"%C3%A4{number}.vcf"]), f"{self.book}-{number}")

    def change(self):
        name = self.pick()
        self.store(name, self.cards[name][1])

    def delete(self):
        # A book that is emptied is held back.
        if len(self.cards) > 2:
            self.remove(self.pick())

    def rename(self):
        name = self.pick()
        uid = self.cards[name][1]
        self.remove(name)
        self.store(f"{self.fresh()}.vcf", uid)

    def put_again(self):
        if self.gone:
            name = self.random.choice(sorted(self.gone))
            _, uid = self.gone.pop(name)
            if uid not in {uid for _, uid in self.cards.values()}:
                self.store(name, uid)

    def delete_and_put_back(self):
        name = self.pick()
        uid = self.cards[name][1]
        self.remove(name)
        self.store(name, uid)

    def put_and_delete(self):
        self.put()
        self.remove(sorted(self.cards, key=lambda name: int(self.cards[name][0][5:]))[-1])

    def edit(self):
        """The edits of a round, at times none."""
        self.written = [self.random.choice(EDITS) for _ in range(self.random.randrange(5))]
        for edit in self.written:
            getattr(self, edit)()


def check(home, history, where):
    status = home.sync()
    held = home.contacts()
    shown = {name.removeprefix(f"{history.book}/"): (contact["formattedName"], contact["uid"]) for name, contact in held.items()}
    assert status["state"] == "COMPLETED" and shown == history.cards, (where, history.written, status)
    assert "heldBack" not in status and status["live"] == len(history.cards), (where, history.written, status)
    return by_uid(held)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("program", [RADICALE, XANDIKOS])
def test_store_is_what_the_server_holds(program):
    begun, passes, edits = time.monotonic(), 0, 0
    with server(program) as dav, daemon() as hub:
        for number in range(SEED, SEED + HISTORIES):
            history = History(dav, f"book-{number}", f"{program}-{number}")
            home = Reader(hub, dav, f"history-{number}", url=f"{dav.url}{dav.home}{history.book}/")
            identities = check(home, history, (program, number, 0))
            for round_number in range(1, PASSES + 1):
                history.edit()
                now = check(home, history, (program, number, round_number))
                # A card that was changed, renamed, or deleted and put back is the contact that it was.
                assert {uid: now[uid] for uid in now.keys() & identities.keys()} == {
                    uid: identities[uid] for uid in now.keys() & identities.keys()}, (program, number, history.written)
                identities = now
                passes += 1
                edits += len(history.written)
            hub.reply("Contacts/RemoveSource", {"name": home.name})
        assert hub.end() == 0
    tally(histories=HISTORIES)
    print(f"{program}: {HISTORIES} histories, {passes} passes after the first, {edits} edits in "
          f"{time.monotonic() - begun:.0f} s, from seed {SEED}")
