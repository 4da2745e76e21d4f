"""Servers in processes of their own, and what somebody else does to the cards and people on them."""
import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse

import pytest
from dulwich import porcelain

from carddav_client import PASSWORD, CardDAVClient, card
from conftest import ROOT
from trials import contacts, sync

PROGRAMS = ROOT / "Tests" / "servers"
sys.path.append(str(PROGRAMS))

from starter import accepts, free_port  # noqa: E402

RADICALE, XANDIKOS = "radicale", "xandikos"
# Debian's interpreter, which has Debian's versions of the servers where they are installed.
DEBIAN = pathlib.Path("/usr/bin/python3")

DOUBLE, SIMULATOR = "double", "simulator"
# Another program with the same API and the same control, which the double is held against.
SIMULATOR_PROGRAM = pathlib.Path(os.environ.get("KITH_MONICA_SIM", ROOT.parent / "shared" / "tools" / "monica_sim.py"))


class Server:
    """A program in a process, with a directory of its own."""

    def __init__(self, prefix):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix=prefix))
        self.log = self.directory / "log"
        self.port = None
        self.process = None

    def launch(self, line, ready=None):
        """Starts the program and waits until it says its port, or until something else shows that it is ready."""
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=log, stderr=log)
        if ready:
            self.wait(ready)
        else:
            # Another stream of the program may have begun the line.
            self.port = int(self.said(r".*ready (\d+)")[1])
        return self

    def said(self, line):
        """Waits for a line of its output."""
        return self.wait(lambda: re.search(rf"^{line}$", self.log.read_text(errors="replace"), re.M))

    def wait(self, condition):
        end = time.monotonic() + 60
        while not (found := condition()):
            assert self.process.poll() is None and time.monotonic() < end, self.log.read_text(errors="replace")[-2000:]
            time.sleep(0.02)
        return found

    def stop(self):
        if self.process is not None:
            process, self.process = self.process, None
            process.kill()
            process.stdin.close()
            process.wait()

    def remove(self):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)


def versions(program):
    """The interpreters by which a test runs a server: that of the tests has a new version, Debian's an old one."""
    package = f"python3-{program}" if program == RADICALE else program
    is_installed = (pathlib.Path("/usr/lib/python3/dist-packages") / program).exists()
    absent = pytest.mark.skipif(not is_installed, reason=f"the package {package} of Debian is not installed")
    return [pytest.param(sys.executable, id="new"), pytest.param(DEBIAN, id="debian", marks=absent)]


class CardDAVServer(Server, CardDAVClient):
    """Radicale or Xandikos on data of its own. Its port stays the same when it is started again.

    With digest Radicale takes a password as sabre/dav 4.7 does: as a digest only.
    """

    def __init__(self, program, tls=False, interpreter=sys.executable, under=(), digest=False):
        super().__init__("kith-dav-")
        self.program, self.tls, self.interpreter, self.digest = program, tls, interpreter, digest
        # The words of a command that becomes the server.
        self.under = under
        self.data = self.directory / "data"
        self.home = "/alice/" if program == RADICALE else "/user/contacts/"

    def start(self, port=None):
        port = port or self.port
        line = [*self.under, self.interpreter, PROGRAMS / "carddav.py", self.program, self.directory]
        line += ["--tls"] if self.tls else []
        line += ["--digest"] if self.digest else []
        return self.launch(line + (["--port", str(port)] if port else []))

    @property
    def url(self):
        return f"http{'s' if self.tls else ''}://127.0.0.1:{self.port}"

    @property
    def requests(self):
        """The requests so far, as the server itself wrote them down: "METHOD path"."""
        return re.findall(r"^request (.*)$", self.log.read_text(errors="replace"), re.M)

    def fill(self, count, book="friends"):
        """Makes a book of plain cards; returns them by their names."""
        cards = {f"card-{number:04}.vcf": card(f"card-{number:04}", uid=f"{book}-{number}") for number in range(count)}
        return self.seed(cards, book)

    def seed(self, cards, book="friends"):
        """Makes a book of cards as the server would keep them, which takes it much longer one by one."""
        self.make(book)
        folder = self.folder(book)
        for name, content in cards.items():
            (folder / name).write_bytes(content)
        if self.program == XANDIKOS:
            porcelain.add(folder, [folder / name for name in cards])
            porcelain.commit(folder, message=b"Cards", author=b"Ann <ann@example.org>", committer=b"Ann <ann@example.org>")
        return cards

    def folder(self, book="friends"):
        """Where the server keeps a book."""
        return self.data / "collection-root" / "alice" / book if self.program == RADICALE else self.data / self.home[1:] / book

    @contextlib.contextmanager
    def stopped(self):
        """While its data is changed behind its back."""
        self.stop()
        yield
        self.start()


@contextlib.contextmanager
def server(program, start=True, **options):
    """A server that is gone afterwards, however the trial ended."""
    made = CardDAVServer(program, **options)
    try:
        yield made.start() if start else made
    finally:
        made.remove()


def account(server, **fields):
    """The account as a command names it."""
    return {"url": server.url, "username": server.user, "password": PASSWORD, **fields}


