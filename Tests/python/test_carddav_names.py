"""Accounts that are named by their domain alone: its name service says where they are (RFC 6764, 3 to 6)."""

import pytest

from certificates import make_certificate
from names import ADDRESS, HOST, SERVICE, TEXT, address, name_service, service, text
from servers import RADICALE, Reader, account, free_port, server
from trials import daemon, needs_root, seeing

pytestmark = needs_root

DOMAIN, SERVER = "household.test", "dav.household.test"
ASKED = f"_carddavs._tcp.{DOMAIN}"


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    """A hub whose machine asks our name service."""
    settings = tmp_path_factory.mktemp("names") / "resolv.conf"
    settings.write_text(f"nameserver {HOST}\n")
    with daemon(under=seeing(settings, "/etc/resolv.conf")) as hub:
        yield hub
        assert hub.end() == 0


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    folder = tmp_path_factory.mktemp("authority")
    made, _ = make_certificate(folder, "Authority of the household")
    return made, str(folder / "certificate.pem")


@pytest.fixture(scope="module")
def dav(authority):
    """A server that is called SERVER, and no other name."""
    with server(RADICALE, start=False, tls=True) as made:
        make_certificate(made.directory, "dav", authority=authority[0], hosts=[SERVER])
        made.start()
        made.fill(5)
        yield made


def test_the_service_records_of_a_domain_lead_to_its_books(hub, dav, authority):
    """The one of the lesser number is tried first, and the next when that is down; the path is in the text record."""
    records = {
        (ASKED, SERVICE): [service(20, 0, dav.port, SERVER), service(10, 0, free_port(), SERVER)],
        (ASKED, TEXT): [text("v=1", "path=/alice/")], (SERVER, ADDRESS): [address("127.0.0.1")]}
    with name_service(records) as names:
        found = hub.reply("Contacts/Discover", {"account": account(dav, url=f"alice@{DOMAIN}", caFile=authority[1])})
        assert [book["url"] for book in found["books"]] == [f"https://{SERVER}:{dav.port}/alice/friends/"]
        assert {(ASKED, SERVICE), (ASKED, TEXT), (DOMAIN, ADDRESS), (SERVER, ADDRESS)} <= set(names.asked)
        (step,) = [step for step in found["trail"] if ASKED in step]
        assert f"{SERVER}:{dav.port}" in step
        home = Reader(hub, dav, "by-domain", url=DOMAIN, caFile=authority[1])
        home.completed(added=5)
        home.completed(live=5)


def test_without_a_path_the_well_known_one_is_asked(hub, dav, authority):
    records = {(ASKED, SERVICE): [service(0, 0, dav.port, SERVER)], (SERVER, ADDRESS): [address("127.0.0.1")]}
    with name_service(records):
        before = len(dav.requests)
        found = hub.reply("Contacts/Discover", {"account": account(dav, url=DOMAIN, caFile=authority[1])})
        assert len(found["books"]) == 1
        assert dav.requests[before] == "PROPFIND /.well-known/carddav"


@pytest.mark.parametrize("records, said", [
    ({}, "names no server"), ({(ASKED, SERVICE): [service(0, 0, 0, ".")]}, "names no server"),
    ({(ASKED, SERVICE): [service(0, 0, 443, "dav.strangers.test")], ("dav.strangers.test", ADDRESS): [address("127.0.0.1")]},
     "names dav.strangers.test:443"),
], ids=["unknown", "none", "elsewhere"])
def test_a_domain_that_leads_nowhere(hub, dav, authority, records, said):
    """No records, the record that says there is no such service, and a server that belongs to somebody else."""
    with name_service(records) as names:
        header, _, _ = hub.ask("Contacts/Discover", {"account": account(dav, url=DOMAIN, caFile=authority[1])})
        status = header["status"]
        assert any(said in why for why in [status["message"], *status.get("details", {}).values()]), status
        assert (ASKED, SERVICE) in names.asked
        assert ("dav.strangers.test", ADDRESS) not in names.asked, "a stranger's server was looked for"
