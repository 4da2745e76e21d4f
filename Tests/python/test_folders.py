"""What can happen to a source: nothing is deleted that is not proven gone, and what comes back is the same contact."""
import pytest

from trials import NOBODY, add_folder, contacts, corpus, daemon, kith, make_folder, needs_root, sync, without_marks

COUNT = 40


class Source:
    """A folder of cards that was synced into a hub."""

    def __init__(self, hub, folder, name):
        self.hub, self.folder, self.name = hub, folder, name
        make_folder(folder, COUNT)
        add_folder(hub, name, folder)
        self.sync()
        self.before = self.contacts()
        assert len(self.before) == COUNT

    def sync(self, **options):
        return sync(self.hub, self.name, **options)

    def contacts(self):
        return contacts(self.hub, self.name)

    def files(self):
        return sorted(self.folder.glob("*.vcf"))

    def identities(self):
        return {card: contact["id"] for card, contact in self.contacts().items()}

    def assert_untouched(self):
        """Every contact is there, as it was."""
        assert self.identities() == {card: contact["id"] for card, contact in self.before.items()}

    def kith_sync(self, *options):
        return kith(self.hub, "contacts", "sync", self.name, *options)

    def assert_fails(self, reason):
        """A pass fails with a reason, for programs and people, and takes nothing away."""
        status = self.sync()
        assert (status["state"], status["error"]["reason"]) == ("ERROR", reason)
        assert status["consecutiveFailures"] >= 1 and status["live"] == COUNT
        assert "deleted" not in status
        assert str(self.folder) in status["error"]["message"] or self.name in status["error"]["message"]
        done = self.kith_sync()
        assert done.returncode == 1, (done.stdout, done.stderr)
        self.assert_untouched()

    def assert_held(self, count, reason):
        """A pass goes through and holds deletions back."""
        status = self.sync()
        assert (status["state"], status["heldBack"], status["holdReason"]) == ("COMPLETED", count, reason)
        assert "deleted" not in status and status["live"] == COUNT
        done = self.kith_sync()
        assert done.returncode == 0, (done.stdout, done.stderr)
        self.assert_untouched()
        missing = [contact for contact in self.contacts().values() if "missingSince" in contact]
        assert len(missing) == count


@pytest.fixture(scope="module")
def hub():
    with daemon() as hub:
        yield hub
        assert hub.end() == 0


@pytest.fixture
def source(hub, tmp_path, request):
    name = request.node.name.removeprefix("test_").split("[")[0].replace("_", "-")[:32].strip("-")
    return Source(hub, tmp_path / "cards", name)


def test_emptied(source):
    kept = [(path, path.read_bytes()) for path in source.files()]
    for path, _ in kept:
        path.unlink()
    source.assert_held(COUNT, "LISTING_EMPTY")
    for path, card in kept:
        path.write_bytes(card)
    status = source.sync()
    assert "heldBack" not in status and "added" not in status
    source.assert_untouched()
    assert not [contact for contact in source.contacts().values() if "missingSince" in contact]
    print(f"folder emptied: {COUNT} held back, none deleted, all there again with their ids")


def test_emptied_and_confirmed(source):
    kept = [(path, path.read_bytes()) for path in source.files()]
    for path, _ in kept:
        path.unlink()
    source.assert_held(COUNT, "LISTING_EMPTY")
    done = source.kith_sync("--allow-mass-delete")
    assert done.returncode == 0, done.stderr
    assert source.contacts() == {}
    for path, card in kept:
        path.write_bytes(card)
    status = source.sync()
    assert (status["revived"], status["live"]) == (COUNT, COUNT) and "added" not in status
    source.assert_untouched()
    print(f"folder emptied and confirmed: {COUNT} deleted, then revived with their ids")


def test_moved_away(source):
    away = source.folder.with_name("away")
    source.folder.rename(away)
    source.assert_fails("SOURCE_UNAVAILABLE")
    away.rename(source.folder)
    assert source.sync()["state"] == "COMPLETED"
    source.assert_untouched()
    print("folder moved away: SOURCE_UNAVAILABLE, exit 1, nothing deleted, well again when it is back")


def test_empty_mount_point(source):
    away = source.folder.with_name("away")
    source.folder.rename(away)
    source.folder.mkdir()
    source.assert_fails("SOURCE_REPLACED")
    source.folder.rmdir()
    away.rename(source.folder)
    assert source.sync()["state"] == "COMPLETED"
    source.assert_untouched()
    print("another, empty folder in its place: SOURCE_REPLACED, exit 1, nothing deleted")


def test_replaced_by_a_file(source):
    away = source.folder.with_name("away")
    source.folder.rename(away)
    source.folder.write_bytes(source.files()[0].read_bytes() if source.files() else b"")
    source.assert_fails("SOURCE_NOT_A_FOLDER")
    print("a file in place of the folder: SOURCE_NOT_A_FOLDER, exit 1, nothing deleted")


def test_halved(source):
    gone = [(path, path.read_bytes()) for path in source.files()[::2]]
    for path, _ in gone:
        path.unlink()
    source.assert_held(len(gone), "TOO_MANY")
    done = source.kith_sync("--allow-mass-delete")
    assert done.returncode == 0, done.stderr
    assert set(source.contacts()) == {path.name for path in source.files()}
    for path, card in gone:
        path.write_bytes(card)
    status = source.sync()
    assert status["revived"] == len(gone) and "added" not in status
    source.assert_untouched()
    print(f"folder halved: {len(gone)} held back, deleted when confirmed, revived with their ids")


