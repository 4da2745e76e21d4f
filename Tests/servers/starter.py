"""What the starters of servers share. A starter is called NAME.py DIRECTORY [--port PORT]. It keeps everything in DIRECTORY,
prints "ready PORT" when its server accepts connections on 127.0.0.1, and ends with its standard input, and the server with it.

A starter gives its server one user, alice, whose password is "secret". A line "user NAME" on its standard input makes another with
the same password, which a line "user NAME" on its standard output confirms.
"""

import argparse
import ctypes
import os
import pathlib
import pwd
import random
import shutil
import signal
import socket
import subprocess
import sys
import time

PASSWORD = "secret"
WAIT = 60
# Whatever that of the caller is: servers are in sbin.
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
# Of linux/prctl.h, linux/sched.h and linux/mount.h.
PR_SET_CHILD_SUBREAPER = 36
CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
libc = ctypes.CDLL(None, use_errno=True)


# Held for as long as this process lives.
claims = []


def free_port():
    """A port at which nobody listens and which no other server of the tests has chosen: until the server has it, time passes. Not of
    those that the kernel gives away."""
    while True:
        port = random.randrange(12_000, 20_000)
        claim = socket.socket(socket.AF_UNIX)
        try:
            claim.bind(f"\0kith-test-port-{port}")
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", port))
        except OSError:
            claim.close()
            continue
        claims.append(claim)
        return port


def accepts(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


class Starter:
    """The processes of one server in one directory.

    What a server leaves behind becomes a child of this process, so that nothing outlives it.
    """

    def __init__(self, *needed):
        parser = argparse.ArgumentParser()
        parser.add_argument("directory", type=pathlib.Path)
        parser.add_argument("--port", type=int, help="a free one when none is given")
        arguments = parser.parse_args()
        absent = [program for program in needed if not shutil.which(program, path=PATH) and not os.path.exists(program)]
        if absent:
            sys.exit(f"absent: {' '.join(absent)}; scripts/servers.sh {pathlib.Path(sys.argv[0]).stem} installs them")
        self.directory, self.port = arguments.directory.resolve(), arguments.port or free_port()
        self.first = not (self.directory / "prepared").exists()
        # Most servers refuse to be root.
        self.account = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
        self.environment = {
            "PATH": PATH, "HOME": str(self.directory), "LC_ALL": "C.UTF-8", "TZ": "UTC",
            "USER": self.user,
        }  # fmt: skip
        # Cyrus ends the whole process group, in which others may be.
        os.setsid()
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))

    @property
    def user(self):
        return self.account.pw_name if self.account else pwd.getpwuid(os.geteuid()).pw_name

    def folder(self, name):
        """A folder that the server may write to."""
        made = self.directory / name
        made.mkdir(exist_ok=True)
        self.give(made)
        return made

    def write(self, name, text):
        made = self.directory / name
        made.write_text(text)
        self.give(made)
        return made

    def give(self, path):
        if self.account:
            os.chown(path, self.account.pw_uid, self.account.pw_gid)

    def cover(self, path, folder):
        """Shows a folder in the place of another one of the machine, to this process and the server only."""
        user, group = os.geteuid(), os.getegid()
        self.must(libc.unshare(CLONE_NEWNS if user == 0 else CLONE_NEWNS | CLONE_NEWUSER), "unshare")
        if user != 0:
            pathlib.Path("/proc/self/setgroups").write_text("deny")
            pathlib.Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
            pathlib.Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
        self.must(libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None), "mount")
        self.must(libc.mount(bytes(folder), path.encode(), None, MS_BIND, None), f"mount on {path}")

    @staticmethod
    def must(result, what):
        if result != 0:
            sys.exit(f"{what} is not permitted here: {os.strerror(ctypes.get_errno())}")

    def options(self, more):
        who = {"user": self.account.pw_uid, "group": self.account.pw_gid, "extra_groups": []} if self.account else {}
        return {"cwd": self.directory, "env": {**self.environment, **more}, **who}

    def run(self, *line, text="", **environment):
        """Runs a program to its end; gives what it printed."""
        ended = subprocess.run(
            [str(word) for word in line], input=text, text=True, capture_output=True, timeout=WAIT, **self.options(environment))
        if ended.returncode:
            sys.exit(f"{line[0]} ended with {ended.returncode}: {ended.stdout[-2000:]} {ended.stderr[-2000:]}")
        return ended.stdout

    def launch(self, *line, ready, **environment):
        """Starts a program that stays, and waits until it is ready."""
        process = subprocess.Popen(
            [str(word) for word in line], stdin=subprocess.DEVNULL, stdout=sys.stderr, **self.options(environment))
        end = time.monotonic() + WAIT
        while not ready():
            if process.poll() is not None:
                sys.exit(f"{line[0]} ended with {process.returncode}")
            if time.monotonic() > end:
                sys.exit(f"{line[0]} is not ready after {WAIT} seconds")
            time.sleep(0.02)
        return process

    def serve(self, prepare, launch, make_user):
        """Prepares a directory that is new, launches the server, and makes users until the standard input ends."""
        self.give(self.directory)
        try:
            if self.first:
                prepare()
            launch()
            if self.first:
                make_user("alice")
                self.write("prepared", "")
            print("ready", self.port, flush=True)
            for line in sys.stdin:
                make_user(line.split()[1])
                print(line.strip(), flush=True)
        finally:
            self.end()

    def end(self):
        """Asks all processes to end, then makes them."""
        deadline = time.monotonic() + 2
        while children := self.children():
            for child in children:
                os.kill(child, signal.SIGTERM if time.monotonic() < deadline else signal.SIGKILL)
            time.sleep(0.02)

    def children(self):
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return []
        return [int(child) for child in pathlib.Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
