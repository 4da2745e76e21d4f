"""Every value and every picture of generated cards comes out of the hub as it went into a server that keeps bytes."""
import base64
import hashlib
import json
import os
import random
import subprocess
import sys

import pytest

from cards import GENERATOR
from conftest import size
from servers import XANDIKOS, Reader, card, server
from trials import daemon

COUNT = size(200, 10_000, "KITH_EXACT_CARDS")


def generated(folder):
    """(cards by their names, what they say by UID) from the generator of the test data."""
    truth = folder / "truth.jsonl"
    subprocess.run(
        [sys.executable, GENERATOR, "--count", str(COUNT), "--out", folder / "cards", "--truth", truth], check=True,
        stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    texts = {path.name: path.read_bytes() for path in (folder / "cards").iterdir()}
    return texts, {said["uid"]: said for said in map(json.loads, truth.read_text().splitlines())}


def made():
    """The same where that generator is absent: plain cards, one of five with a picture."""
    chance, texts, truth = random.Random(7), {}, {}
    for number in range(COUNT):
        name = f"card-{number:05}"
        picture = b"\xff\xd8\xff\xe0" + chance.randbytes(20_000) if number % 5 == 0 else b""
        lines = [f"TEL:555-{number:05}", f"EMAIL:p{number}@example.org", f"NOTE:山田 {number}"]
        lines += [f"PHOTO;ENCODING=b;TYPE=JPEG:{base64.b64encode(picture).decode()}"] if picture else []
        texts[name + ".vcf"] = card(name, *lines)
        truth[name] = {
            "fn": name, "family": name, "phones": [["", f"555-{number:05}"]], "emails": [["", f"p{number}@example.org"]],
            "note": f"山田 {number}", "photo": {"sha256": hashlib.sha256(picture).hexdigest()} if picture else None}
    return texts, truth


def values(contact):
    """What a contact says, in the words of the truth."""
    name = contact.get("name", {})
    said = {"fn": contact["formattedName"]}
    said |= {key: name.get(key, "") for key in ("family", "given", "middle", "prefix", "suffix")}
    said |= {key: contact.get(field, "") for key, field in {"title": "title", "note": "note", "nick": "nickname"}.items()}
    said |= {key: [value["value"] for value in contact.get(key, [])] for key in ("phones", "emails", "urls")}
    said["addresses"] = [
        [address.get(key, "") for key in ("street", "city", "region", "postalCode", "country")]
        for address in contact.get("addresses", [])]
    said["categories"] = contact.get("categories", [])
    return said


def expected(said):
    # A tel: URI of a 4.0 card has hyphens where people write spaces.
    standard = ("mobile", "home", "work", "main", "homefax", "school")
    is_uri = said.get("style") == 2
    phones = [text.replace(" ", "-") if is_uri and label in standard else text for label, text in said["phones"]]
    texts = ("fn", "family", "given", "middle", "prefix", "suffix", "title", "note", "nick")
    return {key: said.get(key, "") for key in texts} | {
        "phones": phones, "emails": [text for _, text in said["emails"]], "urls": [text for _, text in said.get("urls", [])],
        "addresses": [address[1:6] for address in said.get("addresses", [])], "categories": said.get("categories", [])}


def picture(hub, reference):
    """The bytes of a picture as the hub gives them out."""
    data = b""
    while len(data) < int(reference["size"]):
        header, _, attachments = hub.ask("System/BlobGet", {"sha256": reference["sha256"], "offset": str(len(data))})
        assert "status" not in header, header
        data += b"".join(attachments)
    return data


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_values_and_pictures_are_those_of_the_cards(tmp_path):
    texts, truth = generated(tmp_path) if GENERATOR.exists() else made()
    assert len(texts) == len(truth) == COUNT
    with server(XANDIKOS) as dav, daemon() as hub:
        dav.seed(texts)
        home = Reader(hub, dav)
        assert home.sync()["live"] == COUNT
        held = {contact["uid"]: contact for contact in home.contacts().values()}
        assert held.keys() == truth.keys()
        pictures = 0
        for uid, said in truth.items():
            assert values(held[uid]) == expected(said), uid
            assert ("photo" in held[uid]) == bool(said["photo"]), uid
            if said["photo"]:
                digest = hashlib.sha256(picture(hub, held[uid]["photo"])).hexdigest()
                assert digest == said["photo"]["sha256"], uid
                pictures += 1
        assert pictures > COUNT // 10
        assert hub.end() == 0
    print(f"{COUNT} cards as they were, {pictures} pictures with the digests of the originals")
