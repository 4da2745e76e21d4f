#!/usr/bin/env python3
"""Makes the pictures of terminals in docs/ from real runs.

docs/terminal.svg is that of the README: a hub on a temporary folder of 4,000 cards, a sync that is half done, and `kith watch` in a second
terminal when the sync has ended. docs/terminal-NAME-LANGUAGE.svg are the screens that a carer sees most, of a hub with a small household.

    scripts/terminal-picture.py             with the programs that `swift build` made
    scripts/terminal-picture.py --bin DIR   with the programs in DIR
"""
import argparse
import contextlib
import fcntl
import html
import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests" / "python"))
sys.dont_write_bytecode = True
from cards import plain  # noqa: E402

COLUMNS, CARDS = 80, 4000
# Colours of a dark terminal; the window has its own background, so that it is readable on light and dark pages.
COLOURS = {"": "#e6edf3", "1": "#ffffff", "2": "#8b949e", "31": "#ff7b72", "32": "#3fb950", "33": "#d29922"}
CELL, LINE, MARGIN, BAR = 8.43, 19, 14, 30
# The cells of a progress bar are drawn, because fonts draw them differently.
BLOCKS = {"█": "1", "░": "0.25"}


def cells(letter, colour):
    """The cells of a letter: the second one of a wide letter is empty."""
    return [(letter, colour)] + [("", colour)] * (unicodedata.east_asian_width(letter) in "WF")


class Terminal:
    """A command at a terminal of 80 columns, and the screen that it draws: carriage returns, erased lines, colours."""

    def __init__(self, command, environment):
        self.far, near = pty.openpty()
        fcntl.ioctl(self.far, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
        self.process = subprocess.Popen(
            ["bash", "-c", command], stdin=near, stdout=near, stderr=near, env=environment, start_new_session=True)
        os.close(near)
        # Cells are pairs of a character and the code of its colour.
        self.screen, self.column, self.colour = [[cell for letter in f"$ {command}" for cell in cells(letter, "")], []], 0, ""

    def read(self, seconds=0.05):
        """Draws what has come. False at the end."""
        if not select.select([self.far], [], [], seconds)[0]:
            return True
        try:
            self.draw(os.read(self.far, 65536).decode(errors="replace"))
            return True
        except OSError:
            return False

    def draw(self, text):
        for part in re.findall(r"\x1b\[[0-9;]*[A-Za-z]|[^\x1b]", text):
            row = self.screen[-1]
            if part == "\n":
                self.screen.append([])
            elif part == "\r":
                self.column = 0
            elif part.endswith("K") and len(part) > 1:
                del row[self.column:]
            elif part.endswith("m") and len(part) > 1:
                self.colour = part[2:-1].removeprefix("0")
            elif part.isprintable():
                drawn = cells(part, self.colour)
                row[self.column:self.column + len(drawn)] = drawn
                self.column += len(drawn)

    def until(self, condition, what, seconds=60):
        end = time.monotonic() + seconds
        while not condition(self.text()):
            if not self.read() or time.monotonic() > end:
                sys.exit(f"{what} did not show up:\n{self.text()}")
        return [list(row) for row in self.screen]

    def end(self):
        while self.read(1):
            pass
        if self.process.wait(60):
            sys.exit(f"failed:\n{self.text()}")
        return self.screen

    def text(self):
        return "\n".join("".join(letter for letter, _ in row) for row in self.screen)


def window(title, rows, top):
    """One terminal as SVG, and the height that it takes."""
    rows = [row for row in rows if row]
    width, height = COLUMNS * CELL + 2 * MARGIN, BAR + len(rows) * LINE + MARGIN
    out = [
        f'<g transform="translate(0 {top})">',
        f'<rect width="{width:.0f}" height="{height}" rx="8" fill="#0d1117" stroke="#6e7681"/>',
        f'<text x="{width / 2:.0f}" y="20" text-anchor="middle" fill="#8b949e">{html.escape(title)}</text>',
    ]
    for number, row in enumerate(rows):
        runs = []
        # A run has one colour, and letters of one width, so that columns stand below each other.
        kinds = [(colour, not letter or not row[at + 1:at + 2] or not row[at + 1][0]) for at, (letter, colour) in enumerate(row)]
        starts = [0, *(at for at in range(1, len(row)) if kinds[at] != kinds[at - 1])]
        for start, end in zip(starts, [*starts[1:], len(row)]):
            colour = row[start][1]
            letters = "".join(letter for letter, _ in row[start:end])
            if set(letters) <= set(BLOCKS):
                out += [
                    f'<rect x="{MARGIN + (start + at) * CELL:.2f}" y="{BAR + number * LINE + 2}" width="{CELL - 1:.2f}" '
                    f'height="{LINE - 6}" fill="{COLOURS[colour]}" opacity="{BLOCKS[letter]}"/>' for at, letter in enumerate(letters)]
                continue
            # Each run says how wide it is, so that columns stand below each other in every font.
            runs.append(
                f'<tspan x="{MARGIN + start * CELL:.2f}" textLength="{(end - start) * CELL:.2f}" '
                f'fill="{COLOURS[colour]}">{html.escape(letters)}</tspan>')
        out.append(f'<text y="{BAR + (number + 1) * LINE - 5}" xml:space="preserve">{"".join(runs)}</text>')
    return [*out, "</g>"], height


def picture(windows, label):
    out, top = [], 0
    for title, rows in windows:
        lines, height = window(title, rows, top)
        out += lines
        top += height + 12
    width = COLUMNS * CELL + 2 * MARGIN
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 {width + 2:.0f} {top - 10:.0f}" width="{width + 2:.0f}" '
        'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14" role="img" '
        f'aria-label="{html.escape(label)}">',
        "<!-- Made by scripts/terminal-picture.py. -->", *out, "</svg>", ""])


