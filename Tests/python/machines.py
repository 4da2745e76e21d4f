"""Several machines in one: networks of their own, each with an address on a switch, and cables that can be pulled."""
import contextlib
import ctypes
import json
import os
import shutil
import subprocess

import pytest

from conftest import FOLDERS, BINARIES
from workers import Home, Worker

NEW_NETWORK = 0x40000000  # CLONE_NEWNET of setns(2)


def permitted():
    """Whether this machine lets a test make networks."""
    if shutil.which("ip") is None or shutil.which("unshare") is None:
        return False
    line = ["unshare", "--net", "ip", "link", "add", "try", "type", "veth"]
    return subprocess.run(line, capture_output=True).returncode == 0


needs_networks = pytest.mark.skipif(
    not permitted(), reason="networks cannot be made here (root and iproute2): several hosts and pulled cables are UNPROVEN")


def enter(network):
    """Puts this thread into a network."""
    if ctypes.CDLL(None, use_errno=True).setns(network.fileno(), NEW_NETWORK) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


class Machine:
    """A machine, as far as the network goes: programs run in it, and sockets are made in it."""

    def __init__(self, name, address=None):
        self.name, self.address = name, address
        # It is there for as long as a program is in it; this one ends with its standard input.
        self.holder = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "ip link set lo up && echo up && exec cat"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)
        assert self.holder.stdout.readline() == b"up\n"

    @property
    def network(self):
        return f"/proc/{self.holder.pid}/ns/net"

    @property
    def inside(self):
        """The words of a command that becomes another one in this machine."""
        return ["nsenter", f"--net={self.network}", "--"]

    def ip(self, *words):
        subprocess.run([*self.inside, "ip", *words], check=True)

    @contextlib.contextmanager
    def entered(self):
        """Sockets and threads that this thread makes meanwhile are of this machine."""
        with open("/proc/thread-self/ns/net", "rb") as own, open(self.network, "rb") as network:
            enter(network)
            try:
                yield
            finally:
                enter(own)

    def remove(self):
        self.holder.kill()
        self.holder.wait()
        self.holder.stdin.close()
        self.holder.stdout.close()


class Network:
    """A switch, and the machines at its ports."""

    def __init__(self):
        self.switch = Machine("switch")
        self.switch.ip("link", "add", "bridge", "type", "bridge")
        self.switch.ip("link", "set", "bridge", "up")
        self.machines = []

    def machine(self, name):
        """A new machine with a cable to the switch."""
        machine = Machine(name, f"10.20.30.{len(self.machines) + 1}")
        self.machines.append(machine)
        cable = ("link", "add", name, "type", "veth", "peer", "name", "cable", "netns", str(machine.holder.pid))
        self.switch.ip(*cable)
        self.switch.ip("link", "set", name, "master", "bridge", "up")
        machine.ip("address", "add", f"{machine.address}/24", "dev", "cable")
        machine.ip("link", "set", "cable", "up")
        return machine

    @contextlib.contextmanager
    def cut(self, machine):
        """While the cable of a machine is pulled."""
        self.switch.ip("link", "set", machine.name, "down")
        try:
            yield
        finally:
            self.switch.ip("link", "set", machine.name, "up")

    def remove(self):
        for machine in (*self.machines, self.switch):
            machine.remove()


class House(Home):
    """A hub on a machine of its own, with others about it that come in by keys."""

    def __init__(self):
        self.network = Network()
        self.machine = self.network.machine("hub")
        super().__init__(f'{FOLDERS}[tcp]\naddress = "{self.machine.address}"\n', under=self.machine.inside)

    def key(self, machine, name):
        """The file of a new key of a machine, and what it is called until it is approved."""
        file = self.directory / f"{name}.key"
        server = self.kith("keys", "show")["publicKeyZ85"]
        made = self.run(machine, "--json", "keys", "new", "--file", file, f"--server-key={server}")
        return file, made["fingerprint"], made["publicKeyZ85"]

    def machine_with_key(self, name, role, *services):
        """A new machine, and the file of a key of it that is approved."""
        machine = self.network.machine(name)
        file, _, public = self.key(machine, name)
        chosen = [word for service in services for word in ("--service", service)]
        self.kith("keys", "approve", f"--public-key={public}", "--name", name, "--role", role, *chosen)
        return machine, file

    def reach(self, file):
        return ("--hub", f"tcp://{self.machine.address}", "--key", file)

    def far_worker(self, serve, name, machine, file, *, engine=True):
        """A worker on another machine that comes with the key of a file; with the recogniser of the home, or its own."""
        folder = self.directory / name
        folder.mkdir()
        if engine:
            shutil.copy(self.directory / "worker.toml", folder)
        else:
            (folder / "worker.toml").write_text("")
        worker = Worker(self, serve, name, folder=folder, reach=self.reach(file), under=machine.inside)
        worker.machine = machine
        self.workers.append(worker)
        return worker.start()

    def approved_worker(self, serve="transcriber", name="one"):
        return self.far_worker(serve, name, *self.machine_with_key(name, "worker", serve))

    def run(self, machine, *arguments, code=0):
        """What `kith` on a machine prints, as JSON; on another end than with 0 what it says."""
        result = subprocess.run(
            [*machine.inside, BINARIES / "kith", *arguments], capture_output=True, text=True, timeout=60)
        assert result.returncode == code, (result.returncode, result.stdout, result.stderr)
        return json.loads(result.stdout) if code == 0 else result.stderr

    def remove(self):
        super().remove()
        self.network.remove()
