"""A real kithd for each test that wants one, and cards to feed it."""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
import zlib

import pytest
import zmq

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "python"
sys.path.insert(0, str(EXAMPLES))

from send import HubNotRunning, command  # noqa: E402

BINARIES = pathlib.Path(os.environ.get("KITH_BIN_DIR", ROOT / ".build" / "debug"))

# Files with passwords are among those of the test.
FOLDERS = f'[secrets]\nfolders = ["{tempfile.gettempdir()}"]\n'
# Passes only when a test asks for them, so that counts are what the test caused.
CONFIGURATION = FOLDERS + "[contacts]\nsync_at_start = false\nsync_every_minutes = 0\nwatch_files = false\n"


# The processes of pytest-xdist ignore SIGINT, and the programs that they start would too.
signal.signal(signal.SIGINT, signal.default_int_handler)


def size(short, full, variable=""):
    """How much a test marked `long` does: `full` if KITH_LONG is set, else `short`; a variable of its own may say another number."""
    chosen = os.environ.get(variable)
    return int(chosen) if chosen else full if os.environ.get("KITH_LONG") else short


def seed(usual):
    """What a random test begins from: KITH_SEED if that is set."""
    return int(os.environ.get("KITH_SEED", usual))


def histories(short, full):
    """How many random histories a test lives, each from a seed of its own: KITH_HISTORIES; one where KITH_SEED alone is set."""
    return 1 if "KITH_SEED" in os.environ and "KITH_HISTORIES" not in os.environ else size(short, full, "KITH_HISTORIES")


def tally(**counts):
    """Adds to what scripts/prove.sh counts: histories, faults, inputs."""
    if "KITH_TALLY" in os.environ:
        with open(os.environ["KITH_TALLY"], "a") as file:
            print(json.dumps(counts), file=file)


