"""The metrics of a hub, as Prometheus' own library for Python reads them."""
import contextlib
import http.client
import os
import pathlib
import re
import signal
import socket
import stat
import subprocess

import pytest
from prometheus_client.parser import text_string_to_metric_families

from conftest import CONFIGURATION, ROOT, Wire
from events import Subscription
from keyed import eventually
from trials import NOBODY, acting_as, add_folder, daemon, make_folder, needs_root, sync
from workers import home, transcribed, until  # noqa: F401

CODES = set(re.findall(r"^  ([A-Z_]+) = \d+;", (ROOT / "proto/kith/v1/wire.proto").read_text(), re.MULTILINE))


class Connection(http.client.HTTPConnection):
    """HTTP over the socket of a hub."""

    def __init__(self, hub):
        super().__init__("kith", timeout=30)
        self.path = str(hub.runtime / "metrics.sock")

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def get(hub, path="/metrics", method="GET"):
    """(status, content type, body)"""
    # It is opened a moment after the first answer to a command.
    assert eventually((hub.runtime / "metrics.sock").exists)
    with contextlib.closing(Connection(hub)) as connection:
        connection.request(method, path)
        answer = connection.getresponse()
        return answer.status, answer.getheader("Content-Type"), answer.read().decode()


def scrape(hub):
    status, kind, text = get(hub)
    assert status == 200 and kind == "text/plain; version=0.0.4; charset=utf-8", (status, kind, text)
    return {family.name: family for family in text_string_to_metric_families(text)}


def numbers(hub, name, **labels):
    return [sample.value for family in scrape(hub).values() for sample in family.samples
            if sample.name == name and labels.items() <= sample.labels.items()]


def number(hub, name, **labels):
    """A number, or the sum of all that have these labels; at least one has to be there."""
    values = numbers(hub, name, **labels)
    assert values, (name, labels)
    return sum(values)


def rows():
    """(name, kind, labels, help) of the page."""
    section = (ROOT / "docs/operations.md").read_text().split("\n## Metrics\n")[1].split("\n## ")[0]
    for line in section.splitlines():
        if line.startswith("| `"):
            name, kind, labels, what = (cell.strip() for cell in line.strip("|").split("|"))
            yield name.strip("`"), kind, re.findall(r"`(\w+)`", labels), what


def test_they_are_as_the_page_says(shared_hub):
    families = scrape(shared_hub)
    assert len(families) > 25
    told = set()
    for name, kind, labels, what in rows():
        family = families[name.removesuffix("_total")]
        told.add(family.name)
        assert (family.type, family.documentation) == (kind, what)
        for sample in family.samples:
            assert set(sample.labels) - {"le"} == set(labels), sample
    assert told == set(families)
    assert {sample.labels["stream"] for sample in families["kith_events"].samples} == {
        head["stream"] for head in shared_hub.reply("System/Status")["heads"]}


def test_curl_reads_them(shared_hub):
    scrape(shared_hub)
    read = subprocess.run(
        ["curl", "-sSf", "-m", "20", "--unix-socket", shared_hub.runtime / "metrics.sock", "http://kith/metrics"],
        capture_output=True, text=True, timeout=30)
    assert read.returncode == 0 and "\nkith_build_info{version=" in read.stdout, read


def test_other_requests_are_refused_and_a_silent_client_keeps_nobody_waiting(shared_hub):
    scrape(shared_hub)
    silent = [socket.socket(socket.AF_UNIX) for _ in range(8)]
    try:
        for one in silent:
            one.connect(str(shared_hub.runtime / "metrics.sock"))
        assert get(shared_hub, "/")[0] == 404
        assert get(shared_hub, method="POST")[0] == 405
        silent[0].sendall(b"nonsense\r\n\r\n")
        silent[0].settimeout(30)
        assert silent[0].recv(100).startswith(b"HTTP/1.0 400 ")
        assert get(shared_hub)[0] == 200
        # The hub ends what stays silent.
        silent[1].settimeout(30)
        assert silent[1].recv(1) == b""
    finally:
        for one in silent:
            one.close()


def test_commands_are_counted(hub):
    def commands(method, code):
        return number(hub, "kith_commands_total", method=method, code=code)

    hub.reply("System/Ping")
    before = commands("kith.v1.System/Ping", "OK")
    for _ in range(5):
        hub.reply("System/Ping")
    assert commands("kith.v1.System/Ping", "OK") == before + 5
    assert number(hub, "kith_command_duration_seconds_count", method="kith.v1.System/Ping") == before + 5
    hub.error("Contacts/Get", {"id": "nobody"})
    assert commands("kith.v1.Contacts/Get", "NOT_FOUND") == 1
    hub.error("Nothing/AtAll")
    with Wire(hub.control) as wire:
        wire.send("Ann Example", header=b"{")
        wire.final()
    assert number(hub, "kith_commands_total", method="other") == 2
    assert number(hub, "kith_commands_in_flight") == 0


def test_passes_events_and_commits_are_counted(hub, tmp_path):
    make_folder(tmp_path / "cards", 20)
    before = {name: number(hub, name) for name in ("kith_commit_duration_seconds_count", "kith_writes_total")}
    add_folder(hub, "home", tmp_path / "cards")
    add_folder(hub, "away", tmp_path / "nowhere")
    assert sync(hub, "home")["state"] == "COMPLETED"
    assert sync(hub, "away")["state"] == "ERROR"
    assert number(hub, "kith_passes_total", kind="contacts", result="completed") == 1
    assert number(hub, "kith_passes_total", kind="contacts", result="failed") == 1
    assert number(hub, "kith_pass_duration_seconds_count", kind="contacts") == 2
    assert number(hub, "kith_sources", kind="contacts", state="error") == 1
    assert number(hub, "kith_last_success_timestamp_seconds", kind="contacts") == 0, "one never had a success"
    for stream in ("sync", "contacts", "system"):
        assert number(hub, "kith_events_total", stream=stream) == hub.seq(stream)
    for name, count in before.items():
        assert number(hub, name) > count
    assert number(hub, "kith_failed_commits_total") == 0
    assert number(hub, "kith_store_bytes") > 0 and number(hub, "kith_store_damaged") == 0


