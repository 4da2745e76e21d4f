"""Trials that are long by nature: random histories, kills, attacks, and inputs that a fuzzer makes.

    prove.py --bin DIR [--minutes 5] [--seed YYYYMMDD] [--only NAME,...] [--list]

Each trial is run again and again, each time from another seed, until its share of the minutes is over; those of one lane wait for
each other, and there are as many lanes as cores. The attacker comes last, by itself. The minutes are those of the trials: programs are built before. Prints a table of
what was lived through. Of each run that fails it keeps the output in .build/prove/, and prints the command that runs it again; it
ends with 1 then. A run that cannot begin, or whose counts cannot be read, is a failure too.
"""
import argparse
import contextlib
import dataclasses
import datetime
import json
import os
import pathlib
import platform
import re
import shlex
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEPT = ROOT / ".build" / "prove"
# What a run from one seed counts on from there is far less.
APART = 100_000
# With less time nothing of the costly trials would be seen, and less of the fuzzers than of their build.
LONG = 20
SHORT = 5
PATIENCE = 1800
COUNTS = ("histories", "faults", "inputs")


@dataclasses.dataclass
class Trial:
    """One kind of trial. run: the command for (seed, seconds), and what it has in its environment."""

    name: str
    what: str
    share: float
    run: callable
    least_minutes: int = 0
    build: tuple = ()
    # It measures how long others wait, so it has the machine for itself.
    alone: bool = False
    runs: int = 0
    seconds: float = 0
    counts: dict = dataclasses.field(default_factory=lambda: dict.fromkeys(COUNTS, 0))
    failures: list = dataclasses.field(default_factory=list)