def is_turn(item):
    """Whether a trial runs on its Monica: of the double and the program that it is held against each has half of the trials, unless
    KITH_LONG is set."""
    from servers import DOUBLE, SIMULATOR, SIMULATOR_PROGRAM

    program = getattr(item, "callspec", None) and item.callspec.params.get("monica")
    if program is None or os.environ.get("KITH_LONG"):
        return True
    others = [part for part in item.callspec.id.split("-") if part != program]
    trial = zlib.crc32(" ".join([item.path.name, item.originalname, *others]).encode())
    return program == (DOUBLE, SIMULATOR)[trial % 2 if SIMULATOR_PROGRAM.exists() else 0]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Puts what takes longest first, and what shares one hub into one process."""
    # What is named by its id runs.
    if not any("::" in each for each in config.args):
        left_out = [item for item in items if not is_turn(item)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    items.sort(key=lambda item: (not item.get_closest_marker("waits"), not item.get_closest_marker("long")))
    for item in items:
        if "shared_hub" in item.fixturenames:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


def pytest_terminal_summary(terminalreporter):
    """Shows what became of the trials on CardDAV servers, where they ran."""
    from matrix import table

    for line in table(terminalreporter.stats):
        terminalreporter.write_line(line)


@contextlib.contextmanager
def stopped(process):
    """While a process stands still, as a hung one. On a busy machine it goes on for a moment after the signal: it is waited for."""
    process.send_signal(signal.SIGSTOP)
    try:
        end = time.monotonic() + 30
        while not stands_still(process.pid):
            assert process.poll() is None and time.monotonic() < end, f"{process.args} does not stand still"
            time.sleep(0.001)
        yield
    finally:
        process.send_signal(signal.SIGCONT)


def stands_still(pid):
    """Whether each thread of a process is stopped (T in proc(5))."""
    try:
        states = {stat.read_text().rpartition(")")[2].split()[0] for stat in pathlib.Path(f"/proc/{pid}/task").glob("*/stat")}
        return states == {"T"}
    except OSError:  # A thread ended while this looked.
        return False


class Hub:
    """A kithd on directories of its own."""

    def __init__(self):
        # Short: the path of an ipc socket may have 107 bytes.
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="kith-"))
        self.runtime = self.directory / "run"
        self.control = f"ipc://{self.runtime}/control.sock"
        self.events = f"ipc://{self.runtime}/events.sock"
        self.log = self.directory / "log"
        (self.directory / "config.toml").write_text(CONFIGURATION)
        # Variables beside those of the tests.
        self.environment = {}
        self.process = None

    def command_line(self):
        return [BINARIES / "kithd", "--state-dir", self.directory / "state", "--runtime-dir", self.runtime, "--config",
                self.directory / "config.toml"]

    def start(self):
        assert (BINARIES / "kithd").exists(), f"{BINARIES}/kithd is missing: run swift build first"
        with open(self.log, "ab") as log:
            environment = {**os.environ, **self.environment}
            self.process = subprocess.Popen(self.command_line(), stdout=log, stderr=log, env=environment)
        end = time.monotonic() + 60
        while True:
            assert self.process.poll() is None, f"kithd ended: {self.log.read_text()[-2000:]}"
            try:
                assert "status" not in self.ask("System/Ping", timeout=3)[0]
                return self
            except (HubNotRunning, TimeoutError):
                assert time.monotonic() < end, f"kithd does not answer: {self.log.read_text()[-2000:]}"
                time.sleep(0.02)

    def end(self, with_signal=signal.SIGTERM):
        """Ends the process; returns its exit status."""
        if self.process is None:
            return None
        process, self.process = self.process, None
        if process.poll() is None:
            process.send_signal(with_signal)
        try:
            return process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise

    def killed(self, within=60):
        """Waits until it has killed itself at a marked point."""
        process, self.process = self.process, None
        try:
            status = process.wait(within)
        finally:
            process.kill()
        assert status == -signal.SIGKILL, f"the point was not passed: {self.log.read_text()[-2000:]}"
        return self

    def restart(self, with_signal):
        status = self.end(with_signal)
        self.start()
        return status

    def ask(self, method, body=None, **options):
        """(header, body, attachments) of the FINAL."""
        return command(self.control, f"kith.v1.{method}", body, **options)

    def reply(self, method, body=None, **options):
        """The body of a FINAL that is OK."""
        header, reply, _ = self.ask(method, body, **options)
        assert "status" not in header, header
        return reply

    def error(self, method, body=None, **options):
        """(code, reason) of a FINAL that is an error."""
        header, reply, _ = self.ask(method, body, **options)
        assert reply == {}
        return header["status"]["code"], header["status"]["reason"]

    def seq(self, stream):
        heads = self.reply("System/Status").get("heads", [])
        return next((int(head.get("seq", 0)) for head in heads if head["stream"] == stream), 0)

    def remove(self):
        if self.process is not None:
            self.end(signal.SIGKILL)
        shutil.rmtree(self.directory, ignore_errors=True)


@pytest.fixture
def hub():
    """A hub that the test has to itself."""
    hub = Hub()
    try:
        yield hub.start()
        assert hub.end() in (0, None), f"SIGTERM has to end kithd with 0: {hub.log.read_text()[-2000:]}"
    finally:
        hub.remove()


@pytest.fixture(scope="module")
def shared_hub():
    """A hub for tests that leave nothing behind in it."""
    hub = Hub()
    try:
        yield hub.start()
        assert hub.end() == 0
    finally:
        hub.remove()


@pytest.fixture(params=["double", "simulator"])
def monica(request):
    """An empty Monica without a limit: the double, and where it is found the program that it is held against."""
    from servers import SIMULATOR, SIMULATOR_PROGRAM, Monica

    if request.param == SIMULATOR and not SIMULATOR_PROGRAM.exists():
        pytest.skip(f"{SIMULATOR_PROGRAM} is absent: set KITH_MONICA_SIM")
    server = Monica(request.param, rate_limit=0)
    try:
        yield server.start()
    finally:
        server.remove()


@pytest.fixture(params=["radicale", "xandikos"])
def dav(request):
    """An empty account on each of two CardDAV servers."""
    from servers import server

    with server(request.param) as made:
        yield made


@pytest.fixture
def services():
    """ntfy, LINE and a webhook in one."""
    from recipients import MessageServer

    server = MessageServer()
    try:
        yield server.start()
    finally:
        server.remove()


@pytest.fixture
def unstarted():
    """A hub that the test starts, and may kill."""
    hub = Hub()
    try:
        yield hub
    finally:
        hub.remove()


@pytest.fixture
def name(request):
    """A name for a source that no other test of the file has."""
    return re.sub("[^a-z0-9]+", "-", request.node.name.removeprefix("test_").lower())[-32:].strip("-")


class Wire:
    """A socket that sends frames just as a test wrote them."""

    def __init__(self, endpoint, kind=zmq.DEALER, *, immediate=1):
        self.socket = zmq.Context.instance().socket(kind)
        self.socket.linger, self.socket.immediate, self.socket.sndtimeo = 0, immediate, 30_000
        self.socket.connect(endpoint)

    def close(self):
        self.socket.close(0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, method="kith.v1.System/Ping", body=b"{}", *, header=None, tag=b"KTHC01", kind=b"\x01", ctype=b"json",
             more=(), before=()):
        if header is None:
            header = {"requestId": str(uuid.uuid4())}
        if isinstance(header, dict):
            header = json.dumps(header).encode()
        self.socket.send_multipart([*before, tag, kind, method.encode(), ctype, header, body, *more])

    def receive(self, seconds=30):
        """The frames of the next message; None when none comes."""
        return self.socket.recv_multipart() if self.socket.poll(seconds * 1000) else None

    def final(self, seconds=30):
        """(header, body) of the next FINAL, as JSON. A busy hub says before it that the command is accepted."""
        frames = self.receive(seconds)
        while frames and frames[1] == b"\x02":
            frames = self.receive(seconds)
        assert frames is not None, "no answer"
        assert frames[0] == b"KTHC01" and frames[1] == b"\x03" and frames[3] == b"json", frames
        return json.loads(frames[4]), json.loads(frames[5] or b"{}")

    def error(self, seconds=30):
        """(code, reason) of the next FINAL."""
        status = self.final(seconds)[0]["status"]
        return status["code"], status["reason"]


@pytest.fixture
def wire(shared_hub):
    wire = Wire(shared_hub.control)
    yield wire
    wire.close()
