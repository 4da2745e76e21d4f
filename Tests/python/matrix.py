"""The servers that the matrix of trials holds Kith against, each started once for all trials of a process."""
import contextlib
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import typing

import pytest

from between import Reply, between
from carddav_client import CardDAVClient
from conftest import ROOT
from servers import PROGRAMS, RADICALE, XANDIKOS, CardDAVServer, Server


class Kind(typing.NamedTuple):
    """One server, and where it has what; {} is the name of a user."""

    name: str
    root: str
    principal: str
    home: str
    # What tells its version.
    version: tuple = ()
    # Whether the web server in front of it, and not it itself, knows /.well-known/carddav.
    needs_front: bool = False
    # Whether it takes the password as a digest only.
    digest: bool = False
    # Whether it has sync-collection.
    has_changes: bool = True
    # Whether anybody is let in.
    is_open: bool = False
    # Whether a card that is deleted and made again has the ETag of the first one.
    repeats_tags: bool = False


def debian(*packages):
    return ("dpkg-query", "-W", "-f", "${Package} ${Version} ", *packages)


def python(package):
    return (sys.executable, "-c", f"import importlib.metadata as m; print('{package}', m.version('{package}'))")


KINDS = {kind.name: kind for kind in (
    Kind("radicale", "/", "/{}/", "/{}/", python(RADICALE)),
    Kind("xandikos", "/", "/user/", "/user/contacts/", python(XANDIKOS), is_open=True),
    Kind("digest", "/", "/{}/", "/{}/", python(RADICALE), digest=True),
    Kind("sabre", "/", "/principals/{}/", "/addressbooks/{}/", debian("php-sabre-dav"), needs_front=True, digest=True,
         has_changes=False),
    Kind("cyrus", "/", "/dav/principals/user/{}/", "/dav/addressbooks/user/{}/", debian("cyrus-caldav")),
    Kind("sogo", "/SOGo/dav/", "/SOGo/dav/{}/", "/SOGo/dav/{}/Contacts/", debian("sogo"), needs_front=True,
         repeats_tags=True),
    Kind("davical", "/caldav.php/", "/caldav.php/{}/", "/caldav.php/{}/", debian("davical")),
)}  # fmt: skip

# Of those that Debian has, the one that is quick to install and to start.
DEFAULT = "radicale,xandikos,digest,cyrus"
WANTED = os.environ.get("KITH_SERVERS", DEFAULT)

# What is tried, by the names of the tests.
TRIALS = {
    "discovery": "found from host, root, principal, home and book",
    "first_pass": "first pass",
    "no_change": "no change",
    "one_in_a_hundred_changed": "1 % changed",
    "deleted": "deleted",
    "made_again_under_its_name": "deleted and made again under its name",
    "new_book": "new book",
    "removed_book": "book removed",
    "wiped": "book emptied",
    "restored_from_a_backup": "server restored from a backup",
    "wrong_password": "wrong password",
    "killed_twice_in_the_fetch": "hub killed twice in the fetch",
    "written_while_passes_run": "written while passes run",
    "histories": "random histories",
}


def table(stats):
    """What became of the trials of a run, from the reports of pytest by their outcomes, as lines of Markdown."""
    cells = {}
    # What failed comes last, so that it is what is shown of a trial.
    for outcome in ("passed", "skipped", "failed", "error"):
        for report in stats.get(outcome, []):
            if found := re.search(r"test_carddav_matrix\.py::test_(\w+)\[(\w+)\]", report.nodeid):
                cells[found.groups()] = cell(outcome, report)
    kinds = [kind for name, kind in KINDS.items() if any(server == name for _, server in cells)]
    if not kinds:
        return
    yield "| | " + " | ".join(kind.name for kind in kinds) + " |"
    yield "| --- " * (len(kinds) + 1) + "|"
    yield "| version | " + " | ".join(version(kind) for kind in kinds) + " |"
    for trial, title in TRIALS.items():
        if any(name == trial for name, _ in cells):
            yield f"| {title} | " + " | ".join(cells.get((trial, kind.name), "") for kind in kinds) + " |"