class Programs:
    """Commands of what was built."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def pytest(self, *names, histories=0, processes=1, **environment):
        """Tests in Python, so many histories each."""
        def command(seed, _):
            arguments = [sys.executable, "-m", "pytest", "-q", "-s", *(f"Tests/python/{name}" for name in names)]
            if processes > 1:
                arguments += ["-n", str(processes)]
            return arguments, {**self.seeded(seed, histories), **environment, "KITH_BIN_DIR": str(self.folder)}
        return command

    def swift(self, names, histories=0, scratch=None):
        """Swift tests; those of a scratch folder are built with a sanitizer."""
        def command(seed, _):
            program = (ROOT / scratch / "debug" if scratch else self.folder) / "kithPackageTests.xctest"
            return [str(program), "--testing-library", "swift-testing", "--no-parallel", "--filter", names], {
                **self.seeded(seed, histories), "SWIFT_BACKTRACE": "enable=no", "TSAN_OPTIONS": "halt_on_error=1",
                # What Foundation's Process keeps would fail each run.
                "ASAN_OPTIONS": "detect_leaks=0"}
        return command

    def attacker(self, seed, seconds):
        return [sys.executable, "Tests/python/attacker.py", "--seconds", str(int(min(seconds, 600))), "--seed", str(seed),
                # Of a hub that is not optimized; attacker.py by itself has the bounds of one that is.
                "--wait", "20", "--memory", "192"], {
            "KITH_BIN_DIR": str(self.folder)}

    @staticmethod
    def fuzz(name):
        def command(seed, seconds):
            corpus = KEPT / "corpus" / name
            # A seed of libFuzzer has 32 bits.
            return [str(ROOT / "Fuzz/.build/release/kith-fuzz"), name, str(corpus), f"-seed={seed % (1 << 32)}", "-timeout=20",
                    f"-max_total_time={max(5, int(seconds))}", "-max_len=8192", "-print_final_stats=1", "-verbosity=0",
                    f"-artifact_prefix={KEPT}/{name}-"], {"SWIFT_BACKTRACE": "enable=no"}
        return command

    @staticmethod
    def seeded(seed, histories):
        return {"KITH_SEED": str(seed), **({"KITH_HISTORIES": str(histories)} if histories else {})}


# By lld, because gold fails with the debug information of a sanitized program.
FUZZER = ("swift", "build", "--package-path", "Fuzz", "-c", "release", "--sanitize=address", "-Xswiftc", "-sanitize=fuzzer",
          "-Xswiftc", "-use-ld=lld", "--product", "kith-fuzz")


def sanitized(name):
    """How the Swift tests are built with a sanitizer."""
    return ("swift", "build", f"--sanitize={name}", "--scratch-path", f".build/{name}", "-Xswiftc", "-use-ld=lld", "--product",
            "kithPackageTests")


def trials(programs):
    pytest, swift, fuzz = programs.pytest, programs.swift, programs.fuzz
    return [
        Trial("guard", "listings of sources that fail, on a store", 2, swift("GuardHistoryTests", 200)),
        Trial("folders", "edits of folders of cards, against a model", 1, swift("RandomHistoryTests", 60)),
        Trial("records", "edits here and on a Monica, against a model", 1, swift("SyncHistoryTests", 40)),
        Trial("rules", "names, plans, doses, cards, jobs, against plain rules", 2,
              swift("(NameSearch|PlanHistory|PlanSchedule|HourGrid|DoseRules|ContactsWalk|RecordsOutboxWalk|WorkHistory|Fuzz)Tests", 2)),
        Trial("monica", "a household, its Monica, faults and kills", 3,
              pytest("test_monica_history.py::test_both_sides_end_equal", histories=20)),
        Trial("books", "edits of address books on real servers", 2, pytest("test_carddav_model.py", histories=10)),
        Trial("kills", "SIGKILL at marked points of hub and workers", 3,
              pytest("test_kill.py", "test_carddav_kill.py", "test_worker_deaths.py", processes=2)),
        Trial("garbage", "messages that are wrong in every way", 1, pytest("test_garbage.py")),
        Trial("attacker", "a viewer that would end, starve or fill the hub", 2, programs.attacker, alone=True),
        Trial("cards", "vCards, fuzzed", 1, fuzz("cards"), least_minutes=SHORT, build=FUZZER),
        Trial("sounds", "WAVs, fuzzed", 0.5, fuzz("sounds"), least_minutes=SHORT, build=FUZZER),
        Trial("multistatus", "answers of CardDAV servers, fuzzed", 1, fuzz("multistatus"), least_minutes=SHORT, build=FUZZER),
        Trial("frames", "messages of the planes, fuzzed", 1, fuzz("frames"), least_minutes=SHORT, build=FUZZER),
        Trial("headers", "headers and commands in JSON, fuzzed", 1, fuzz("headers"), least_minutes=SHORT, build=FUZZER),
        Trial("servers", "the matrix of CardDAV servers", 3,
              pytest("test_carddav_matrix.py", histories=20, KITH_SERVERS="all"), LONG, ("scripts/servers.sh", "all")),
        Trial("readers", "exports of cards, read by programs of other make", 0.5, pytest("test_vcard_readers.py"), LONG,
              ("scripts/servers.sh", "readers")),
        Trial("house", "a day with a real Home Assistant", 1, pytest("test_homeassistant_real.py"), LONG,
              ("scripts/home-assistant.sh",)),
        Trial("packages", "Debian's packages on a bare Debian 12 and 13", 1, pytest("test_packages.py"), LONG,
              ("bash", "-c", "scripts/package.sh && scripts/debian.sh bookworm trixie")),
        Trial("races", "loop, sockets and planes under ThreadSanitizer", 2,
              swift("^(EventLoopTests|ZeroMQTests|BusZeroMQTests)[.]", scratch=".build/thread"), LONG, sanitized("thread")),
        Trial("memory", "cards, WebDAV and frames under AddressSanitizer", 2,
              swift("^(VCardTests|DAVTests|BusZeroMQTests)[.]", scratch=".build/address"), LONG, sanitized("address")),
    ]


@dataclasses.dataclass
class Failure:
    """A run that failed. status: of its process, or what kept it from running; again: the command that runs it again."""

    seed: int
    status: object
    output: pathlib.Path
    again: str


class Session:
    """A process with all that it starts: hubs and servers have groups of their own, and are in the session all the same."""

    def __init__(self, command, environment, output):
        self.process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT,
                                        start_new_session=True)

    def end(self):
        """Kills what is left of it."""
        while living := self.living():
            for process in living:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            time.sleep(0.01)
        self.process.wait()

    def living(self):
        living = []
        for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                # proc_pid_stat(5): the name, which is in parentheses, may hold anything.
                state, _, _, session = entry.read_text(errors="replace").rpartition(")")[2].split()[:4]
                if int(session) == self.process.pid and state not in "ZX":
                    living.append(int(entry.parent.name))
        return living


class Lane(threading.Thread):
    """Runs trials one after another."""

    def __init__(self, queue, lock, seed):
        super().__init__()
        self.queue, self.lock, self.seed = queue, lock, seed
        self.session, self.stopped = None, False

    def run(self):
        while True:
            with self.lock:
                if not self.queue:
                    return
                trial, seconds = self.queue.pop(0)
            end, begun, can_run = time.monotonic() + seconds, time.monotonic(), True
            # Another run begins where the half of one fits.
            while can_run and not self.stopped and (
                    trial.runs == 0 or time.monotonic() + (time.monotonic() - begun) / trial.runs / 2 < end):
                can_run = self.live(trial, self.seed * 1_000_000_000 + trial.runs * APART, end - time.monotonic())
                trial.runs += 1
            trial.seconds = time.monotonic() - begun

    def stop(self):
        """Ends the run that is under way, and begins no other."""
        with self.lock:
            self.stopped = True
            self.queue.clear()
            if self.session:
                self.session.end()

    def live(self, trial, seed, seconds):
        """Runs a trial once. Returns false if it could not be run, so that another run could not either."""
        output, tally = KEPT / f"{trial.name}-{seed}.log", KEPT / f"{trial.name}-{seed}.tally"
        again, status, can_run = "", None, False
        try:
            command, more = trial.run(seed, seconds)
            again = shlex.join([*(f"{name}={value}" for name, value in more.items()), *command])
            tally.write_text("")
            with open(output, "w") as file:
                status = self.finish(command, {**os.environ, **more, "KITH_TALLY": str(tally)}, file, seconds + PATIENCE)
            can_run = True
            problem = self.count(trial, tally, output)
            status = status or problem
            tally.unlink(missing_ok=True)
            if not status:
                output.unlink()
        # Whatever kept it from running: a lane that ended by it would take the trials behind it along.
        except Exception as error:
            status = repr(error)
        if status:
            trial.failures.append(Failure(seed, status, output, again))
        return can_run

    def finish(self, command, environment, file, seconds):
        """The status of a command, when it has ended or was ended."""
        with self.lock:
            if self.stopped:
                return "stopped"
            session = self.session = Session(command, environment, file)
        try:
            return session.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return "no end"
        finally:
            session.end()
            with self.lock:
                self.session = None

    @staticmethod
    def count(trial, tally, output):
        """Adds what a run counted. Returns why it cannot be read, or nothing."""
        try:
            lines = [json.loads(line) for line in tally.read_text().splitlines()]
            numbers = re.findall(r"stat::number_of_executed_units:\s*(\d+)", output.read_text(errors="replace"))
            for line in [*lines, *({"inputs": int(number)} for number in numbers)]:
                for name, count in line.items():
                    trial.counts[name] += count
        except (OSError, ValueError, KeyError) as error:
            return f"its counts cannot be read: {error!r}"


def table(chosen, omitted):
    rows = [("trial", "what", "runs", *COUNTS, "minutes", "failed")]
    for trial in chosen:
        counts = [f"{trial.counts[name]:,}" if trial.counts[name] else "" for name in COUNTS]
        rows.append((trial.name, trial.what, str(trial.runs), *counts, f"{trial.seconds / 60:.1f}", str(len(trial.failures))))
    total = [f"{sum(trial.counts[name] for trial in chosen):,}" for name in COUNTS]
    rows.append(("all", "", str(sum(trial.runs for trial in chosen)), *total,
                 f"{sum(trial.seconds for trial in chosen) / 60:.1f}", str(sum(len(trial.failures) for trial in chosen))))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [[row[column].ljust(widths[column]) if column < 2 else row[column].rjust(widths[column])
              for column in range(len(row))] for row in rows]
    rule = ["-" * width if column < 2 else "-" * (width - 1) + ":" for column, width in enumerate(widths)]
    print("\n".join("| " + " | ".join(line) + " |" for line in [lines[0], rule, *lines[1:]]))
    for trial in omitted:
        print(f"not run: {trial.name} ({trial.what}), which needs --minutes {trial.least_minutes} or more")


def machine():
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 30
    return f"commit {commit or 'unknown'}, {os.cpu_count()} cores, {memory} GiB, Linux {platform.release()}"


def run(chosen, lanes, unit, seed):
    """Runs trials side by side, each for its share of so many seconds."""
    queue = sorted(((trial, trial.share * unit) for trial in chosen), key=lambda pair: -pair[1])
    lock = threading.Lock()
    running = [Lane(queue, lock, seed) for _ in range(lanes)]
    # A session of its own is not interrupted with this process.
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        for lane in running:
            lane.start()
        for lane in running:
            # A signal that comes just before the wait does not end it.
            while lane.is_alive():
                lane.join(1)
    finally:
        for lane in running:
            lane.stop()
        signal.signal(signal.SIGTERM, before)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=str(ROOT / ".build/debug"), help="where the programs are")
    parser.add_argument("--minutes", type=float, default=5, help="of all trials together")
    parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")), help="the day's date by itself")
    parser.add_argument("--only", default="", help="trials by name")
    parser.add_argument("--list", action="store_true", help="name the trials")
    options = parser.parse_args()
    every = trials(Programs(options.bin))
    names = [name for name in options.only.split(",") if name]
    if unknown := set(names) - {trial.name for trial in every}:
        parser.error(f"no such trial: {', '.join(sorted(unknown))}")
    chosen = [trial for trial in every if trial.name in names or not names and options.minutes >= trial.least_minutes]
    if options.list:
        print("\n".join(f"{trial.name:12} {trial.what}" for trial in every))
        return 0
    KEPT.mkdir(parents=True, exist_ok=True)
    for build in dict.fromkeys(trial.build for trial in chosen if trial.build):
        subprocess.run(build, cwd=ROOT, check=True, stdout=sys.stderr)
    shared, alone = [trial for trial in chosen if not trial.alone], [trial for trial in chosen if trial.alone]
    lanes = max(1, min(os.cpu_count(), len(shared)))
    unit = options.minutes * 60 / (sum(trial.share for trial in shared) / lanes + sum(trial.share for trial in alone))
    begun = time.monotonic()
    run(shared, lanes, unit, options.seed)
    run(alone, 1, unit, options.seed)
    print(f"{machine()}; seed {options.seed}; {(time.monotonic() - begun) / 60:.1f} minutes")
    table(chosen, [trial for trial in every if trial not in chosen and not names])
    for trial in chosen:
        if trial.runs == 0:
            print(f"\nFAILED {trial.name}: it was not run")
        for failure in trial.failures:
            print(f"\nFAILED {trial.name}, seed {failure.seed}, status {failure.status}: {os.path.relpath(failure.output, ROOT)}")
            print(f"  {failure.again}")
            if failure.output.exists():
                last = failure.output.read_text(errors="replace").splitlines()[-15:]
                print("\n".join(f"  {line}" for line in last))
    return 1 if any(trial.failures or trial.runs == 0 for trial in chosen) else 0


if __name__ == "__main__":
    sys.exit(main())
