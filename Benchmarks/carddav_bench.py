#!/usr/bin/env python3
"""Times Kith, vdirsyncer and the server's own floor on a real CardDAV server, one after another in the same minutes.

usage: carddav_bench.py KITHD KITH radicale|xandikos COUNT ROUNDS CARDS_DIRECTORY

The server is the one from pip, on loopback. The floor is what no client can beat: the listing, and the cards in batches of
500, by a client that parses nothing. Kith is a daemon with an empty store, asked by `kith contacts sync`; its CPU and memory
are the daemon's, and the seconds of the pass alone are those between the stamps of its status. vdirsyncer writes files and no
database. Prints a table in Markdown.
"""
import base64
import datetime
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ENVIRONMENT = pathlib.Path(sys.executable).parent
HEADERS = {
    "Content-Type": "application/xml; charset=utf-8",
    "Authorization": "Basic " + base64.b64encode(b"alice:x").decode(),
}
LISTING = '<propfind xmlns="DAV:"><prop><resourcetype/><getcontenttype/><getetag/></prop></propfind>'
# As Kith has it where it reads every card: the ETags come with the cards.
NAMES = '<propfind xmlns="DAV:"><prop><resourcetype/><getcontenttype/></prop></propfind>'
CHANGES = (
    '<sync-collection xmlns="DAV:"><sync-token>{}</sync-token><sync-level>1</sync-level>'
    "<prop><getetag/></prop></sync-collection>"
)
MULTIGET = (
    '<c:addressbook-multiget xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:carddav">'
    "<prop><getetag/><c:address-data/></prop>{}</c:addressbook-multiget>"
)


class Server:
    """Radicale or Xandikos with one address book, its cards put on disk before it starts."""

    def __init__(self, kind, directory, cards):
        self.port = 15300 + os.getpid() % 500
        self.directory = directory
        if kind == "radicale":
            self.book = "/alice/book/"
            book = directory / "collection-root/alice/book"
            book.mkdir(parents=True)
            (book / ".Radicale.props").write_text('{"tag": "VADDRESSBOOK"}')
            for card in cards:
                shutil.copy(card, book)
            config = directory / "config"
            config.write_text(
                f"[server]\nhosts = 127.0.0.1:{self.port}\n[auth]\ntype = none\n[rights]\ntype = owner_only\n"
                f"[storage]\nfilesystem_folder = {directory}\n[web]\ntype = none\n[logging]\nlevel = error\n")
            self.command = [sys.executable, "-m", "radicale", "--config", str(config)]
        else:
            self.book = "/alice/contacts/addressbook/"
            data = directory / "data"
            data.mkdir(parents=True)
            self.command = [
                sys.executable, "-m", "xandikos", "serve", "-d", str(data), "--state-dir", str(directory / "state"),
                "--autocreate", "--defaults", "--current-user-principal", "/alice/", "-l", "127.0.0.1", "-p",
                str(self.port),
            ]
            self.start()
            self.stop()
            book = data / "alice/contacts/addressbook"
            for card in cards:
                shutil.copy(card, book)
            git = ["git", "-C", str(book), "-c", "user.name=bench", "-c", "user.email=bench@example.org"]
            subprocess.run([*git, "add", "-A"], check=True)
            subprocess.run([*git, "-c", "gc.auto=0", "commit", "-q", "-m", "cards"], check=True)
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                self.request("PROPFIND", "/", LISTING, depth="0")
                return
            except OSError:
                time.sleep(0.1)
        raise SystemExit("the server does not start")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def request(self, method, path, body, depth="0"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        connection.request(method, path, body.encode(), {**HEADERS, "Depth": depth})
        reply = connection.getresponse()
        data = reply.read()
        connection.close()
        return reply.status, data

    def put(self, name, data):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {**HEADERS, "Content-Type": "text/vcard; charset=utf-8"}
        connection.request("PUT", self.book + name, data, headers)
        status = connection.getresponse().status
        connection.close()
        if status >= 300:
            raise SystemExit(f"the server refused a card: {status}")

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}{self.book}"

    def hrefs(self, data):
        return [href for href in re.findall(rb"href>([^<]*\.vcf)<", data)]

    def token(self, data):
        return re.findall(rb"<[^/>]*sync-token[^>]*>([^<]+)<", data)[-1].decode()

    def first(self, listing=LISTING):
        _, members = self.request("PROPFIND", self.book, listing, depth="1")
        self.fetch(self.hrefs(members))

    def fetch(self, hrefs):
        for start in range(0, len(hrefs), 500):
            names = "".join(f"<href>{href.decode()}</href>" for href in hrefs[start:start + 500])
            self.request("REPORT", self.book, MULTIGET.format(names))

    def changes(self, token):
        _, data = self.request("REPORT", self.book, CHANGES.format(token))
        return data


