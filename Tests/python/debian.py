"""A Debian of its own: a copy of a bare one that boots its systemd, in which packages are installed and services run."""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

import pytest

from conftest import ROOT

BARE = ROOT / ".build" / "debian"
# The systemd of Debian 13 asks for this where the machine has the first version of control groups.
LEGACY = ["systemd.unified_cgroup_hierarchy=0", "SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1"]


class Debian:
    """A booted copy. All that runs in it ends with it. It shares the network of this machine."""

    def __init__(self, release):
        if os.getuid() != 0 or not (BARE / release).exists():
            pytest.skip(f"there is no bare Debian {release}; scripts/debian.sh {release} makes it, as root")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"kith-{release}-", dir=BARE))
        self.folder.chmod(0o755)
        subprocess.run(["cp", "-a", "--reflink=auto", f"{BARE / release}/.", self.folder], check=True)
        shutil.copy("/etc/resolv.conf", self.folder / "etc/resolv.conf")
        # A package is fetched once for all of them.
        archives = BARE / "archives" / release
        archives.mkdir(parents=True, exist_ok=True)
        self.said = open(f"{self.folder}.log", "w+")
        self.container = subprocess.Popen(
            ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--console=pipe", "--resolv-conf=off", "-D", self.folder,
             f"--bind={archives}:/var/cache/apt/archives", "--boot",
             *(LEGACY if pathlib.Path("/sys/fs/cgroup/systemd").exists() else [])],
            stdin=subprocess.DEVNULL, stdout=self.said, stderr=subprocess.STDOUT)
        try:
            self.boot()
        except BaseException:
            self.remove()
            raise

    def boot(self):
        """Waits until it has booted."""
        end = time.monotonic() + 120
        while not (self.first and self.run("systemctl", "is-system-running", check=False).stdout.strip() in ("running", "degraded")):
            if self.container.poll() is not None or time.monotonic() > end:
                self.said.seek(0)
                pytest.skip(f"systemd-nspawn boots no Debian here: {self.said.read()[-500:]}")
            time.sleep(0.2)

    @property
    def first(self):
        """Its first process, once there is one."""
        with contextlib.suppress(OSError, IndexError):
            pid = pathlib.Path(f"/proc/{self.container.pid}/task/{self.container.pid}/children").read_text().split()[0]
            if pathlib.Path(f"/proc/{pid}/comm").read_text() == "systemd\n":
                return pid
        return None

    def run(self, *words, user=None, check=True):
        """Runs a command in it; as a user, with the rights that the service of that user has."""
        line = ["nsenter", "--mount", "--pid", "--uts", "--ipc", "--target", self.first, "env", "-i", "LC_ALL=C.UTF-8",
                "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive", f"HOME=/var/lib/{user}" if user else "HOME=/root"]
        if user:
            line += ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--no-new-privs"]
        done = subprocess.run([*line, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=1200)
        assert not check or done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done

    def apt(self, *words):
        """Runs apt-get, which may wait for the one that Debian runs at times. Returns what was said."""
        done = self.run("apt-get", "--yes", "-o", "DPkg::Lock::Timeout=300", *words)
        return done.stdout + done.stderr

    def install(self, folder, *options):
        """`apt install ./*.deb` of a folder of this machine. Returns what was said."""
        inside = self.folder / "root/packages"
        shutil.rmtree(inside, ignore_errors=True)
        shutil.copytree(folder, inside)
        packages = [f"/root/packages/{file.name}" for file in sorted(inside.glob("*.deb"))]
        return self.apt("install", "--no-install-recommends", *options, *packages)

    def path(self, inside):
        return self.folder / inside.lstrip("/")

    def is_active(self, unit):
        return self.run("systemctl", "is-active", unit, check=False).stdout == "active\n"

    def remove(self):
        # An orderly end, as of a machine: systemd-nspawn(1).
        self.container.send_signal(signal.SIGTERM)
        try:
            self.container.wait(60)
        except subprocess.TimeoutExpired:
            self.container.kill()
            self.container.wait()
        self.said.close()
        pathlib.Path(self.said.name).unlink()
        shutil.rmtree(self.folder)


@contextlib.contextmanager
def bare(release):
    """A fresh copy with the lists of its packages."""
    machine = Debian(release)
    try:
        machine.apt("update")
        yield machine
    finally:
        machine.remove()
