"""A worker that keeps the backups too: in a folder of its own, as another machine would."""
import concurrent.futures
import shutil

import pytest

from backup_house import ENTRIES, House
from keyed import eventually
from workers import Worker


class Attic:
    """A house whose backups go to the worker `attic`, too."""

    def __init__(self):
        self.house = House()
        self.hub = self.house.hub
        self.house.plan(folder=self.house.folder, worker="attic", keep_days=1, keep_weeks=0, keep_months=0)
        self.folder = self.hub.directory / "attic"
        self.folder.mkdir()
        (self.hub.directory / "worker.toml").write_text(f'[backup]\nfolder = "{self.folder}"\n')
        self.workers = []

    def worker(self, name="attic"):
        worker = self.mortal(name)
        assert eventually(lambda: name in self.present())
        return worker

    def mortal(self, name="attic", **environment):
        """A worker that may be gone before it is seen."""
        worker = Worker(self.hub, "archive", name)
        self.workers.append(worker)
        return worker.start(**environment)

    def present(self):
        return [worker["name"] for worker in self.hub.reply("System/Status").get("work", {}).get("workers", [])]

    def kept(self):
        return {file.name for file in self.folder.iterdir()}

    def remove(self):
        for worker in self.workers:
            worker.remove()
        self.house.remove()


@pytest.fixture
def attic():
    attic = Attic()
    try:
        yield attic
    finally:
        attic.remove()


def test_the_worker_keeps_what_the_hub_keeps_and_it_is_restored_from_there(attic):
    house = attic.house
    # Another household's, which is none of its business.
    other = attic.folder / "kith-20260131T033000Z-ffffffff.tar"
    other.write_bytes(b"other")
    house.start()
    attic.worker()
    house.fill()
    # The one of the start may have waited for the worker in vain.
    house.make()
    path = house.make()
    assert "fault" not in house.state(), house.state()
    assert attic.kept() == {path.name, other.name}
    kept = attic.folder / path.name
    assert kept.read_bytes() == path.read_bytes() and kept.stat().st_mode & 0o777 == 0o600
    # The machine of the hub is gone.
    house.hub.end()
    shutil.rmtree(house.folder)
    assert house.restore(kept).returncode == 0
    house.start()
    assert house.memos() == sorted(ENTRIES)


def test_only_the_named_worker_gets_them(attic):
    attic.house.start()
    attic.worker("other")
    assert "kith.v1.Archive" in attic.hub.reply("System/Status")["work"]["unserved"]
    attic.worker("attic")
    path = attic.house.make()
    assert "fault" not in attic.house.state() and path.name in attic.kept()
    assert "unserved" not in attic.hub.reply("System/Status")["work"]
    assert {job["worker"] for job in attic.hub.reply("Jobs/List")["jobs"] if job["state"] == "done"} == {"attic"}


def test_a_missing_disk_of_the_worker_is_said_and_the_backup_counts_all_the_same(attic):
    attic.folder.rmdir()
    attic.house.start()
    attic.worker()
    path = attic.house.make()
    assert path.exists() and "attic" in attic.house.state()["fault"] and "folder is missing" in attic.house.state()["fault"]
    assert not attic.folder.exists()
    attic.folder.mkdir()
    assert attic.house.make().name in attic.kept() and "fault" not in attic.house.state()


@pytest.mark.parametrize("point", ["job_taken", "job_run", "job_end_sent"])
def test_a_worker_that_dies_goes_on_where_it_stopped(attic, point):
    attic.house.start()
    worker = attic.worker()
    assert eventually(lambda: attic.house.good() and attic.house.files() == attic.kept())
    worker.end()
    # More than one piece.
    sound = attic.hub.directory / "state" / "audio" / "sound"
    sound.write_bytes(bytes(range(256)) * 20_000)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        making = pool.submit(attic.house.make)
        # A question, and some of the pieces.
        attic.mortal(KITH_FAULT_POINT=f"{point}:3").killed()
        attic.worker()
        making.result()
    assert eventually(lambda: attic.house.files() <= attic.kept() and "fault" not in attic.house.state())
    for name in attic.house.files():
        assert (attic.folder / name).read_bytes() == (attic.house.folder / name).read_bytes()
    assert not [name for name in attic.kept() if name.endswith(".partial")]