class Kith:
    def __init__(self, kithd, kith, directory, url):
        self.kith, self.runtime = kith, directory / "run"
        config = directory / "kithd.toml"
        config.write_text('[contacts]\nsync_at_start = false\nsync_every_minutes = 0\n[log]\nlevel = "error"\n')
        self.process = subprocess.Popen(
            [kithd, "--state-dir", str(directory / "state"), "--runtime-dir", str(self.runtime), "--config", str(config)])
        while not (self.runtime / "control.sock").exists():
            time.sleep(0.01)
        password = directory / "password"
        password.write_text("x")
        password.chmod(0o600)
        self.run("contacts", "source", "add", "dav", "--carddav", url, "--username", "alice", "--password-file", password)

    def run(self, *arguments):
        out = subprocess.run(
            [self.kith, "--runtime-dir", self.runtime, "--json", *arguments], check=True, capture_output=True)
        return json.loads(out.stdout)

    def sync(self):
        status = self.run("contacts", "sync")["sources"][0]
        return status

    def cpu(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


class VDirSyncer:
    def __init__(self, directory, url):
        self.program = ENVIRONMENT / "vdirsyncer"
        (directory / "cards").mkdir(parents=True)
        self.config = directory / "config"
        self.config.write_text(
            f'[general]\nstatus_path = "{directory}/status/"\n[pair p]\na = "srv"\nb = "loc"\ncollections = null\n'
            f'conflict_resolution = "a wins"\n[storage srv]\ntype = "carddav"\nurl = "{url}"\nusername = "alice"\n'
            f'password = "x"\n[storage loc]\ntype = "filesystem"\npath = "{directory}/cards"\nfileext = ".vcf"\n')
        subprocess.run(
            [self.program, "-v", "ERROR", "-c", self.config, "discover", "p"], input=b"y\n" * 9, check=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def sync(self):
        """Seconds of CPU and MiB."""
        pid = os.spawnv(os.P_NOWAIT, self.program, [self.program, "-v", "ERROR", "-c", str(self.config), "sync", "p"])
        _, status, usage = os.wait4(pid, 0)
        if status:
            raise SystemExit("vdirsyncer failed")
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def length(status):
    """Seconds of a pass, by the stamps of its state."""
    def moment(name):
        # Nanoseconds are more than Python takes.
        return datetime.datetime.fromisoformat(re.sub(r"(\.\d{6})\d*", r"\1", status[name]).replace("Z", "+00:00"))

    return (moment("finishedAt") - moment("startedAt")).total_seconds()


def timed(work):
    begin = time.monotonic()
    value = work()
    return time.monotonic() - begin, value


def main():
    kithd, kith, kind, count, rounds, source = sys.argv[1:]
    cards = sorted(pathlib.Path(source).glob("*.vcf"))[:int(count)]
    work = pathlib.Path(tempfile.mkdtemp(prefix="kith-dav-", dir=os.environ.get("WORK")))
    server = Server(kind, work / "server", cards)
    results = {}

    def note(what, who, wall, cpu=None, peak=None, alone=None):
        results.setdefault((what, who), []).append((wall, cpu, peak, alone))

    try:
        server.first()  # The first listing fills the server's cache.
        token = server.token(server.changes(""))
        for number in range(int(rounds)):
            note("first", "floor", timed(server.first)[0])
            note("first", "floor of names", timed(lambda: server.first(NAMES))[0])
            ours = work / f"kith{number}"
            ours.mkdir()
            client = Kith(kithd, kith, ours, server.url)
            before = client.cpu()
            wall, status = timed(client.sync)
            assert status.get("added") == len(cards), status
            note("first", "kith", wall, client.cpu() - before, client.peak(), length(status))
            theirs = work / f"vdir{number}"
            peer = VDirSyncer(theirs, server.url)
            wall, (cpu, peak) = timed(peer.sync)
            note("first", "vdirsyncer", wall, cpu, peak)

            note("unchanged", "floor", timed(lambda: server.changes(token))[0])
            before = client.cpu()
            wall, status = timed(client.sync)
            assert status.get("unchanged") == len(cards), status
            note("unchanged", "kith", wall, client.cpu() - before, alone=length(status))
            wall, (cpu, peak) = timed(peer.sync)
            note("unchanged", "vdirsyncer", wall, cpu, peak)

            edited = cards[:max(1, len(cards) // 100)]
            for card in edited:
                server.put(card.name, card.read_bytes().replace(b"END:VCARD", b"NOTE:round %d\r\nEND:VCARD" % number))

            def delta():
                data = server.changes(token)
                server.fetch(server.hrefs(data))
                return server.token(data)

            delta()  # The first to ask after a change has the server look at it; nobody is charged for that.
            wall, token = timed(delta)
            note("1 % changed", "floor", wall)
            before = client.cpu()
            wall, status = timed(client.sync)
            assert status.get("updated") == len(edited), status
            note("1 % changed", "kith", wall, client.cpu() - before, alone=length(status))
            wall, (cpu, peak) = timed(peer.sync)
            note("1 % changed", "vdirsyncer", wall, cpu, peak)
            client.stop()
            shutil.rmtree(ours)
            shutil.rmtree(theirs)
    finally:
        server.stop()
        shutil.rmtree(work, ignore_errors=True)

    print(f"| {kind}, {len(cards)} cards | floor s | Kith s | ÷ floor | the pass alone s | Kith CPU s | Kith MiB | vdirsyncer s | its CPU s | its MiB |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for what in ["first", "unchanged", "1 % changed"]:
        def median(who, index):
            values = [entry[index] for entry in results[what, who] if entry[index] is not None]
            return statistics.median(values) if values else 0
        floor, ours = median("floor", 0), median("kith", 0)
        print(
            f"| {what} | {floor:.2f} | {ours:.2f} | {ours / floor:.2f} | {median('kith', 3):.2f} | {median('kith', 1):.2f} | {median('kith', 2):.0f} | "
            f"{median('vdirsyncer', 0):.2f} | {median('vdirsyncer', 1):.2f} | {median('vdirsyncer', 2):.0f} |")
    print(f"\nFloor of the first pass without ETags in the listing: {statistics.median(entry[0] for entry in results['first', 'floor of names']):.2f} s")


main()