@contextlib.contextmanager
def hub(programs, work, locale="C.UTF-8"):
    """The environment of commands, while a hub runs."""
    environment = {
        "HOME": work, "PATH": f"{programs.resolve()}:/usr/bin:/bin", "TERM": "xterm-256color", "LANG": locale, "KITH_PAGER": "cat",
        "KITH_STATE_DIR": f"{work}/state", "KITH_RUNTIME_DIR": f"{work}/run"}
    with open(f"{work}/log", "wb") as log:
        process = subprocess.Popen(["kithd"], env=environment, stderr=log, stdout=log, start_new_session=True)
    try:
        end = time.monotonic() + 30
        while subprocess.run(["kith", "ping"], env=environment, capture_output=True).returncode:
            if time.monotonic() > end:
                sys.exit(pathlib.Path(work, "log").read_text())
            time.sleep(0.1)
        yield environment
    finally:
        process.terminate()
        process.wait(30)


def sync(programs):
    """The picture of the README."""
    with tempfile.TemporaryDirectory(prefix="kith-picture-") as work:
        cards = pathlib.Path(work, "contacts")
        cards.mkdir()
        for number in range(CARDS):
            (cards / f"{number:05}.vcf").write_bytes(plain(number))
        with hub(programs, work) as environment:
            added = Terminal("kith contacts source add household --vdir ~/contacts", environment).end()
            watch = Terminal("kith watch sync contacts", environment)
            watch.until(lambda text: "idle" in text, "the present state")
            reading = Terminal("kith contacts sync", environment)
            half = reading.until(
                lambda text: re.search(r"\b([4-8][0-9])%", text.rsplit("\n", 1)[-1]), "a sync that is half done")
            reading.end()
            watch.until(lambda text: f"{CARDS} added" in text or f"{CARDS:,} added" in text, "the end of the sync")
            watch.process.terminate()
            watch.process.wait(30)
            (ROOT / "docs" / "terminal.svg").write_text(picture([
                ("kith contacts sync, half done", added[:-1] + half),
                ("kith watch, in another terminal, when the sync has ended", watch.screen)],
                "kith contacts sync with its progress, and kith watch beside it"))


# What is recorded before a picture is taken, and the commands of each picture with its name.
HOUSEHOLDS = {
    "en": (
        ["kith care settings --recipient 'Hanako Sato' --language en", "kith people add Ann --last-name Lee --birthday 1980-12-17 --tag family",
         "kith people add Bob --last-name Lee --birthday 1952-12-03", "kith relation add ann parent bob",
         "kith people field add ann phone '+44 20 5550 0123'", "kith call log ann --at 'yesterday 9:00' --duration 25 --emotion happy "
         "--note 'She wants to plant tulips in the spring'", "kith call log bob --at '3 days ago' --duration 8 --emotion sad --note 'His knee hurts again'",
         "kith note add ann 'Waters the plants when we travel'", "kith remind daily 8pm"],
        {"calls": ["kith call list", "kith call stats"], "person": ["kith people show ann"], "birthdays": ["kith birthdays", "kith who lee"]}),
    "ja": (
        ["kith care settings --recipient 佐藤花子 --language ja", "kith people add 太郎 --last-name 山田 --birthday 1980-12-17 --tag 家族",
         "kith care record 服薬 朝食のあとに薬を二錠飲んだ --at 今日0:10", "kith care record 食事 おかゆを半分、みそ汁を全部、お茶を二杯 --at 昨日12:30",
         "kith call log 太郎 --at 昨日9時 --duration 25 --emotion うれしい --note 春にチューリップを植えたいそうです", "kith backup ~/kith.db"],
        {"care": ["kith care record 食事 おかゆを半分、みそ汁を全部、お茶を二杯飲んだ", "kith care list"], "summary": ["kith care summary"],
         "doctor": ["kith doctor"]}),
}


def screens(programs, language):
    """The screens that a carer sees most."""
    recorded, pictures = HOUSEHOLDS[language]
    with tempfile.TemporaryDirectory(prefix="k", dir="/tmp") as work, \
            hub(programs, work, {"en": "C.UTF-8", "ja": "ja_JP.UTF-8"}[language]) as environment:
        for command in recorded:
            subprocess.run(["bash", "-c", command], env=environment, check=True, capture_output=True)
        for name, commands in pictures.items():
            rows = [row for command in commands for row in [*Terminal(command, environment).end(), [(" ", "")]]]
            (ROOT / "docs" / f"terminal-{name}-{language}.svg").write_text(picture([("kith", rows[:-1])], ", ".join(commands)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, help="folder of kithd and kith")
    programs = parser.parse_args().bin or pathlib.Path(
        subprocess.run(["swift", "build", "--show-bin-path"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip())
    for language in HOUSEHOLDS:
        screens(programs, language)
    sync(programs)


if __name__ == "__main__":
    main()
