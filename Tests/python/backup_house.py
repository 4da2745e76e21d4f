"""A hub that makes backups, and what a person does with them."""
import os
import shutil
import sqlite3
import subprocess

import pytest

from conftest import BINARIES, Hub

ENTRIES = [f"Porridge, bowl {number}" for number in range(20)]
LATER = ["after the first backup", "after the second backup"]


class House:
    """A hub that makes backups, and a folder for them."""

    def __init__(self, **settings):
        self.hub = Hub()
        self.folder = self.hub.directory / "backups"
        self.passphrase = self.hub.directory / "pass phrase"
        self.passphrase.write_text("correct horse\n")
        self.passphrase.chmod(0o600)
        self.plan(folder=self.folder, **settings)

    def plan(self, **settings):
        base = (self.hub.directory / "config.toml").read_text().partition("[backup]")[0]
        lines = [f"{key} = {value}" if isinstance(value, (bool, int, list)) else f'{key} = "{value}"'
                 for key, value in settings.items()]
        text = "\n".join(lines).replace("True", "true").replace("'", '"')
        (self.hub.directory / "config.toml").write_text(f"{base}[backup]\n{text}\n")

    def start(self):
        self.hub.start()
        return self

    def fill(self):
        for memo in ENTRIES:
            self.hub.reply("Care/Record", {"category": "meal", "memo": memo})

    def state(self):
        return self.hub.reply("Backups/List")

    def good(self):
        return [backup for backup in self.state().get("backups", []) if backup["state"] == "good"]

    def files(self):
        return {file.name for file in self.folder.iterdir()}

    def is_settled(self):
        """Whether the hub knows just the files that are there."""
        return self.files() == {backup["name"] for backup in self.good()}

    def make(self):
        return self.folder / self.hub.reply("Backups/Make", timeout=120)["name"]

    def memos(self):
        records = self.hub.reply("Care/List", {"limit": 500}).get("records", [])
        return sorted(record["memo"] for record in records)

    def restore(self, path, *options, **environment):
        return subprocess.run(
            [BINARIES / "kithd", "restore", path, "--state-dir", self.hub.directory / "state", "--config",
             self.hub.directory / "config.toml", *options], capture_output=True, text=True, timeout=120,
            env={**os.environ, **environment})

    def kept(self):
        """What the restores have set aside: each directory, with the memos in it."""
        found = {}
        for directory in (self.hub.directory / "state").glob("before-restore-*"):
            # A copy, because looking at a database changes what is beside it.
            copy = self.hub.directory / "look"
            shutil.copytree(directory, copy)
            with sqlite3.connect(copy / "kith.db") as database:
                bodies = [body for body, in database.execute("SELECT body FROM care_record")]
            found[directory] = {memo for memo in [*ENTRIES, *LATER] if any(memo.encode() in body for body in bodies)}
            shutil.rmtree(copy)
        return found

    def remove(self):
        self.hub.remove()


@pytest.fixture
def house():
    house = House()
    try:
        yield house.start()
        assert house.hub.end() in (0, None)
    finally:
        house.remove()


@pytest.fixture
def locked():
    house = House()
    house.plan(folder=house.folder, secrets=True, passphrase_file=house.passphrase)
    try:
        yield house.start()
        assert house.hub.end() in (0, None)
    finally:
        house.remove()


@pytest.fixture
def sealed():
    """Encrypted for the public key of a household that keeps the private one elsewhere: house.identity."""
    house = House()
    house.identity = house.hub.directory / "elsewhere" / "private key"
    house.identity.parent.mkdir()
    subprocess.run(["age-keygen", "-o", house.identity], check=True, capture_output=True)
    house.recipients = house.hub.directory / "public keys"
    house.recipients.write_bytes(subprocess.run(["age-keygen", "-y", house.identity], check=True, capture_output=True).stdout)
    house.recipients.chmod(0o644)
    house.plan(folder=house.folder, secrets=True, recipients_file=house.recipients)
    try:
        yield house.start()
        assert house.hub.end() in (0, None)
    finally:
        house.remove()
