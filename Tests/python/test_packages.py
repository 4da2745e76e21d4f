"""Debian's packages, as a household has them: installed on a bare Debian 12 and 13 that have booted, upgraded, taken back, purged.
scripts/package.sh makes the packages, scripts/debian.sh the bare Debians."""
import json
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import urllib.error
import urllib.request

import pytest

from conftest import ROOT
from debian import bare
from home import Assistant, Mosquitto
from keyed import eventually, free_ports

PACKAGES = pathlib.Path(os.environ.get("KITH_PACKAGES", ROOT / ".build" / "packages"))
# Those of an earlier landing, if there are some; otherwise these under an earlier version stand for them.
EARLIER = os.environ.get("KITH_EARLIER_PACKAGES")
NAMES = {"kith", "kith-homeassistant", "kith-pocketsphinx", "kith-report", "kith-web"}
PEOPLE = 10_000
# An upgrade that finds a changed configuration asks a person; here it keeps that.
KEEP = ("-o", "Dpkg::Options::=--force-confold")
BOTH = pytest.mark.parametrize("release", ["bookworm", "trixie"])
pytestmark = [
    pytest.mark.skipif(not list(PACKAGES.glob("kith_*.deb")), reason="there are no packages; scripts/package.sh makes them"),
    pytest.mark.timeout(1800), pytest.mark.xdist_group("packages")]


def field(file, name):
    return subprocess.run(["dpkg-deb", "--field", file, name], capture_output=True, text=True, check=True).stdout.strip()


def repacked(folder, place, version):
    """Packages of a folder under another version, with another default configuration."""
    place.mkdir()
    for file in folder.glob("*.deb"):
        tree = place / "tree"
        subprocess.run(["dpkg-deb", "--raw-extract", file, tree], check=True)
        control = tree / "DEBIAN/control"
        control.write_text(control.read_text().replace(field(file, "Version"), version))
        if (configuration := tree / "etc/kith/kithd.toml").exists():
            configuration.write_text("# An earlier default.\n")
        subprocess.run(["dpkg-deb", "-Znone", "--root-owner-group", "--build", tree, place / f"{file.stem}.deb"], check=True,
                       capture_output=True)
        shutil.rmtree(tree)
    return place


@pytest.fixture(scope="module")
def earlier(tmp_path_factory):
    if EARLIER:
        return pathlib.Path(EARLIER)
    print("KITH_EARLIER_PACKAGES names no packages of an earlier landing: these under an earlier version stand for them")
    return repacked(PACKAGES, tmp_path_factory.mktemp("packages") / "earlier", "0.1.9")


def kith(machine, *words, **options):
    return machine.run("kith", *words, user="kith", **options)


def restart(machine):
    """Stops kithd, and waits until it serves again."""
    machine.run("systemctl", "restart", "kithd")
    kith(machine, "status")


def contacts(machine):
    return sum(source.get("live", 0) for source in json.loads(kith(machine, "--json", "contacts", "status").stdout)["sources"])


def fill(machine):
    """An address book, read by a first sync, and an entry of care."""
    cards = "".join(f"BEGIN:VCARD\r\nVERSION:4.0\r\nUID:urn:person:{number}\r\nFN:Person {number}\r\n"
                    f"TEL:+1-555-{number:05}\r\nEND:VCARD\r\n" for number in range(PEOPLE))
    machine.path("/srv/people.vcf").write_text(cards)
    kith(machine, "contacts", "source", "add", "home", "--vcf", "/srv/people.vcf")
    kith(machine, "contacts", "sync", "home")
    kith(machine, "care", "record", "meal", "before the upgrade")
    assert contacts(machine) == PEOPLE


def let_in(machine, user):
    """Takes the comment signs from a user in the configuration, as a person does who reads docs/packages.md."""
    configuration = machine.path("/etc/kith/kithd.toml")
    text = re.sub(rf"(?m)^# (\[users\]|{user} = )", r"\1", configuration.read_text())
    assert f"\n{user} = " in text
    configuration.write_text(text)


def process(machine, unit):
    """The process of a unit that runs, which is another one after a restart."""
    assert machine.is_active(unit), machine.run("journalctl", "--unit", unit).stdout[-3000:]
    return machine.run("systemctl", "show", "--property=MainPID", "--value", unit).stdout.strip()


def is_restarted_by_an_upgrade_and_stopped_by_a_removal(machine, name):
    """A service that runs. Packages that are installed anew run the scripts of an upgrade."""
    before = process(machine, name)
    machine.install(PACKAGES, "--reinstall", *KEEP)
    assert process(machine, name) != before
    machine.apt("remove", name)
    assert not machine.is_active(name) and machine.is_active("kithd")
    assert machine.run("pgrep", "--full", f"^/usr/bin/{name} ", check=False).stdout == ""


def documented(part):
    """The commands of docs/packages.md that have this part, for root."""
    block, = (block for block in re.findall(r"(?s)```sh\n(.*?)```", (ROOT / "docs/packages.md").read_text()) if part in block)
    return block.replace("sudo ", "")


