"""Files on the hub's disk that a request names: from which machine, and where."""
import contextlib
import json
import re
import sqlite3

import pytest
from google.protobuf.descriptor import FieldDescriptor

from conftest import CONFIGURATION, FOLDERS, Hub
from keyed import CurveWire, Key, tcp_hub
from messages import ROOT, SERVICES, TYPES

# Names of fields that name a file.
SOUNDS_SO = re.compile(r"(^|_)(path|file|program|certificate|dir|directory|folder|client_key)$")


@pytest.fixture(scope="module")
def hub():
    with tcp_hub() as hub:
        yield hub


@pytest.fixture(scope="module")
def admin(hub):
    """A client on another machine that may do everything."""
    key = Key()
    hub.approve(key, "laptop", role="admin")
    with CurveWire(hub, key) as wire:
        wire.key = key
        yield wire


def secret(path, text="tk_secret\n"):
    path.write_text(text)
    path.chmod(0o600)
    return str(path)


def requests(path):
    """Every request that names a file, with the field; all of them would be taken otherwise."""
    account = {"url": "https://example.org/", "username": "ann"}
    both = {"clientCertificate": path, "clientKey": path}
    channel = {"name": "phone", "ntfy": {"topic": "t"}}
    login = {"endpoint": "http://127.0.0.1:9"}
    return {
        "vdir.path": ("Contacts/AddSource", {"name": "new", "vdir": {"path": path}}),
        "vcf.path": ("Contacts/AddSource", {"name": "new", "vcf": {"path": path}}),
        "carddav.password_file": ("Contacts/AddSource", {"name": "new", "carddav": {**account, "passwordFile": path}}),
        "carddav.ca_file": ("Contacts/AddSource", {"name": "new", "carddav": {**account, "caFile": path}}),
        "carddav.client_certificate": ("Contacts/AddSource", {"name": "new", "carddav": {**account, **both}}),
        "account.password_file": ("Contacts/Discover", {"account": {**account, "passwordFile": path}}),
        "password_file": ("Contacts/SetCredentials", {"name": "work", "passwordFile": path}),
        "channel.secret_file": ("Channels/Add", {"channel": {**channel, "secretFile": path}}),
        "channel.ca_file": ("Channels/Add", {"channel": {**channel, "caFile": path}}),
        "channel.command.program": ("Channels/Add", {"channel": {"name": "phone", "command": {"program": path}}}),
        "secret_file": ("Channels/SetCredentials", {"name": "line", "secretFile": path}),
        "token_file": ("Monica/Login", {**login, "tokenFile": path}),
        "ca_file": ("Monica/Login", {**login, "token": "t", "caFile": path}),
    }


def refusal(status):
    return status["code"], status["reason"], [*status["details"]]


@pytest.mark.parametrize("field", requests(""))
def test_another_machine_names_no_file_of_the_hub(hub, admin, field, tmp_path):
    method, body = requests(secret(tmp_path / "secret"))[field]
    before = hub.reply("Contacts/ListSources"), hub.reply("Channels/List")
    status = admin.ask(method, body)[0]["status"]
    assert refusal(status) == ("PERMISSION_DENIED", "PATH_NOT_ALLOWED", [field])
    assert (hub.reply("Contacts/ListSources"), hub.reply("Channels/List")) == before


@pytest.mark.parametrize("field", [field for field in requests("") if field != "channel.command.program"])
@pytest.mark.parametrize("place", ["state/server.key", "state", "state/not/there", "run/control.sock", "link"])
def test_nobody_names_a_file_of_kithd_itself(hub, field, place):
    if not (link := hub.directory / "link").is_symlink():
        link.symlink_to(hub.directory / "state" / "server.key")
    method, body = requests(str(hub.directory / place))[field]
    status = hub.ask(method, body)[0]["status"]
    assert refusal(status) == ("PERMISSION_DENIED", "PATH_NOT_ALLOWED", [field])


def test_secrets_are_read_from_the_folders_of_the_configuration(tmp_path):
    (allowed := tmp_path / "allowed").mkdir()
    (other := tmp_path / "allowed-not").mkdir()
    (allowed / "out").symlink_to(other)
    (allowed / "nowhere").symlink_to(other / "nowhere")
    (other / "in").symlink_to(allowed / "token")
    for folder in (allowed, other):
        secret(folder / "token")
    refused = [other / "token", allowed / "out" / "token", allowed / "nowhere", allowed / ".." / "allowed-not" / "token",
               allowed / "new" / ".." / ".." / "allowed-not" / "token"]
    configuration = CONFIGURATION.replace(FOLDERS, f'[secrets]\nfolders = ["{allowed}"]\n')
    with contextlib.closing(HubOf(configuration)) as hub:
        hub.start()
        for number, path in enumerate([allowed / "token", other / "in", allowed / "to" / "come"]):
            hub.reply("Channels/Add", {
                "channel": {"name": f"c{number}", "ntfy": {"topic": "t"}, "secretFile": str(path)}})
        for path in refused:
            channel = {"name": "no", "ntfy": {"topic": "t"}, "secretFile": str(path)}
            status = hub.ask("Channels/Add", {"channel": channel})[0]["status"]
            assert refusal(status) == ("PERMISSION_DENIED", "PATH_NOT_ALLOWED", ["channel.secret_file"]), path
            assert "secrets.folders" in status["message"] or "looked up" in status["message"]
        # Certificates and cards are no secrets.
        hub.reply("Contacts/AddSource", {"name": "cards", "vdir": {"path": str(other)}})
        hub.reply("Channels/Add", {"channel": {"name": "d", "ntfy": {"topic": "t"}, "caFile": str(other / "token")}})


