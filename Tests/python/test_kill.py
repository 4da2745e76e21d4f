"""kithd is killed at marked points of its passes: nothing is lost, nothing is doubled, and every number follows the last."""
import json
import random

import pytest

from conftest import Wire, seed, size, tally
from trials import CARDS, STREAMS, AddressBook, add_folder, contacts, daemon, dense, make_folder, pages, sync, without_marks

# Twelve are each point and each batch; the others are by chance.
KILLS = size(12, 20)
SEED = seed(20260131)


def points():
    """(point, how often it is passed before the kill, whether every card is read again); every point at least once."""
    chance = random.Random(SEED)
    once = ["pass_started", "listed", "deletions_decided", "pass_committed"]
    # A pass over all cards has at least three batches.
    chosen = [(name, count, True) for name in ("batch_read", "batch_committed") for count in (1, 2, 2, 1)]
    chosen += [(name, 1, False) for name in once]
    chosen += [(chance.choice(once), 1, chance.random() < 0.5) for _ in range(KILLS - len(chosen))]
    chance.shuffle(chosen)
    return chosen


def change(book, number):
    """What happens to the folder between two passes. Deletions stay far below what would be held back."""
    book.mend()
    # First, so that each of them was read at least once.
    book.spoil(3)
    book.edit(30)
    book.delete(4)
    book.rename(number % 2 * 3)
    book.add(6)


def commands(number, full):
    """A pass, and something that may happen once only, under ids of their own."""
    return {
        f"pass-{number}": ("Contacts/Sync", {"sources": ["home"], "full": full}),
        f"extra-{number}": ("Contacts/AddSource", {"name": f"extra-{number}", "vdir": {"path": "/nowhere"}}),
    }


def send(hub, calls):
    """Sends commands without waiting for what becomes of them. The hub may have died of the first when the others are sent."""
    wire = Wire(hub.control, immediate=0)
    for request_id, (method, body) in calls.items():
        wire.send(f"kith.v1.{method}", json.dumps(body).encode(), header={"requestId": request_id})
    return wire


def kill_at(hub, point, count, calls):
    """Starts a hub that kills itself at a point, and sends it the commands."""
    hub.start(KITH_FAULT_POINT=f"{point}:{count}")
    wire = send(hub, calls)
    hub.killed()
    while frames := wire.receive(0.05):
        assert frames[1] != b"\x03" or b"pass-" not in frames[4], f"the pass was answered before {point}:{count}"
    wire.close()


def send_again(hub, calls):
    """Sends twice more what was sent before the kill: it is answered each time, and the last answer is a stored one.

    Gives the reply to each.
    """
    replies = []
    for request_id, call in calls.items():
        hub.ask(*call, request_id=request_id)
        header, reply, _ = hub.ask(*call, request_id=request_id)
        assert "status" not in header and header["replayed"] is True, header
        replies.append(reply)
    return replies


@pytest.mark.long
@pytest.mark.timeout(300)
def test_nothing_is_lost_and_nothing_doubled_over_kills_at_marked_points(tmp_path):
    book = AddressBook(tmp_path / "cards", CARDS, SEED)
    identities = {}
    with daemon() as hub:
        add_folder(hub, "home", book.folder)
        hub.end()
        for number, (point, count, full) in enumerate(points()):
            if number:
                change(book, number)
            calls = commands(number, full)
            kill_at(hub, point, count, calls)
            hub.start()
            passed, _ = send_again(hub, calls)
            (status,) = passed["sources"]
            assert (status["state"], status["live"]) == ("COMPLETED", len(book.names)), (point, count, status)
            assert "heldBack" not in status
            held = contacts(hub, "home")
            assert set(held) == book.names, (point, count)
            kept = identities.keys() & held.keys()
            assert {name: held[name]["id"] for name in kept} == {name: identities[name] for name in kept}
            identities = {name: contact["id"] for name, contact in held.items()}
            hub.end()

        book.mend()
        with daemon() as other:
            hub.start()
            assert sync(hub, "home")["state"] == "COMPLETED"
            add_folder(other, "home", book.folder)
            assert sync(other, "home")["state"] == "COMPLETED"
            ours, theirs = contacts(hub, "home"), contacts(other, "home")
            assert {name: without_marks(contact) for name, contact in ours.items()} == {
                name: without_marks(contact) for name, contact in theirs.items()}
            problems = [
                sorted((problem["sourceIdentifier"], problem["kind"]) for problem in pages(each, "Contacts/Problems", "problems"))
                for each in (hub, other)]
            assert problems[0] == problems[1] and {name for name, _ in problems[0]} >= set(book.bad)

        events = {stream: dense(hub, stream) for stream in STREAMS}
        epochs = {event["header"]["epoch"] for stream in events.values() for event in stream}
        assert len(epochs) == 1
        told = {identity for event in events["contacts"] for identity in event["event"]["changed"]["ids"]}
        assert {contact["id"] for contact in ours.values()} <= told
        sources = [source["name"] for source in hub.reply("Contacts/ListSources")["sources"]]
        assert sorted(sources) == sorted(["home", *(f"extra-{number}" for number in range(KILLS))])
        for number in range(KILLS):
            key = f"contacts:extra-{number}"
            assert [event["header"]["key"] for event in events["sync"]].count(key) == 1, "an effect happened twice"
        assert hub.end() == 0
    tally(histories=1, faults=KILLS)
    print(f"{KILLS} kills at marked points of passes over {CARDS} cards: {len(ours)} contacts as in a fresh store, "
          f"{sum(map(len, events.values()))} events dense")


def test_a_client_that_comes_back_finds_its_command_taken_up():
    """A hub lets nobody in before it has taken up what the one before it left: the client that waits at its door gets the answer of that
    pass, and no second one runs."""
    with daemon() as hub:
        make_folder(hub.directory / "cards", 30)
        add_folder(hub, "home", hub.directory / "cards")
        assert hub.end() == 0
        calls = {"pass": ("Contacts/Sync", {"sources": ["home"]})}
        kill_at(hub, "pass_started", 1, calls)
        back = Wire(hub.control, immediate=0)
        for request_id, (method, body) in calls.items():
            back.send(f"kith.v1.{method}", json.dumps(body).encode(), header={"requestId": request_id})
        hub.start()
        header, body = back.final()
        back.close()
        assert "status" not in header, header
        assert [status["live"] for status in body["sources"]] == [30]
        states = [event["event"]["sync"]["state"] for event in dense(hub, "sync")]
        assert states.count("COMPLETED") == 1, states