def test_a_few_cards_gone(source):
    gone = source.files()[:8]
    identities = [source.before[path.name]["id"] for path in gone]
    for path in gone:
        path.unlink()
    status = source.sync()
    assert (status["state"], status["deleted"], status["live"]) == ("COMPLETED", 8, COUNT - 8)
    assert "heldBack" not in status

    done = kith(source.hub, "contacts", "restore", identities[0])
    assert done.returncode == 0, done.stderr
    for full in (False, True):
        status = source.sync(full=full)
        assert status["live"] == COUNT - 7 and "deleted" not in status and "heldBack" not in status
    assert identities[0] in source.identities().values()
    for identity in identities[1:]:
        contact = source.hub.reply("Contacts/Get", {"id": identity})["contact"]
        assert contact["deletedAt"] and contact["formattedName"]
    print("eight cards gone: eight soft-deleted; a restored one stays through two more passes")


def test_malformed(source):
    path = source.files()[5]
    path.write_bytes(b"BEGIN:VCARD\r\nVERSION:3.0\r\nnonsense\r\n\x00\xff\r\n")
    status = source.sync()
    assert (status["state"], status["skipped"], status["live"]) == ("COMPLETED", 1, COUNT)
    assert "deleted" not in status and "heldBack" not in status
    assert source.kith_sync().returncode == 0
    source.assert_untouched()
    contact, before = source.contacts()[path.name], source.before[path.name]
    assert contact["stale"] is True and contact["formattedName"] == before["formattedName"]
    problems = source.hub.reply("Contacts/Problems", {"source": source.name})["problems"]
    assert {(problem["sourceIdentifier"], problem["skipped"]) for problem in problems} == {(path.name, True)}
    assert all(problem["message"] for problem in problems) and "nonsense" not in str(problems)
    kinds = sorted(problem["kind"] for problem in problems)
    print(f"one malformed card: skipped and reported ({', '.join(kinds)}), its contact stays as it was")


@pytest.mark.parametrize("left", [0, 20, "half"])
def test_truncated(hub, tmp_path, left):
    source = Source(hub, tmp_path / "cards", f"truncated-{left}")
    path = max(source.files(), key=lambda path: path.stat().st_size)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2 if left == "half" else left])
    status = source.sync()
    assert status["state"] == "COMPLETED" and status["live"] == COUNT
    assert "deleted" not in status and "heldBack" not in status
    contact, before = source.contacts()[path.name], source.before[path.name]
    assert contact["stale"] is True
    assert without_marks({**contact, "stale": None}) == without_marks({**before, "stale": None}), "values were lost"
    problems = source.hub.reply("Contacts/Problems", {"source": source.name})["problems"]
    assert {(problem["sourceIdentifier"], problem.get("skipped")) for problem in problems} == {(path.name, True)}
    path.write_bytes(whole)
    assert source.sync()["live"] == COUNT
    assert without_marks(source.contacts()[path.name]) == without_marks(before)
    source.assert_untouched()
    assert "problems" not in source.hub.reply("Contacts/Problems", {"source": source.name})
    print(f"card cut to {left} bytes: {problems[0]['kind']}, its contact stays whole")


def test_truncated_file_of_many(hub, tmp_path):
    path = tmp_path / "all.vcf"
    whole = b"".join(list(corpus().values())[:COUNT])
    path.write_bytes(whole)
    hub.reply("Contacts/AddSource", {"name": "many", "vcf": {"path": str(path)}})
    assert sync(hub, "many")["live"] == COUNT
    before = {card: contact["id"] for card, contact in contacts(hub, "many").items()}
    for cut in (whole[: len(whole) // 2], whole[: len(whole) // 3].rpartition(b"END:VCARD")[0], b""):
        path.write_bytes(cut)
        status = sync(hub, "many")
        assert status["state"] == "ERROR" or status["heldBack"] > 0, status
        assert "deleted" not in status and status["live"] == COUNT
        assert {card: contact["id"] for card, contact in contacts(hub, "many").items()} == before
    path.write_bytes(whole)
    status = sync(hub, "many")
    assert (status["state"], status["live"]) == ("COMPLETED", COUNT)
    assert {card: contact["id"] for card, contact in contacts(hub, "many").items()} == before
    print("a file of many cut three times: held back or failed, nothing deleted, same ids when whole")


@needs_root
def test_unreadable():
    with daemon(user=NOBODY) as hub:
        folder = hub.directory / "cards"
        source = Source(hub, folder, "home")
        folder.chmod(0o000)
        status = source.sync()
        assert (status["state"], status["error"]["reason"]) == ("ERROR", "SOURCE_UNREADABLE")
        assert status["live"] == COUNT and "deleted" not in status
        probe = hub.reply("Contacts/TestSource", {"name": "home"})
        assert "readable" not in probe and probe["error"]["code"] == "PERMISSION_DENIED"
        source.assert_untouched()
        folder.chmod(0o755)
        path = source.files()[0]
        path.chmod(0o000)
        status = source.sync(full=True)
        assert (status["state"], status["skipped"], status["live"]) == ("COMPLETED", 1, COUNT)
        source.assert_untouched()
        path.chmod(0o644)
        status = source.sync(full=True)
        assert status["live"] == COUNT and "skipped" not in status
        source.assert_untouched()
        assert hub.end() == 0
    print("unreadable to kithd's user: SOURCE_UNREADABLE; one unreadable file: skipped; nothing deleted")


def test_source_removed_says_how_many(source):
    reply = source.hub.reply("Contacts/RemoveSource", {"name": source.name})
    assert reply["contactsRemoved"] == COUNT
    error = source.hub.error("Contacts/List", {"source": source.name})
    assert error == ("NOT_FOUND", "RECORD_UNKNOWN")
    print(f"source removed: {COUNT} contacts, said so")
