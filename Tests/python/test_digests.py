"""The digests of a card, computed here from docs/protocol.md alone: a worker of another make has to agree with kithd's own."""
import base64
import hashlib
import json
import re
import signal
import sqlite3
import threading

import pytest
from google.protobuf import json_format

from conftest import CONFIGURATION, ROOT
from messages import TYPES
from workers import Frames, home, until  # noqa: F401

PAGE = (ROOT / "docs/protocol.md").read_text()
SECTION = PAGE[PAGE.index("**Digests of a card.**"):]
CARD, CONTACT = re.findall(r"```\w*\n(.*?)```", SECTION, re.DOTALL)[:2]
RAW_SHA256, SEMANTIC_DIGEST = re.findall(r"`([0-9a-f]{64})`", SECTION)[:2]


def semantic_digest(contact):
    """As the page has it, of a kith.v1.Contact."""
    contact = TYPES["kith.v1.Contact"].FromString(contact.SerializeToString())
    for field in ("source_identifier", "uid", "revision"):
        contact.ClearField(field)

    def order(field, *texts):
        values = getattr(contact, field)
        values.sort(key=lambda value: (*(getattr(value, text).encode() for text in texts),
                                       value.SerializeToString(deterministic=True)))

    for field in ("phones", "emails", "urls", "dates", "impps", "related"):
        order(field, "value", "label")
    order("addresses", "street", "city", "label")
    for field in ("categories", "members"):
        getattr(contact, field).sort(key=str.encode)
    return hashlib.sha256(contact.SerializeToString(deterministic=True)).digest()


def stored(hub):
    """(raw, raw_sha256, semantic_digest, contact) of each card, by its name in the source."""
    with sqlite3.connect(f"file:{hub.directory}/state/kith.db?mode=ro", uri=True) as database:
        return {href: row for href, *row in database.execute("SELECT href, raw, raw_sha256, semantic_digest FROM card")}


def contact_of(hub, href):
    """What kithd's own reading made of a card, without what only the store adds."""
    (found,) = [contact for contact in hub.reply("Contacts/List")["contacts"] if contact["sourceIdentifier"] == href]
    for field in ("id", "source", "etag", "createdAt", "updatedAt"):
        found.pop(field, None)
    return found


def test_the_worked_example_is_what_kithd_computes(hub):
    folder = hub.directory / "cards"
    folder.mkdir()
    card = CARD.replace("\n", "\r\n").encode()
    (folder / "ann.vcf").write_bytes(card)
    hub.reply("Contacts/AddSource", {"name": "home", "vdir": {"path": str(folder)}})
    hub.reply("Contacts/Sync")
    found = contact_of(hub, "ann.vcf")
    assert found == json.loads(CONTACT)
    raw, raw_sha256, digest = stored(hub)["ann.vcf"]
    assert raw == card and hashlib.sha256(card).digest() == raw_sha256
    assert digest == semantic_digest(json_format.ParseDict(found, TYPES["kith.v1.Contact"]()))
    assert (raw_sha256.hex(), digest.hex()) == (RAW_SHA256, SEMANTIC_DIGEST)


MANY = """BEGIN:VCARD\r
VERSION:3.0\r
UID:many\r
FN:Zoé Ångström\r
N:Ångström;Zoé;;;\r
TEL;TYPE=CELL:+46 70\r
TEL;TYPE=WORK:+46 70\r
TEL;TYPE=HOME,PREF:+46 8\r
EMAIL:zoe@example.org\r
EMAIL:Zoe@example.org\r
URL:https://e\u0301c.example\r
URL:https://\u00e9b.example\r
ADR;TYPE=WORK:;;B 2;Malmö;;;\r
ADR;TYPE=HOME:;;B 2;Lund;;;\r
CATEGORIES:zebra,apple,\u00e4rt\r
PHOTO;ENCODING=b;TYPE=PNG:iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==\r
REV:2024-01-01T00:00:00Z\r
END:VCARD\r
"""


@pytest.mark.parametrize("card", [CARD.replace("\n", "\r\n"), MANY], ids=["example", "many"])
def test_a_worker_of_another_make_changes_nothing(hub, card):
    folder = hub.directory / "cards"
    folder.mkdir()
    (folder / "one.vcf").write_bytes(card.encode())
    hub.reply("Contacts/AddSource", {"name": "home", "vdir": {"path": str(folder)}})
    hub.reply("Contacts/Sync")
    contact = json_format.ParseDict(contact_of(hub, "one.vcf"), TYPES["kith.v1.Contact"]())
    raw, raw_sha256, digest = stored(hub)["one.vcf"]
    assert semantic_digest(contact) == digest and hashlib.sha256(raw).digest() == raw_sha256
    events = hub.seq("contacts")

    (hub.directory / "config.toml").write_text(CONFIGURATION + '[placement]\ncontacts = "worker"\n')
    hub.restart(signal.SIGTERM)
    worker = Frames(hub).ready(services=("kith.v1.ContactsSource",))
    worker.wait(0x10)
    answers = []
    asking = threading.Thread(target=lambda: answers.append(hub.reply("Contacts/Sync")))
    asking.start()
    # Its fingerprints are its own, so that it is asked for the card.
    listing, _, _ = worker.wait(0x02)
    batch(worker, listing, {"items": [{"href": "one.vcf", "fingerprint": "another make"}]})
    worker.final(listing, {"complete": True, "identity": identity_of(hub)})
    worker.send(0x11, {"add": 1})
    fetch, body, _ = worker.wait(0x02)
    assert json.loads(body)["hrefs"] == ["one.vcf"]
    # The values in another order, and other stamps.
    shuffled = TYPES["kith.v1.Contact"].FromString(contact.SerializeToString())
    shuffled.revision = "later"
    for field in ("phones", "emails", "urls", "addresses", "categories"):
        values = list(getattr(shuffled, field))
        del getattr(shuffled, field)[:]
        getattr(shuffled, field).extend(reversed(values))
    batch(worker, fetch, {"cards": [{
        "href": "one.vcf", "fingerprint": "another make", "raw": base64.b64encode(raw).decode(),
        "rawSha256": base64.b64encode(raw_sha256).decode(), "contact": json_format.MessageToDict(shuffled),
        "semanticDigest": base64.b64encode(semantic_digest(shuffled)).decode()}]})
    worker.final(fetch, {"read": 1})
    asking.join(60)
    (status,) = answers[0]["sources"]
    assert (status["state"], status.get("updated", 0), status.get("added", 0)) == ("COMPLETED", 0, 0), status
    assert hub.seq("contacts") == events
    worker.close()


def batch(worker, job, body):
    ids = {key: job[key] for key in ("jobId", "attempt", "leaseId")}
    worker.send(0x03, {**ids, "batchSeq": 1}, json.dumps(body).encode(), job["service"])
    until(lambda: worker.wait(0x12)[0].get("committedBatch") == 1)


def identity_of(hub):
    """What the folder was listed as the last time."""
    with sqlite3.connect(f"file:{hub.directory}/state/kith.db?mode=ro", uri=True) as database:
        ((identity,),) = database.execute("SELECT identity FROM source")
    return identity