def cell(outcome, report):
    if outcome == "passed":
        return ", ".join(["ok", *(text for name, text in report.user_properties if name == "note")])
    return report.longrepr[2].removeprefix("Skipped: ") if outcome == "skipped" else "**failed**"


def wanted():
    """The servers that KITH_SERVERS names, as parameters of a test: some of the names above, or all."""
    names = KINDS if WANTED == "all" else WANTED.split(",")
    return [pytest.param(KINDS[name], id=name, marks=pytest.mark.xdist_group(f"matrix-{name}")) for name in names]


class Starter(Server):
    """A server of Debian that Tests/servers/NAME.py starts. Its port stays the same when it is started again."""

    def __init__(self, kind):
        super().__init__(f"kith-{kind.name}-")
        # It drops root.
        self.directory.chmod(0o755)
        self.program = kind.name

    def start(self):
        line = [sys.executable, PROGRAMS / f"{self.program}.py", self.directory]
        return self.launch(line + (["--port", str(self.port)] if self.port else []))

    def stop(self):
        """Lets the starter end what it has started."""
        if self.process is not None:
            process, self.process = self.process, None
            process.stdin.close()
            process.wait(30)


class Home(CardDAVClient):
    """The home of one user on a server."""

    def __init__(self, kind, server, user):
        self.kind, self.server, self.user = kind, server, user
        self.home, self.principal = kind.home.format(user), kind.principal.format(user)
        self.digest, self.program = kind.digest, kind.name

    @property
    def port(self):
        return self.server.port

    @contextlib.contextmanager
    def front(self):
        """A web server in front of it, as an installation has one: it counts, and knows where the server's root is."""
        with between(self.server) as front:
            if self.kind.needs_front:
                front.before = lambda request: (
                    Reply(301, headers={"Location": self.kind.root}) if request.path == "/.well-known/carddav" else None)
            yield front

    def saved(self):
        """A copy of everything the server holds, made while it stands still."""
        self.server.stop()
        copy = pathlib.Path(f"{self.server.directory}.saved")
        copy_of(self.server.directory, copy)
        self.server.start()
        return copy

    def restore(self, copy):
        """Brings a copy back, as from a backup."""
        self.server.stop()
        shutil.rmtree(self.server.directory)
        copy_of(copy, self.server.directory)
        shutil.rmtree(copy)
        self.server.start()


def copy_of(source, target):
    # With owners; sockets and what else is no file are left out by the server's own start.
    subprocess.run(["cp", "-a", source, target], check=True)


class Servers:
    """Those that were started, for all trials of this process."""

    def __init__(self):
        self.started, self.numbers = {}, itertools.count(1)

    def home(self, kind):
        """The home of a user who has nothing there yet but what the server itself makes."""
        if kind.name not in self.started:
            self.started[kind.name] = self.start(kind)
        server = self.started[kind.name]
        if not kind.is_open:
            return Home(kind, server, self.user(server))
        # It has one user only.
        home = Home(kind, server, "alice")
        for path in home.members(home.home):
            if path != home.home:
                home.done("DELETE", path)
        return home

    @staticmethod
    def start(kind):
        digest = kind.name == "digest"
        made = CardDAVServer(RADICALE if digest else kind.name, digest=digest) if kind.name in (
            "digest", RADICALE, XANDIKOS) else Starter(kind)
        try:
            return made.start()
        except BaseException:
            made.remove()
            raise

    def user(self, server):
        name = f"user{next(self.numbers)}"
        server.process.stdin.write(f"user {name}\n".encode())
        server.process.stdin.flush()
        server.said(f"user {name}")
        return name

    def remove(self):
        for server in self.started.values():
            server.remove()


def version(kind):
    """Its package and version; nothing where it is not installed."""
    told = subprocess.run(kind.version, capture_output=True, text=True, check=False, cwd=ROOT)
    return told.stdout.strip() if told.returncode == 0 else ""


def is_installed(kind):
    return version(kind) != ""


def is_named():
    """Whether somebody asked for these servers, so that an absent one is a failure."""
    return "KITH_SERVERS" in os.environ