def memos(machine):
    return kith(machine, "care", "list").stdout


def test_they_are_small_and_of_one_version():
    files = {field(file, "Package"): file for file in PACKAGES.glob("*.deb")}
    assert set(files) == NAMES
    assert len({field(file, "Version") for file in files.values()}) == 1
    sizes = {name: file.stat().st_size for name, file in files.items()}
    assert sizes["kith"] <= 25_000_000 and sum(sizes.values()) <= 45_000_000, sizes


@BOTH
def test_a_bare_debian_installs_them_and_reads_its_first_contacts(release):
    with bare(release) as machine:
        machine.install(PACKAGES)
        # The hub runs; what has to be told a name or a broker first does not.
        assert machine.is_active("kithd") and not machine.is_active("kith-web") and not machine.is_active("kith-homeassistant")
        enabled = machine.run("systemctl", "is-enabled", "kithd", "kith-web", "kith-homeassistant", check=False).stdout.split()
        assert enabled == ["enabled", "disabled", "disabled"]
        for user in ("kith", "kith-web", "kith-homeassistant"):
            assert machine.run("getent", "passwd", user).stdout.rstrip().endswith(f":/var/lib/{user}:/usr/sbin/nologin")
        for unit in ("kithd", "kith-web", "kith-homeassistant"):
            told = machine.run("systemd-analyze", "verify", "--man=no", f"{unit}.service", check=False)
            assert unit not in told.stderr, told.stderr
        version = field(next(PACKAGES.glob("kith_*.deb")), "Version")
        for program in ("kith", "kithd", "kith-web", "kith-homeassistant"):
            assert machine.run(program, "--version").stdout == f"{program} {version}\n"
        assert machine.run("bash", "-n", "/usr/share/bash-completion/completions/kith").stderr == ""

        assert "Done." in kith(machine, "setup", "--yes").stdout
        fill(machine)
        kith(machine, "people", "add", "Ann")
        kith(machine, "call", "log", "ann", "--note", "About the garden")
        kith(machine, "call", "export", "--format", "pdf", "-o", "/var/lib/kith/calls.pdf")
        assert machine.path("/var/lib/kith/calls.pdf").read_bytes().startswith(b"%PDF-")
        assert machine.run("kith-pocketsphinx", check=False).returncode == os.EX_USAGE
        # Nobody else is let in.
        assert machine.run("kith", "--runtime-dir", "/run/kith", "status", user="kith-web", check=False).returncode != 0
        restart(machine)
        assert contacts(machine) == PEOPLE and "before the upgrade" in memos(machine)
        assert machine.run("systemctl", "show", "--property=Result", "kithd").stdout == "Result=success\n"


@BOTH
def test_a_machine_that_forbids_services_starts_none(release):
    with bare(release) as machine:
        policy = machine.path("/usr/sbin/policy-rc.d")
        policy.write_text("#!/bin/sh\nexit 101\n")
        policy.chmod(0o755)
        assert "policy-rc.d returned 101, not running 'start kithd.service'" in machine.install(PACKAGES)
        assert not machine.is_active("kithd") and machine.run("systemctl", "is-enabled", "kithd").stdout == "enabled\n"


@BOTH
def test_kith_web_runs_as_its_own_user_once_it_was_set_up(release):
    with bare(release) as machine:
        machine.install(PACKAGES)
        port = free_ports(1)
        machine.run("mkdir", "-p", "/etc/systemd/system/kith-web.service.d")
        machine.run("kith", "web", "setup", "--yes", "--way", "own-ca", "--name", "localhost", "--port", port, "--write-drop-in",
                    "/etc/systemd/system/kith-web.service.d/setup.conf")
        let_in(machine, "kith-web")
        machine.run("systemctl", "daemon-reload")
        restart(machine)
        machine.run("systemctl", "enable", "--now", "kith-web")
        context = ssl._create_unverified_context()

        def is_healthy():
            try:
                with urllib.request.urlopen(f"https://localhost:{port}/healthz", context=context, timeout=30) as answer:
                    return answer.status == 200
            except urllib.error.HTTPError as error:
                # Until it has found the hub.
                assert error.code == 503
                return False

        assert eventually(is_healthy, 60)
        assert eventually(lambda: "https://localhost" in kith(machine, "status").stdout), kith(machine, "status").stdout
        owner = machine.run("stat", "--format=%U %a", "/var/lib/kith-web/authority.pem").stdout
        assert owner == "kith-web 600\n"
        machine.run("systemctl", "reload", "kith-web")
        machine.run("systemctl", "stop", "kith-web")
        assert machine.run("systemctl", "show", "--property=Result", "kith-web").stdout == "Result=success\n"
        machine.run("systemctl", "start", "kith-web")
        is_restarted_by_an_upgrade_and_stopped_by_a_removal(machine, "kith-web")


