"""Workers on other machines: by a key of theirs, for the services that it was approved for, and for nothing else."""
import contextlib
import time

import pytest

from keyed import CurveWire, Key, strangers, tcp_hub
from workers import Worker

PLACED = '[placement]\ncontacts = "worker"\n'


@contextlib.contextmanager
def remote_worker(hub, key, folder, *, name="attic", serve="contacts"):
    """A kithd worker that comes over tcp, with nothing of the hub's directories."""
    folder.mkdir()
    (folder / "worker.toml").write_text("")
    reach = ("--hub", hub.tcp(), "--key", key.file(folder / "key", hub.server_key))
    worker = Worker(hub, serve, name, folder=folder, reach=reach)
    try:
        yield worker.start()
    finally:
        worker.remove()


@pytest.fixture
def home(tmp_path):
    """A hub that reads no contacts itself, and a folder of three."""
    with tcp_hub(PLACED) as hub:
        folder = tmp_path / "cards"
        folder.mkdir()
        for number in range(3):
            (folder / f"{number}.vcf").write_text(
                f"BEGIN:VCARD\r\nVERSION:3.0\r\nUID:{number}\r\nFN:Person {number}\r\nN:{number};Person;;;\r\nEND:VCARD\r\n")
        hub.cards = folder
        yield hub


def synced(hub):
    """The status of a pass."""
    return hub.reply("Contacts/Sync", {"sources": ["home"]}, timeout=60)["sources"][0]


def test_contacts_are_read_by_a_worker_elsewhere_until_its_key_is_revoked(home, tmp_path):
    key = Key()
    with remote_worker(home, key, tmp_path / "worker") as worker:
        assert home.waits(key, 60)
        assert worker.says("does not let the key")
        home.reply("Keys/Approve", {"fingerprint": key.fingerprint, "name": "attic", "role": "worker",
                                    "services": ["contacts"]})
        home.reply("Contacts/AddSource", {"name": "home", "vdir": {"path": str(home.cards)}}, timeout=60)
        status = synced(home)
        assert (status["state"], status["live"]) == ("COMPLETED", 3), (status, worker.log.read_text())
        home.reply("Keys/Revoke", {"name": "attic"})
        # It is told, and ends: its key will never be good again.
        assert worker.process.wait(60) == 1
        assert "revoked" in worker.log.read_text()


def test_a_worker_that_shows_nothing_any_more_deletes_nothing(home, tmp_path):
    key = Key()
    home.approve(key, "attic", "worker", services=["contacts"])
    with remote_worker(home, key, tmp_path / "worker"):
        home.reply("Contacts/AddSource", {"name": "home", "vdir": {"path": str(home.cards)}}, timeout=60)
        assert synced(home)["live"] == 3
        for card in home.cards.iterdir():
            card.unlink()
        for _ in range(2):
            status = synced(home)
            assert (status["live"], status["heldBack"], status["holdReason"]) == (3, 3, "LISTING_EMPTY"), status
            assert "deleted" not in status


def test_a_worker_is_served_while_strangers_knock_at_its_plane(home, tmp_path):
    key = Key()
    home.approve(key, "attic", "worker", services=["contacts"])
    with remote_worker(home, key, tmp_path / "worker"), strangers(home, "work", "work") as tried:
        home.reply("Contacts/AddSource", {"name": "home", "vdir": {"path": str(home.cards)}}, timeout=60)
        end = time.monotonic() + 6
        while time.monotonic() < end or tried() <= 300 and time.monotonic() < end + 60:
            status = synced(home)
            assert (status["state"], status["live"]) == ("COMPLETED", 3), status
    assert tried() > 300, "too few to show anything"
    assert {job["attempt"] for job in home.reply("Jobs/List")["jobs"]} == {1}


def test_a_key_is_good_for_its_own_name_and_services_alone(home, tmp_path):
    key = Key()
    home.approve(key, "attic", "worker", services=["transcriber"])
    with remote_worker(home, key, tmp_path / "services") as worker:
        assert worker.process.wait(60) == 1, "it serves what it was not approved for"
    home.approve(key, "attic", "worker", services=["contacts"])
    with remote_worker(home, key, tmp_path / "name", name="cellar") as worker:
        assert worker.process.wait(60) == 1, "it calls itself by another name"


@pytest.mark.parametrize("role", ["viewer", "recorder", "admin"])
def test_no_other_role_comes_to_the_work_plane(home, role):
    key = Key()
    home.approve(key, "somebody", role)
    with CurveWire(home, key, plane="work") as wire:
        assert home.says(f"a key of the role {role} has no business on this plane")
        assert not wire.is_in(0.3)