class HubOf(Hub):
    def __init__(self, configuration):
        super().__init__()
        (self.directory / "config.toml").write_text(configuration)

    def close(self):
        self.end()
        self.remove()


def synced(hub, name):
    """The status of a source after a pass."""
    sources = hub.reply("Contacts/Sync", {"sources": [name]}, timeout=60)["sources"]
    return next(status for status in sources if status["source"] == f"contacts:{name}")


def test_what_an_earlier_version_stored_sends_no_file_of_kithd_itself(services, tmp_path):
    token = secret(tmp_path / "token")
    allowed = CONFIGURATION.replace(FOLDERS, f'[secrets]\nfolders = ["{tmp_path}"]\n')
    with contextlib.closing(HubOf(allowed)) as hub:
        hub.start()
        for name in ("kept", "old"):
            hub.reply("Channels/Add", {"channel": {"name": name, "ntfy": {"topic": name, "address": services.url}, "secretFile": token}})
            hub.reply("Contacts/AddSource", {"name": name, "carddav": {
                "url": f"{services.url}/{name}/", "username": "ann", "passwordFile": token, "allowPlainHttp": True}})
        hub.end()
        own = secret(hub.directory / "state" / "of-the-hub", "tk_of_the_hub\n")
        with contextlib.closing(sqlite3.connect(hub.directory / "state" / "kith.db")) as database, database:
            (body,), = database.execute("SELECT body FROM channel WHERE name = 'old'")
            channel = TYPES["kith.v1.Channel"].FromString(body)
            channel.secret_file = own
            database.execute("UPDATE channel SET body = ? WHERE name = 'old'", (channel.SerializeToString(),))
            (body,), = database.execute("SELECT account FROM source WHERE name = 'old'")
            account = TYPES["kith.v1.CardDAV"].FromString(body)
            account.password_file = own
            database.execute("UPDATE source SET account = ? WHERE name = 'old'", (account.SerializeToString(),))
        hub.start()
        error = hub.reply("Channels/Test", {"name": "old", "language": "en"}, timeout=60)["delivery"]["error"]
        assert (error["code"], error["reason"]) == ("PERMISSION_DENIED", "PATH_NOT_ALLOWED"), error
        sync = synced(hub, "old")
        assert (sync["state"], sync["error"]["reason"]) == ("ERROR", "PATH_NOT_ALLOWED"), sync
        # A file elsewhere is kept, also when its folder is no longer listed.
        hub.end()
        (hub.directory / "config.toml").write_text(CONFIGURATION.replace(FOLDERS, ""))
        hub.start()
        hub.reply("Channels/Test", {"name": "kept", "language": "en"}, timeout=60)
        sync = synced(hub, "kept")
        assert sync["error"]["reason"] not in ("PATH_NOT_ALLOWED", "NEEDS_CREDENTIALS"), sync
        sent = json.dumps(services.seen)
        assert sent.count("Bearer tk_secret") == 1 and "tk_of_the_hub" not in sent


def test_the_command_line_of_another_machine_sends_the_secret_itself(hub, admin, services, tmp_path):
    file = admin.key.file(tmp_path / "key", hub.server_key)
    token = secret(tmp_path / "token")
    hub.remote(file, "channels", "add", "far", "--ntfy", "t", "--server", services.url, "--secret-file", token)
    hub.remote(file, "channels", "test", "far")
    assert ["Authorization", "Bearer tk_secret"] in [list(pair) for pair in services.seen[0]["headers"]]
    hub.remote(file, "channels", "login", "far", "--secret-file", secret(tmp_path / "other", "tk_other"))
    hub.remote(file, "channels", "test", "far")
    assert ["Authorization", "Bearer tk_other"] in [list(pair) for pair in services.seen[1]["headers"]]
    hub.remote(file, "contacts", "source", "add", "far", "--carddav", "https://example.org/", "--username", "ann",
               "--password-file", token)
    hub.remote(file, "contacts", "source", "login", "far", "--password-file", token)
    source = next(source for source in hub.reply("Contacts/ListSources")["sources"] if source["name"] == "far")
    assert "passwordFile" not in source["carddav"]
    assert "tk_secret" not in json.dumps([hub.reply("Contacts/ListSources"), hub.reply("Channels/List")])
    assert (hub.directory / "state" / "secrets" / "contacts-far").read_text() == "tk_secret"


def fields(message, prefix="", around=()):
    for field in message.fields:
        name = prefix + field.name
        if field.type == FieldDescriptor.TYPE_MESSAGE and field.message_type.file.package == "kith.v1":
            # A message may have earlier versions of itself.
            if field.message_type not in around:
                yield from fields(field.message_type, name + ".", (*around, message))
        elif field.type == FieldDescriptor.TYPE_STRING and SOUNDS_SO.search(field.name):
            yield name


def test_the_page_has_the_rule_of_every_path():
    page = (ROOT / "docs" / "protocol.md").read_text()
    table = set(re.findall(r"^\| `([\w/]+)`: `([\w.]+)` \|", page, re.MULTILINE))
    served = {(method.full_name.removeprefix("kith.v1.").replace(".", "/"), name)
              for method in SERVICES.values() if method.containing_service.name not in NOT_FOR_CLIENTS
              for name in fields(method.input_type)}
    assert served == table


# Their role is worker: the hub alone calls them.
NOT_FOR_CLIENTS = {"ContactsSource", "MonicaRemote", "Transcriber", "Delivery"}
