"""A PostgreSQL cluster of its own for a starter: a folder, a Unix socket in it, and a port of the loopback."""

import pathlib
import subprocess

from starter import free_port

# Debian keeps each version in a folder of its own.
BINARIES = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), default=pathlib.Path("/"))


class Cluster:
    """The superuser is postgres; whoever may reach the socket is believed."""

    def __init__(self, starter):
        self.starter, self.port = starter, free_port()
        self.data = starter.directory / "postgres"
        self.environment = {"PGHOST": str(starter.directory), "PGPORT": str(self.port), "PGUSER": "postgres"}

    def prepare(self):
        self.starter.run(
            BINARIES / "initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")

    def launch(self):
        # A database of a test need not survive the machine.
        settings = ["fsync=off", "full_page_writes=off", "synchronous_commit=off", "listen_addresses=127.0.0.1"]
        self.starter.launch(
            BINARIES / "postgres", "-D", self.data, "-p", self.port, "-k", self.starter.directory,
            *[word for setting in settings for word in ("-c", setting)], ready=self.is_ready)  # fmt: skip

    def is_ready(self):
        line = [BINARIES / "pg_isready", "-q", "-h", self.starter.directory, "-p", str(self.port), "-U", "postgres"]
        return subprocess.run(line, check=False).returncode == 0

    def ask(self, statements, database="postgres"):
        """Carries out SQL; gives what it prints, one row a line."""
        return self.starter.run(
            BINARIES / "psql", "-qXAt", "-v", "ON_ERROR_STOP=1", "-d", database, text=statements, **self.environment)

    def load(self, script, database):
        """Carries out a script of a package, which may say again what holds already."""
        self.starter.run(BINARIES / "psql", "-qXAt", "-d", database, "-f", script, **self.environment)
