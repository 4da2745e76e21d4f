"""A folder of folders, as vdirsyncer lays out an account, is one source; a folder in it that is away takes no contact with it."""
import json
import os
import shutil

import pytest

from carddav_client import card
from conftest import CONFIGURATION, Wire
from trials import NOBODY, add_folder, by_uid, contacts, daemon, kith, needs_root, pages, sync

NAMES = [f"{folder}/{number}.vcf" for folder in ("family", "work", "R&D 日本 #1.vcf#x") for number in range(15)]
# Cards that lie deeper than the folders in the folder.
TOO_DEEP = {"family/deeper/": "folder_too_deep"}


@pytest.fixture(scope="module")
def hub():
    with daemon() as hub:
        yield hub
        assert hub.end() == 0


def written(path, names=NAMES):
    for name in names:
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(card(f"N {name}"))
    # What vdirsyncer has beside the cards, a folder of a program's own, and one that lies deeper.
    (path / "family" / "displayname").write_text("Family")
    for name in (".trash/old.vcf", "family/deeper/one.vcf"):
        (path / name).parent.mkdir()
        (path / name).write_bytes(card("nobody"))
    return path


def completed(hub, name, **expected):
    status = sync(hub, name)
    assert status["state"] == "COMPLETED"
    counted = {key: status[key] for key in ("added", "updated", "deleted", "revived", "heldBack", "holdReason") if key in status}
    assert counted == expected, status


def identities(hub, name):
    return by_uid(contacts(hub, name))


def problems(hub, name):
    return {problem["sourceIdentifier"]: problem["kind"] for problem in pages(hub, "Contacts/Problems", "problems", source=name)}


def test_folders_are_one_source(hub, tmp_path):
    path = written(tmp_path / "cards", [*NAMES, "top.vcf"])
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret.vcf").write_bytes(card("secret"))
    (path / "linked").symlink_to(tmp_path / "elsewhere")
    add_folder(hub, "nested", path)
    tested = kith(hub, "contacts", "source", "test", "nested")
    assert "3 folders in it" in tested.stdout, tested.stdout + tested.stderr
    completed(hub, "nested", added=len(NAMES) + 1)
    found = contacts(hub, "nested")
    assert set(found) == {name.replace("#1.vcf#x/", "%231.vcf%23x/") for name in NAMES} | {"top.vcf"}
    assert problems(hub, "nested") == {"linked": "folder_link", **TOO_DEEP}
    assert "2 cards or folders could not be read" in kith(hub, "contacts", "status").stdout
    assert "Add it as a source of its own" in kith(hub, "contacts", "problems", "--source", "nested").stdout
    first = identities(hub, "nested")
    completed(hub, "nested")

    # From folder to folder, and a folder with another name: the same contacts.
    (path / "family" / "3.vcf").rename(path / "work" / "moved.vcf")
    (path / "top.vcf").rename(path / "family" / "top.vcf")
    (path / "work").rename(path / "office")
    completed(hub, "nested")
    assert identities(hub, "nested") == first
    (path / "office" / "1.vcf").unlink()
    completed(hub, "nested", deleted=1)
    exported = kith(hub, "contacts", "export", "--source", "nested", "-o", "-")
    assert exported.stdout.count("BEGIN:VCARD") == len(NAMES)


@pytest.mark.parametrize("loss", ["gone", "empty", "link"])
def test_a_folder_that_is_away_takes_no_contact_with_it(hub, tmp_path, loss):
    path, name = written(tmp_path / "cards"), f"away-{loss}"
    add_folder(hub, name, path)
    completed(hub, name, added=len(NAMES))
    first = identities(hub, name)
    (path / "work").rename(tmp_path / "away")
    if loss == "empty":
        (path / "work").mkdir()
    elif loss == "link":
        (path / "work").symlink_to(tmp_path / "away")
    (path / "family" / "2.vcf").unlink()
    for _ in range(4):
        done = sync(hub, name)
        assert done["state"] == "COMPLETED" and (done["heldBack"], done["holdReason"]) == (15, "LISTING_EMPTY")
    del first["N family/2.vcf"]
    assert identities(hub, name) == first
    if loss != "gone":
        (path / "work").unlink() if loss == "link" else (path / "work").rmdir()
    (tmp_path / "away").rename(path / "work")
    completed(hub, name)
    assert identities(hub, name) == first

    shutil.rmtree(path / "work")
    completed(hub, name, heldBack=15, holdReason="LISTING_EMPTY")
    assert sync(hub, name, allowMassDelete=True)["deleted"] == 15
    assert {uid for uid in first if not uid.startswith("N work")} == set(identities(hub, name))


@needs_root
def test_a_folder_that_cannot_be_read(tmp_path):
    with daemon(user=NOBODY, configuration=CONFIGURATION) as hub:
        path = written(hub.directory / "cards")
        add_folder(hub, "closed", path)
        completed(hub, "closed", added=len(NAMES))
        first = identities(hub, "closed")
        os.chmod(path / "work", 0o700)
        (path / "family" / "2.vcf").unlink()
        completed(hub, "closed", deleted=1)
        assert problems(hub, "closed") == {"work/": "folder_unreadable", **TOO_DEEP}
        os.chmod(path / "work", 0o755)
        completed(hub, "closed")
        del first["N family/2.vcf"]
        assert identities(hub, "closed") == first and problems(hub, "closed") == TOO_DEEP


def test_killed_passes_over_folders(tmp_path):
    with daemon(start=False) as hub:
        path = written(tmp_path / "cards")
        first = {}
        for point in ("listed:1", "batch_read:1", "batch_committed:1", "deletions_decided:1", "cards_moved:1"):
            hub.start()
            if not first:
                add_folder(hub, "killed", path)
                completed(hub, "killed", added=len(NAMES))
                first = identities(hub, "killed")
            assert hub.end() == 0
            (path / "family").rename(path / "other")
            (path / "work").rename(path / "family")
            (path / "other").rename(path / "work")
            hub.start(KITH_FAULT_POINT=point)
            Wire(hub.control).send("kith.v1.Contacts/Sync", json.dumps({"sources": ["killed"]}).encode())
            hub.killed()
            hub.start()
            completed_now = sync(hub, "killed")
            assert completed_now["state"] == "COMPLETED" and not {"added", "deleted", "heldBack"} & completed_now.keys()
            assert identities(hub, "killed") == first, point
            assert hub.end() == 0
