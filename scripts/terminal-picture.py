#!/usr/bin/env python3
"""Makes docs/terminal.svg, the picture of the README, from a real run: a hub on a temporary folder of 4,000 cards, a sync that is half
done, and `kith watch` in a second terminal when the sync has ended.

    scripts/terminal-picture.py             with the programs that `swift build` made
    scripts/terminal-picture.py --bin DIR   with the programs in DIR
"""
import argparse
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


class Terminal:
    """A command at a terminal of 80 columns, and the screen that it draws: carriage returns, erased lines, colours."""

    def __init__(self, command, environment):
        self.far, near = pty.openpty()
        fcntl.ioctl(self.far, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
        self.process = subprocess.Popen(
            ["bash", "-c", command], stdin=near, stdout=near, stderr=near, env=environment, start_new_session=True)
        os.close(near)
        # Cells are pairs of a character and the code of its colour.
        self.screen, self.column, self.colour = [[(letter, "") for letter in f"$ {command}"], []], 0, ""

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
                row[self.column:self.column + 1] = [(part, self.colour)]
                self.column += 1

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
        for start in [0, *(at for at in range(1, len(row)) if row[at][1] != row[at - 1][1])]:
            colour = row[start][1]
            letters = ""
            for letter, its in row[start:]:
                if its != colour:
                    break
                letters += letter
            if set(letters) <= set(BLOCKS):
                out += [
                    f'<rect x="{MARGIN + (start + at) * CELL:.2f}" y="{BAR + number * LINE + 2}" width="{CELL - 1:.2f}" '
                    f'height="{LINE - 6}" fill="{COLOURS[colour]}" opacity="{BLOCKS[letter]}"/>' for at, letter in enumerate(letters)]
                continue
            # Each run says how wide it is, so that columns stand below each other in every font.
            runs.append(
                f'<tspan x="{MARGIN + start * CELL:.2f}" textLength="{len(letters) * CELL:.2f}" '
                f'fill="{COLOURS[colour]}">{html.escape(letters)}</tspan>')
        out.append(f'<text y="{BAR + (number + 1) * LINE - 5}" xml:space="preserve">{"".join(runs)}</text>')
    return [*out, "</g>"], height


def picture(windows):
    out, top = [], 0
    for title, rows in windows:
        lines, height = window(title, rows, top)
        out += lines
        top += height + 12
    width = COLUMNS * CELL + 2 * MARGIN
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 {width + 2:.0f} {top - 10:.0f}" width="{width + 2:.0f}" '
        'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14" role="img" '
        'aria-label="kith contacts sync with its progress, and kith watch beside it">',
        "<!-- Made by scripts/terminal-picture.py. -->", *out, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, help="folder of kithd and kith")
    programs = parser.parse_args().bin or pathlib.Path(
        subprocess.run(["swift", "build", "--show-bin-path"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip())
    with tempfile.TemporaryDirectory(prefix="kith-picture-") as work:
        cards = pathlib.Path(work, "contacts")
        cards.mkdir()
        for number in range(CARDS):
            (cards / f"{number:05}.vcf").write_bytes(plain(number))
        environment = {
            "HOME": work, "PATH": f"{programs.resolve()}:/usr/bin:/bin", "TERM": "xterm-256color", "LC_ALL": "C.UTF-8",
            "KITH_STATE_DIR": f"{work}/state", "KITH_RUNTIME_DIR": f"{work}/run"}
        with open(f"{work}/log", "wb") as log:
            hub = subprocess.Popen(["kithd"], env=environment, stderr=log, stdout=log, start_new_session=True)
        try:
            end = time.monotonic() + 30
            while subprocess.run(["kith", "ping"], env=environment, capture_output=True).returncode:
                if time.monotonic() > end:
                    sys.exit(pathlib.Path(work, "log").read_text())
                time.sleep(0.1)
            added = Terminal("kith contacts source add household --vdir ~/contacts", environment).end()
            watch = Terminal("kith watch sync contacts", environment)
            watch.until(lambda text: "idle" in text, "the present state")
            sync = Terminal("kith contacts sync", environment)
            half = sync.until(
                lambda text: re.search(r"\b([4-8][0-9])%", text.rsplit("\n", 1)[-1]), "a sync that is half done")
            sync.end()
            watch.until(lambda text: f"{CARDS} added" in text or f"{CARDS:,} added" in text, "the end of the sync")
            watch.process.terminate()
            watch.process.wait(30)
            (ROOT / "docs" / "terminal.svg").write_text(picture([
                ("kith contacts sync, half done", added[:-1] + half),
                ("kith watch, in another terminal, when the sync has ended", watch.screen)]))
            print(sync.text(), watch.text(), sep="\n")
        finally:
            hub.terminate()
            hub.wait(30)


if __name__ == "__main__":
    main()
