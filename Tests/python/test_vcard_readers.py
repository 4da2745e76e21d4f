"""What Kith exports, as 3.0 and as 4.0, read again by three readers of other make: each finds what Kith holds."""
import base64
import collections
import hashlib
import io
import json
import pathlib
import re
import shutil
import subprocess

import pytest
import vobject

from cards import DATA
from conftest import ROOT
from trials import add_folder, daemon, kith, make_folder, sync

READERS = ROOT / "Tests" / "readers"
JARS = [pathlib.Path("/usr/share/java") / name for name in ("ez-vcard.jar", "vinnie.jar")]
SABRE = pathlib.Path("/usr/share/php/Sabre/VObject/autoload.php")
GENERATED = 150
VERSIONS = ("3.0", "4.0")


# MARK: What Kith holds


def held(contact):
    """The values of a contact by field."""
    name, photo = contact.get("name", {}), contact.get("photo")
    address = ("poBox", "extended", "street", "city", "region", "postalCode", "country")
    return {
        "name": [contact.get("formattedName", "")],
        "parts": ["|".join(name.get(part, "") for part in ("family", "given", "middle", "prefix", "suffix"))],
        "organisation": [contact.get("organization", "")],
        "title": [contact.get("title", "")],
        "uid": [contact.get("uid", "")],
        "note": [contact.get("note", "")],
        "birthday": [contact.get("birthday", "")],
        "photo": ["sha256:" + photo["sha256"] if photo else contact.get("photoUri", "")],
        "addresses": ["|".join(each.get(part, "") for part in address) for each in contact.get("addresses", [])],
        **{field: [each["value"] for each in contact.get(field, [])] for field in ("phones", "emails", "urls", "dates")},
    }


# MARK: The readers


def by_vobject(cards):
    """Reads cards by vobject, which knows 3.0 alone and takes 4.0 for it."""
    for card in cards:
        try:
            component = vobject.readOne(card)
        except vobject.base.VObjectError as error:
            yield {"error": [repr(error)]}
            continue
        # It takes URIs for texts, and cuts them at a comma: they are read line by line.
        lines = [vobject.base.textLineToContentLine(*line) for line in vobject.base.getLogicalLines(io.StringIO(card), False)]
        uris = [of_vobject(line) for line in lines if is_uri(line)]
        yield fields([of_vobject(line) for line in component.getChildren() if not is_uri(line)] + uris)


def is_uri(line):
    return line.name == "URL" or line.params.get("VALUE") == ["uri"] or str(line.value).startswith("data:")


def of_vobject(line):
    name, value = line.name.upper(), line.value
    parameters = {key.upper(): texts[0] if texts else "" for key, texts in line.params.items()}
    if name == "N":
        value = [value.family, value.given, value.additional, value.prefix, value.suffix]
    elif name == "ADR":
        value = [value.box, value.extended, value.street, value.city, value.region, value.code, value.country]
    values = value if isinstance(value, list) else [value]
    return name, parameters, [part if isinstance(part, (str, bytes)) else ",".join(part) for part in values]


def by_sabre(cards):
    """Reads cards by sabre/vobject, as Nextcloud and Baikal do."""
    for answer in answers(["php", READERS / "sabre.php"], cards):
        if "error" in answer:
            yield {"error": [answer["error"]]}
        else:
            yield fields((each["name"], dict(each["parameters"]), each["values"]) for each in answer["properties"])


def by_ez_vcard(cards):
    """Reads cards by ez-vcard."""
    program = ["java", "-Duser.timezone=UTC", "-cp", ":".join(map(str, JARS)), READERS / "EzVCard.java"]
    for found in answers(program, cards):
        # Those of programs' own properties come as they are written.
        yield {**found, "dates": [day(text) for text in found.get("dates", [])]}


def answers(program, cards):
    lines = b"".join(base64.b64encode(card.encode()) + b"\n" for card in cards)
    done = subprocess.run(program, input=lines, capture_output=True, timeout=100)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


NAMES = {
    "FN": "name", "N": "parts", "ORG": "organisation", "TITLE": "title", "UID": "uid", "NOTE": "note", "BDAY": "birthday",
    "TEL": "phones", "EMAIL": "emails", "URL": "urls", "X-KADDRESSBOOK-BLOGFEED": "urls", "ADR": "addresses",
    "PHOTO": "photo", "LOGO": "media", "SOUND": "media", "KEY": "media",
    **dict.fromkeys((
        "ANNIVERSARY", "DEATHDATE", "X-DEATHDATE", "X-ABDATE", "X-ANNIVERSARY", "X-EVOLUTION-ANNIVERSARY", "X-MS-ANNIVERSARY",
        "X-KADDRESSBOOK-X-ANNIVERSARY", "X-BDAY", "X-ALTBDAY",
    ), "dates"),
}  # fmt: skip


def fields(properties):
    """The values by field of a reader that gives properties: name, parameters and values of each."""
    found = collections.defaultdict(list)
    for name, parameters, values in properties:
        field = NAMES.get(name)
        if field in ("photo", "media"):
            found[field].append(content(parameters, values[0]))
        elif field in ("birthday", "dates"):
            found[field].append(day(values[0], parameters.get("X-APPLE-OMIT-YEAR")))
        elif field:
            found[field].append("|".join(values) if field in ("parts", "addresses") else values[0])
    return found