def test_connections_are_counted(hub):
    subscription = Subscription(hub.events, "sync")
    subscription.wait_for_head(10)
    assert number(hub, "kith_connections", plane="events") == 1
    assert number(hub, "kith_subscriptions") >= 1
    assert number(hub, "kith_connections", plane="work") == 0
    process = pathlib.Path(f"/proc/{hub.process.pid}")
    pages = int((process / "statm").read_text().split()[1])
    assert number(hub, "process_resident_memory_bytes") == pytest.approx(pages * os.sysconf("SC_PAGESIZE"), rel=0.2)
    assert abs(number(hub, "process_open_fds") - len(list((process / "fd").iterdir()))) < 10


@pytest.mark.timeout(240)
def test_leases_are_counted(home):  # noqa: F811
    home.hold()
    worker = home.worker()
    home.with_workers("one")
    identity = home.speak()
    until(lambda: home.begun() == 1)
    assert number(home, "kith_jobs_leased") == 1 and number(home, "kith_workers") == 1
    worker.process.kill()
    worker.process.wait()
    home.let_go()
    home.worker(name="two")
    home.settled(identity, 120)
    assert transcribed(home, identity)
    jobs = home.reply("Jobs/List")["jobs"]
    assert number(home, "kith_leases_total", change="taken") == sum(job["attempt"] for job in jobs) >= 2
    assert number(home, "kith_leases_total", change="lost") == 1
    assert number(home, "kith_jobs_ended_total", state="done") == len(jobs) >= 1
    assert number(home, "kith_jobs_leased") == 0 and number(home, "kith_queue_length", queue="jobs") == 0


def test_they_name_nobody(hub, tmp_path):
    folder = tmp_path / "schmidt"
    folder.mkdir()
    (folder / "1.vcf").write_text(
        "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:uid-schmidt\r\nFN:Hannelore Schmidt\r\nTEL:+49 30 1234567\r\nEND:VCARD\r\n")
    add_folder(hub, "schmidt", folder)
    sync(hub, "schmidt")
    contact = hub.reply("Contacts/List")["contacts"][0]["id"]
    hub.error("Schmidt/Hannelore")
    assert hub.reply("Contacts/Get", {"id": contact})
    _, _, text = get(hub)
    for secret in ("chmidt", "annelore", "1234567", contact, str(folder), f"uid:{os.getuid()}"):
        assert secret not in text, secret
    methods = {service["name"] for service in hub.reply("System/Services")["services"]} | {"other"}
    for family in scrape(hub).values():
        for sample in family.samples:
            assert sample.labels.get("method", "other") in methods
            assert sample.labels.get("code", "OK") in CODES
            for label, value in sample.labels.items():
                if label not in ("method", "code", "le", "version"):
                    assert re.fullmatch("[a-z]+", value), sample


@needs_root
def test_other_users_cannot_read_them():
    with daemon(configuration=CONFIGURATION + '[users]\n' + f'{NOBODY} = "admin"\n') as hub:
        scrape(hub)
        hub.directory.chmod(0o755)
        path = hub.runtime / "metrics.sock"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE((hub.runtime / "control.sock").stat().st_mode) == 0o666
        with acting_as(NOBODY), socket.socket(socket.AF_UNIX) as other, pytest.raises(PermissionError):
            other.connect(str(path))
        scrape(hub)
        assert hub.end() == 0


def test_the_socket_goes_with_the_hub_and_one_that_a_kill_left_is_replaced(unstarted):
    hub = unstarted.start()
    scrape(hub)
    hub.end(signal.SIGKILL)
    assert (hub.runtime / "metrics.sock").exists()
    hub.start()
    assert number(hub, "kith_passes_total") == 0
    assert hub.end() == 0
    assert not (hub.runtime / "metrics.sock").exists()


def test_a_hub_goes_on_without_a_socket_that_another_program_has(unstarted):
    hub = unstarted
    hub.runtime.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(hub.runtime / "metrics.sock"))
        other.listen()
        hub.start()
        assert eventually(lambda: "metrics are not served; everything else is" in hub.log.read_text())
        assert f"Another program listens at {hub.runtime}/metrics.sock. Stop it first" in hub.log.read_text()
        assert hub.reply("System/Ping") == {}
        assert hub.end() == 0
        assert (hub.runtime / "metrics.sock").exists(), "it is not the hub's"


@needs_root
def test_a_hub_goes_on_without_a_socket_for_which_the_disk_has_no_room(unstarted):
    hub = unstarted
    hub.runtime.mkdir(mode=0o700)

    def mount(files):
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"nr_inodes={files}", "kith-trial", hub.runtime], check=True)

    mount(64)
    try:
        scrape(hub.start())
        status = os.statvfs(hub.runtime)
        used = status.f_files - status.f_ffree
        assert hub.end() == 0
        subprocess.run(["umount", hub.runtime], check=True)
        # Room for all but the last one that is made.
        mount(used - 1)
        hub.start()
        assert eventually(lambda: "No space left on device" in hub.log.read_text()), hub.log.read_text()
        assert hub.reply("System/Ping") == {}
        assert hub.end() == 0
    finally:
        hub.end(signal.SIGKILL)
        subprocess.run(["umount", hub.runtime], check=True)