@BOTH
def test_kith_homeassistant_runs_as_its_own_user_once_it_knows_a_broker(release, tmp_path):
    accounts = tmp_path / "accounts"
    subprocess.run(["mosquitto_passwd", "-b", "-c", accounts, "kith", "a password"], check=True)
    with bare(release) as machine, Mosquitto(tmp_path, "allow_anonymous false", f"password_file {accounts}", "user root") as broker:
        machine.install(PACKAGES)
        for command in documented("/dev/null /etc/kith/broker-password").splitlines():
            words = command.partition("#")[0].split()
            if words == ["sudoedit", "/etc/kith/broker-password"]:
                machine.path("/etc/kith/broker-password").write_text("a password\n")
            elif words == ["sudoedit", "/etc/kith/kithd.toml"]:
                let_in(machine, "kith-homeassistant")
            elif words[1] == "edit":
                unit = machine.run("systemctl", "cat", words[2]).stdout
                line = re.search("(?m)^ExecStart=.*", unit).group()
                folder = machine.path(f"/etc/systemd/system/{words[2]}.service.d")
                folder.mkdir()
                (folder / "override.conf").write_text(
                    f"[Service]\nExecStart=\n{line.replace('mqtts://broker.home.arpa', broker.address)}\n")
                machine.run("systemctl", "daemon-reload")
            else:
                machine.run(*words)
        with Assistant(broker, user="kith", password="a password") as assistant:
            assistant.until(lambda: assistant.available)
            assistant.press("care_meal")
            assert eventually(lambda: "meal" in memos(machine).lower()), memos(machine)
        is_restarted_by_an_upgrade_and_stopped_by_a_removal(machine, "kith-homeassistant")
        # What a person made stays.
        machine.apt("purge", "kith-homeassistant", "kith")
        assert machine.path("/etc/kith/broker-password").exists() and not machine.path("/etc/kith/kithd.toml").exists()


@BOTH
def test_an_upgrade_keeps_everything_and_can_be_taken_back(release, earlier):
    with bare(release) as machine:
        machine.install(earlier)
        configuration = machine.path("/etc/kith/kithd.toml")
        fill(machine)
        own = configuration.read_text() + '[log]\nlevel = "notice"\n'
        configuration.write_text(own)

        machine.install(PACKAGES, *KEEP)
        version = field(next(PACKAGES.glob("kith_*.deb")), "Version")
        assert configuration.read_text() == own and machine.is_active("kithd")
        assert json.loads(kith(machine, "--json", "status").stdout)["version"] == version
        assert contacts(machine) == PEOPLE and "before the upgrade" in memos(machine)
        kith(machine, "care", "record", "meal", "after the upgrade")

        # And back, as docs/packages.md has it.
        machine.run("systemctl", "stop", "kithd")
        copies = list(machine.path("/var/lib/kith").glob("before-upgrade-*.db"))
        assert copies or not EARLIER, "the landing of before has the same tables; name packages of one that has not"
        restored = machine.run("kithd", "restore", "--before-upgrade", "--state-dir", "/var/lib/kith", "--config",
                               "/etc/kith/kithd.toml", user="kith", check=False)
        assert restored.returncode == (0 if copies else 1), restored.stderr
        machine.install(earlier, "--allow-downgrades", *KEEP)
        assert contacts(machine) == PEOPLE and "before the upgrade" in memos(machine)
        before = field(next(earlier.glob("kith_*.deb")), "Version")
        assert machine.run("dpkg-query", "--show", "--showformat=${Version}", "kith").stdout == before
        # What stands for an earlier landing has the same programs.
        assert json.loads(kith(machine, "--json", "status").stdout)["version"] == (before if EARLIER else version)
        # The copy is from before that entry; a store without a migration is the same for both.
        assert ("after the upgrade" in memos(machine)) == (not copies)
        assert configuration.read_text() == own


@BOTH
def test_a_purge_keeps_what_the_household_recorded(release):
    with bare(release) as machine:
        machine.install(PACKAGES)
        fill(machine)
        machine.path("/var/lib/kith-web").mkdir()
        said = machine.apt("purge", *sorted(NAMES))
        assert "/var/lib/kith was kept" in said, said
        assert not machine.path("/etc/kith").exists() and not machine.path("/var/lib/kith-web").exists()
        assert not machine.path("/usr/bin/kith").exists() and machine.path("/var/lib/kith/kith.db").stat().st_size > 0
        # Installed again, it goes on with what is there.
        machine.install(PACKAGES)
        assert contacts(machine) == PEOPLE and "before the upgrade" in memos(machine)


@BOTH
def test_the_state_of_an_installation_by_hand_takes_the_place_of_the_new_one(release):
    with bare(release) as machine:
        machine.install(PACKAGES)
        kith(machine, "care", "record", "meal", "before the packages")
        machine.run("systemctl", "stop", "kithd")
        old = "/root/old-state"
        machine.run("mv", "/var/lib/kith", old)
        machine.run("chown", "-R", "root:", old)
        # As after a first installation.
        machine.run("systemctl", "start", "kithd")
        assert "before the packages" not in memos(machine)
        machine.run("sh", "-ec", documented("mv OLD").replace("OLD", old))
        assert "before the packages" in memos(machine)
        assert machine.path("/var/lib/kith.new-install/kith.db").exists() and not machine.path("/var/lib/kith/kith").exists()