class Reader:
    """A hub that reads an account into a source."""

    def __init__(self, hub, server, name="home", **fields):
        self.hub, self.server, self.name = hub, server, name
        hub.reply("Contacts/AddSource", {"name": name, "carddav": account(server, **fields)})

    def sync(self, **options):
        return sync(self.hub, self.name, **options)

    def completed(self, **expected):
        """A pass that completes, with nothing held back, and these counts."""
        status = self.sync()
        assert status["state"] == "COMPLETED" and "heldBack" not in status, status
        counts = {key: status.get(key, 0) for key in ("added", "updated", "deleted", "revived", "skipped")}
        assert counts == {key: expected.pop(key, 0) for key in counts}, status
        for key, value in expected.items():
            assert status.get(key, 0) == value, status
        return status

    def failed(self, reason, live):
        """A pass that fails for a reason, says what to do, and takes nothing away."""
        before = self.identities()
        status = self.sync()
        assert (status["state"], status["error"]["reason"]) == ("ERROR", reason), status
        assert status.get("live", 0) == live and "deleted" not in status, status
        assert status["error"]["message"] and PASSWORD not in str(status)
        assert self.identities() == before
        return status["error"]

    def held(self, count, reason):
        """A pass that goes through and holds deletions back."""
        before = self.identities()
        status = self.sync()
        assert (status["state"], status.get("heldBack"), status.get("holdReason")) == ("COMPLETED", count, reason), status
        assert "deleted" not in status and self.identities() == before
        return status

    def contacts(self):
        return contacts(self.hub, self.name)

    def identities(self):
        return {card: contact["id"] for card, contact in self.contacts().items()}

    def problems(self):
        found = self.hub.reply("Contacts/Problems", {"source": self.name, "limit": 500}).get("problems", [])
        return {(problem["sourceIdentifier"], problem["kind"]) for problem in found}


class Monica(Server):
    """A Monica v4 server: the double of this project or another program like it. They are controlled alike.

    Options are those of the command line: contacts=250, rate_limit=60, token="...", pre412=True, and latency_ms of the double.
    """

    def __init__(self, program, **options):
        super().__init__("kith-monica-")
        self.program, self.token = program, options.setdefault("token", "secret")
        self.options = []
        for name, value in options.items():
            name = "--" + name.replace("_", "-")
            self.options += [name] if value is True else [] if value is False else [name, str(value)]

    @classmethod
    def double(cls, **options):
        return cls(DOUBLE, **options).start()

    @classmethod
    def simulator(cls, **options):
        return cls(SIMULATOR, **options).start()

    def start(self):
        if self.program == DOUBLE:
            return self.launch(
                [sys.executable, PROGRAMS / "monica.py", "--port", str(self.port or 0), *self.options])
        self.port = self.port or free_port()
        # It does not end with its standard input, and must not outlive the tests.
        line = ["setpriv", "--pdeathsig", "KILL", sys.executable, SIMULATOR_PROGRAM, "--port", str(self.port), "--quiet"]
        return self.launch([*line, *self.options], ready=lambda: accepts(self.port))

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def ask(self, method, path, body=None, **headers):
        """(status, headers, JSON or text) of a request by another client; path is below /api."""
        fields = {"Authorization": f"Bearer {self.token}", "Accept": "application/json", **headers}
        return self.exchange(method, f"/api{path}", body, fields)

    def done(self, method, path, body=None):
        """The "data" of a request that succeeds."""
        status, _, reply = self.ask(method, path, body)
        assert 200 <= status < 300, f"{method} {path}: {status} {reply}"
        return reply["data"] if "data" in reply else reply

    def exchange(self, method, target, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(connection):
            headers = {"Content-Type": "application/json", **(headers or {})}
            connection.request(method, target, body if body is None or isinstance(body, bytes) else json.dumps(body), headers)
            reply = connection.getresponse()
            content = reply.read()
            if reply.headers.get_content_type() != "application/json":
                return reply.status, reply.headers, content.decode()
            return reply.status, reply.headers, json.loads(content) if content else None

    # What happens behind the back of the hub.

    def control(self, method, path, body=None):
        status, _, reply = self.exchange(method, f"/__sim/{path}", body, {"Accept": "application/json"})
        assert status == 200, f"{method} {path}: {status} {reply}"
        return reply

    def faults(self, *following, always=()):
        """Orders faults for the next requests and for all; returns those that wait."""
        return self.control("POST", "faults", {"next": list(following), "always": list(always)})

    def clear_faults(self):
        self.control("DELETE", "faults")

    def mutate(self, *operations):
        """What became of each operation."""
        return self.control("POST", "mutate", list(operations))

    def create(self, table, **values):
        """The id of a new row."""
        return self.mutate({"op": "create", "table": table, "values": values})[0]["id"]

    def requests(self, since=0, path=""):
        """The record of the requests to the API: "count", "by", "by_status", "requests"."""
        return self.control("GET", f"requests?since={since}&path={urllib.parse.quote(path)}")

    def forget_requests(self):
        self.control("DELETE", "requests")

    def dump(self, table):
        return self.control("GET", f"dump/{table}")

    def state(self):
        return self.control("GET", "state")

    def config(self, **settings):
        self.token = settings.get("token", self.token)
        return self.control("POST", "config", settings)

    def run_queue(self):
        return self.control("POST", "run_queue")

    def reset(self):
        """Back to the start, with as many contacts as the settings say."""
        self.control("POST", "reset")
