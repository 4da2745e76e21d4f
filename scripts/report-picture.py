#!/usr/bin/env python3
"""Makes the picture of the report for a doctor in docs/: a page of a real report, of an invented week (Tests/python/carer_week.py).

    scripts/report-picture.py             with the programs that `swift build` made
    scripts/report-picture.py --bin DIR   with the programs in DIR

It needs the packages faketime and poppler-utils of Debian, and is run by scripts/python.sh.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests" / "python"))
sys.dont_write_bytecode = True


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", type=pathlib.Path, default=ROOT / ".build" / "debug")
    os.environ["KITH_BIN_DIR"] = str(options.parse_args().bin)
    from carer_week import Week
    with Week() as week, tempfile.TemporaryDirectory() as folder:
        week.live()
        report = pathlib.Path(folder, "report.pdf")
        week.kith("care", "report", "--lang", "en", "-o", str(report), "--from", "2026-11-09", "--until", "2026-11-22")
        subprocess.run(["pdftoppm", "-f", "2", "-l", "2", "-r", "72", "-gray", "-png", "-singlefile", report, ROOT / "docs" / "report-en"], check=True)


if __name__ == "__main__":
    main()
