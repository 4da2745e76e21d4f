"""A household: a kithd and the Monica server that it is in step with."""
import contextlib
import os
import signal
import subprocess
import time

from conftest import FOLDERS, Wire
from trials import Daemon

# Passes over the account only when a test asks for them. What is recorded is sent at once all the same.
CONFIGURATION = FOLDERS + "[monica]\nsync_at_start = false\nsync_every_minutes = 0\n"
STRANGER = {"is_birthdate_known": False, "is_deceased": False, "is_deceased_date_known": False}


class MortalDaemon(Daemon):
    """A kithd that can be made to die."""

    def start_to_die(self, point, count):
        """Starts it, and has it pass over the account until it dies at a marked point."""
        with open(self.log, "ab") as log:
            environment = {**os.environ, "KITH_FAULT_POINT": f"{point}:{count}"}
            self.process = subprocess.Popen(self.command_line(), stdout=log, stderr=log, env=environment)
        # It may die before it listens.
        wire = Wire(self.control, immediate=0)
        wire.send("kith.v1.Monica/Sync")
        status = self.process.wait(60)
        self.process = None
        wire.close()
        assert status == -signal.SIGKILL, f"{point}:{count} was not hit: {self.log.read_text()[-2000:]}"


class Home:
    """A hub that is logged in to a server."""

    def __init__(self, hub, monica):
        self.hub, self.monica = hub, monica

    def login(self):
        return self.hub.reply("Monica/Login", {"endpoint": self.monica.url, "token": self.monica.token})

    # Passes.

    def sync(self, timeout=60.0, **options):
        """The status of the account after a pass, which may have failed."""
        return self.hub.reply("Monica/Sync", options, timeout=timeout)

    def passed(self, **options):
        """The counts of a pass that goes through."""
        status = self.sync(**options)["sync"]
        assert status["state"] == "COMPLETED", status
        return {name: status.get(name, 0) for name in ("added", "updated", "deleted", "pushed", "conflicts", "failed")}

    def settle(self, limit=40):
        """Has passes until nothing waits and nothing is new, as a person would who is asked to wait or to log in again."""
        for _ in range(limit):
            header, status, _ = self.hub.ask("Monica/Sync")
            if "status" in header:
                assert header["status"]["reason"] in ("SESSION_EXPIRED", "NOT_LOGGED_IN"), header
                self.login()
                continue
            if status["state"] != "logged_in":
                self.login()
                continue
            sync = status["sync"]
            waits = sync.get("error", {}).get("retryAfterMs", 0)
            if waits:
                time.sleep(min(waits, 5000) / 1000)
                continue
            moved = sum(sync.get(name, 0) for name in ("added", "updated", "deleted", "pushed"))
            if sync["state"] == "COMPLETED" and not status.get("pending") and not moved:
                return status
            if status.get("pending"):
                # What the server may still be at: after a kill that is five seconds.
                time.sleep(0.25)
        raise AssertionError(f"it does not come to rest: {status} {self.queue()}")

    def queue(self, **options):
        return self.hub.reply("Monica/Queue", {"limit": 500, **options}).get("entries", [])

    # Records.

    def person(self, name, **fields):
        return self.hub.reply("People/Create", {"record": {"firstName": name, **fields}})

    def details(self, person):
        return self.hub.reply("People/Get", {"id": person})

    def log(self, person, note, **fields):
        return self.hub.reply("Calls/Log", {"record": {"personId": person, "note": note, **fields}})

    def calls(self, **filters):
        found, cursor = [], ""
        while True:
            page = self.hub.reply("Calls/List", {"limit": 500, "cursor": cursor, "filter": filters})
            found += page.get("calls", [])
            cursor = page.get("nextCursor", "")
            if not cursor:
                return found

    # The other side.

    def stranger(self, name, **fields):
        """Somebody whom the server knows from elsewhere; the server's id."""
        return self.monica.done("POST", "/contacts", {**STRANGER, "first_name": name, **fields})["id"]


@contextlib.contextmanager
def home(monica, login=True, configuration=CONFIGURATION, **options):
    """A household that is gone afterwards; the server stays."""
    hub = MortalDaemon(configuration=configuration, **options)
    try:
        hub.start()
        made = Home(hub, monica)
        if login:
            made.login()
        yield made
    finally:
        hub.remove()


def note_of(content):
    """What a person wrote in the text of a call, without the lines that the hub adds for what the server has no field for."""
    return (content or "").partition("\n\n\u2014 ")[0]


def deaf(household):
    """Until ``hear``, nothing reaches the server."""
    household.monica.faults(always=[{"drop": True}])


def hear(household):
    household.monica.clear_faults()
    household.monica.forget_requests()


def conflict(household):
    """A note that was changed on both sides, in its text and in ways that do not overlap; (person, note)."""
    ann = household.person("Ann")["id"]
    note = household.hub.reply("Notes/Create", {"record": {"personId": ann, "body": "Likes tea."}})
    household.settle()
    (row,) = household.monica.dump("notes")
    deaf(household)
    household.hub.reply("Notes/Update", {"record": {"id": note["id"], "body": "Likes coffee."}, "fields": ["body"]})
    household.monica.mutate({"op": "update", "table": "notes", "id": row["id"], "set": {"body": "Likes milk.", "is_favorited": True}})
    hear(household)
    household.sync()
    return ann, note["id"]