def content(parameters, value):
    """A picture, a sound or a key: the digest of its bytes, or the URI that says that it is one."""
    if parameters.get("VALUE", "").lower() == "uri" and not value.startswith("data:"):
        return value
    if isinstance(value, str) and value.startswith("data:"):
        value = base64.b64decode(value.partition(",")[2], validate=True)
    elif isinstance(value, str):
        value = base64.b64decode(value, validate=True)
    return "sha256:" + hashlib.sha256(value).hexdigest()


def day(text, omitted=None):
    """A date as Kith writes it; other texts as they are."""
    full = re.match(r"(\d{4})-?(0\d|1[0-2])-?(\d\d)(T|$)", text)
    if full:
        year = "-" if omitted == full[1] else full[1]
        return f"{year}-{full[2]}-{full[3]}"
    return re.sub(r"^--(\d\d)-?(\d\d)$", r"--\1-\2", text)


# MARK: The trial


def cards_of(export):
    """The cards of an export, one by one."""
    return re.findall(r"BEGIN:VCARD\r\n.*?\r\nEND:VCARD\r\n", export.decode(), re.DOTALL)


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """What Kith holds of all sample cards, and its exports of them by version."""
    folder = tmp_path_factory.mktemp("cards")
    make_folder(folder / "generated", GENERATED)
    folders = [folder / "generated", ROOT / "examples" / "household"]
    folders += sorted({path.parent for path in (DATA / "vcards").rglob("*.vcf")})
    with daemon() as hub:
        for number, path in enumerate(folders):
            add_folder(hub, f"s{number}", path)
            assert sync(hub, f"s{number}")["state"] == "COMPLETED"

        def export(name, *options):
            done = kith(hub, "contacts", "export", *options, "-o", str(folder / name))
            assert done.returncode == 0, done.stderr
            return (folder / name).read_bytes()

        contacts = json.loads(export("all.json", "--format", "json"))["contacts"]
        texts = {version: cards_of(export(f"{version}.vcf", "--vcard", version)) for version in VERSIONS}
    assert all(len(cards) == len(contacts) for cards in texts.values())
    return [held(contact) for contact in contacts], texts


# The fields that have one value in Kith; a reader may find further ones.
SINGLE = ("name", "parts", "organisation", "title", "uid", "note", "birthday", "photo")


def tidy(texts, field):
    """Texts without what says nothing: blanks around them and around commas, line breaks of another kind, schemes."""
    texts = [re.sub(r"\s*,\s*", ",", text.replace("\r\n", "\n").strip()) for text in texts]
    if field == "parts":
        texts = [text.replace(",", " ") for text in texts]
    texts = [re.sub(r"^(urn:uuid:|tel:)", "", text) for text in texts]
    return [text for text in texts if text.strip("|")]


def differences(expected, found):
    """The fields in which a reader found something else than Kith holds."""
    if "error" in found:
        yield "error", [], found["error"]
        return
    # A birthday that is no date is among the dates of the contact.
    texts = [text for text in found.get("birthday", []) if not re.fullmatch(r"(\d{4}|-)-\d\d-\d\d", text)]
    found = {**found, "dates": found.get("dates", []) + texts}
    for field, values in expected.items():
        wanted, got = tidy(values, field), tidy(found.get(field, []), field)
        if field == "note":
            # Kith has all notes of a card as one.
            wanted, got = [text for each in wanted for text in each.split("\n")], [
                text for each in got for text in each.split("\n")]
        is_same = set(wanted) <= set(got) if field in SINGLE else sorted(wanted) == sorted(got)
        if not is_same:
            yield field, wanted, got


# With the program that runs it, and its library.
READ_BY = {"vobject": (by_vobject, "", ROOT), "sabre/vobject": (by_sabre, "php", SABRE), "ez-vcard": (by_ez_vcard, "java", JARS[0])}


@pytest.mark.parametrize("name", READ_BY)
def test_reads_what_kith_holds(name, exported):
    read, program, library = READ_BY[name]
    if program and not shutil.which(program) or not library.exists():
        pytest.skip("scripts/servers.sh readers installs it")
    contacts, texts = exported
    media = {}
    for version, cards in texts.items():
        found = list(read(cards))
        assert len(found) == len(contacts)
        different = [
            (number, *difference) for number, pair in enumerate(zip(contacts, found)) for difference in differences(*pair)]
        count = sum(len(tidy(values, field)) for contact in contacts for field, values in contact.items())
        media[version] = [[sorted(each.get(field, [])) for field in ("photo", "media")] for each in found]
        print(f"{name}, {version}: {len(cards)} cards, {count} values, {len(different)} fields differ")
        assert not different, different[:20]
        assert len(cards) > GENERATED and count > 3 * len(cards)
    # Pictures, sounds and keys: the same bytes and the same URIs in either version, and never a URI taken for base64.
    assert media["3.0"] == media["4.0"]
    print(f"{name}: {sum(len(each) for kinds in media['3.0'] for each in kinds)} pictures, sounds and keys")
