"""A Debian of its own: a copy of a bare one, in which packages are installed and the programs of units run."""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

import pytest

from conftest import ROOT

BARE = ROOT / ".build" / "debian"
# debhelper's choice; both are one folder in a Debian of today.
UNITS = "usr/lib/systemd/system"


def child(process):
    """The process that one runs in the namespace which it made or entered."""
    return int(pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text())


class Debian:
    """A running copy. What runs in it has its processes and mounts for itself, and ends with it."""

    def __init__(self, release):
        bare = BARE / release
        if os.getuid() != 0 or not (bare / "etc/debian_version").exists():
            pytest.skip(f"there is no bare Debian {release}; scripts/debian.sh {release} makes it, as root")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"kith-{release}-", dir=BARE))
        self.folder.chmod(0o755)
        subprocess.run(["cp", "-a", "--reflink=auto", f"{bare}/.", self.folder], check=True)
        shutil.copy("/etc/resolv.conf", self.folder / "etc/resolv.conf")
        # A package is fetched once for all of them.
        archives = BARE / "archives" / release
        archives.mkdir(parents=True, exist_ok=True)
        script = """
            mount --bind /dev "$0/dev"; mount -t proc proc "$0/proc"; mount --bind "$1" "$0/var/cache/apt/archives"
            echo ready; exec sleep infinity"""
        self.first = subprocess.Popen(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private", "sh", "-ec", script, self.folder,
             archives], stdout=subprocess.PIPE, text=True)
        assert self.first.stdout.readline() == "ready\n"
        self.pid = child(self.first)

    def command(self, *words, user=None, environment=()):
        """The command line that runs a command in it; as a user, as the unit of the user does."""
        home = f"/var/lib/{user}" if user else "/root"
        line = ["nsenter", "--mount", "--pid", "--target", str(self.pid), "chroot", self.folder, "env", "-i", f"HOME={home}",
                "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", *environment]
        if user:
            line += ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--no-new-privs"]
        return [*line, *map(str, words)]

    def run(self, *words, user=None, check=True, **options):
        done = subprocess.run(self.command(*words, user=user), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=1200, **options)
        assert not check or done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done

    def install(self, folder, *options):
        """`apt install ./*.deb` of a folder of this machine. Returns what was said."""
        inside = self.folder / "root/packages"
        shutil.rmtree(inside, ignore_errors=True)
        shutil.copytree(folder, inside)
        packages = [f"/root/packages/{file.name}" for file in sorted(inside.glob("*.deb"))]
        done = self.run("apt-get", "install", "--yes", "--no-install-recommends", *options, *packages)
        return done.stdout + done.stderr

    def path(self, inside):
        return self.folder / inside.lstrip("/")

    def remove(self):
        self.first.kill()
        self.first.wait()
        self.first.stdout.close()
        # Its mounts were private, and ended with it.
        shutil.rmtree(self.folder)


@contextlib.contextmanager
def bare(release):
    """A fresh copy with the lists of its packages."""
    debian = Debian(release)
    try:
        debian.run("apt-get", "update", "--quiet")
        yield debian
    finally:
        debian.remove()


class Service:
    """What systemd does with a unit, where none runs: directories, user, command, signal."""

    def __init__(self, debian, unit):
        self.debian, self.unit, self.process = debian, unit, None

    def settings(self):
        """The settings of the unit and its drop-ins; the last of a name counts."""
        drop_ins = self.debian.path(f"/etc/systemd/system/{self.unit}.service.d").glob("*.conf")
        text = "".join(file.read_text() for file in [self.debian.path(f"/{UNITS}/{self.unit}.service"), *sorted(drop_ins)])
        return dict(re.findall(r"^(\w+)=(.+)$", text, re.M))

    def start(self):
        settings = self.settings()
        user = settings["User"]
        for kind, place in (("State", "/var/lib"), ("Runtime", "/run")):
            if name := settings.get(f"{kind}Directory"):
                mode = settings[f"{kind}DirectoryMode"]
                self.debian.run("install", "-d", "-o", user, "-g", user, "-m", mode, f"{place}/{name}")
        self.log = open(self.debian.path(f"/root/{self.unit}.log"), "a")
        self.process = subprocess.Popen(
            self.debian.command("sh", "-c", f"umask 0077; exec {settings['ExecStart']}", user=user), stdout=self.log,
            stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        return self

    def until(self, condition):
        """Waits until it serves."""
        end = time.monotonic() + 120
        while not (value := condition()):
            said = self.debian.path(f"/root/{self.unit}.log").read_text()[-2000:]
            assert self.process.poll() is None and time.monotonic() < end, f"{self.unit} does not serve:\n{said}"
            time.sleep(0.1)
        return value

    def stop(self):
        """The exit code after SIGTERM."""
        os.kill(child(self.process), signal.SIGTERM)
        self.log.close()
        return self.process.wait(60)
