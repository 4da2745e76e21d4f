"""Adding channels, sending over them, and waiting for what became of it."""
import os
import subprocess
import time

from conftest import BINARIES

TOKEN = "tk_secret"
LINE_USER = "U" + "0123456789abcdef" * 2


def add(hub, name, kind, secret="", **fields):
    return hub.reply("Channels/Add", {"channel": {"name": name, kind: fields}, "secret": secret})


def add_mail(hub, server, secret="secret", **fields):
    channel = {"host": "127.0.0.1", "port": server.port, "username": "kith", "from": "kith@example.org",
               "to": ["ann@example.org", "bob@example.org"], **fields}
    trusted = {"caFile": str(server.certificate)} if fields.pop("trusted", True) else {}
    channel.pop("trusted", None)
    return hub.reply("Channels/Add", {"channel": {"name": "family", "mail": channel, **trusted}, "secret": secret})


def try_out(hub, name):
    return hub.reply("Channels/Test", {"name": name, "language": "en"}, timeout=60)["delivery"]


def deliveries(hub, **request):
    return hub.reply("Channels/Deliveries", request).get("deliveries", [])


def settled(hub, identity, *states):
    """The delivery when it is in one of these states."""
    end = time.monotonic() + 60
    while True:
        entry = next(entry for entry in deliveries(hub) if entry["id"] == identity)
        if entry["state"] in (states or ("delivered", "failed", "unknown")):
            return entry
        assert time.monotonic() < end, entry
        time.sleep(0.02)


def share(hub, *channels, **request):
    return hub.reply("Care/Share", {"channels": channels, "language": "en", **request})["deliveries"]


def kith(hub, *arguments, check=True):
    run = subprocess.run(
        [BINARIES / "kith", *arguments, "--runtime-dir", hub.runtime], capture_output=True, text=True, timeout=60,
        env={**os.environ, "LC_ALL": "C.UTF-8"})
    assert run.returncode == 0 or not check, run.stderr
    return run


def header(request, name):
    return next((value for key, value in request["headers"] if key.lower() == name.lower()), None)


def tried(hub, attempts=1):
    """The newest delivery when it waits behind so many attempts."""
    end = time.monotonic() + 60
    while (entry := deliveries(hub)[0]).get("attempts", 0) < attempts or entry["state"] != "pending":
        assert time.monotonic() < end, entry
        time.sleep(0.02)
    return entry
