#!/usr/bin/env python3
"""Cards for tests and measurements: from the generator of the test data where it is at hand, otherwise plain ones.

    cards.py COUNT FOLDER       one card a file
    cards.py COUNT FILE.vcf     all in one file
"""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("KITH_TEST_DATA", ROOT.parent / "shared" / "data"))
GENERATOR = DATA.parent / "tools" / "gen_vcards.py"


def plain(number):
    return (
        f"BEGIN:VCARD\r\nVERSION:3.0\r\nUID:card-{number}\r\nN:Family{number % 97};Given{number};;;\r\n"
        f"FN:Given{number} Family{number % 97}\r\nORG:Company {number % 31}\r\nTEL;TYPE=CELL:555-{number:05}\r\n"
        f"EMAIL;TYPE=HOME:person{number}@example.org\r\nADR;TYPE=HOME:;;{number} Long Street;Millport;;55101;USA\r\n"
        f"BDAY:19{number % 90 + 10}-04-12\r\nNOTE:山田 {number}\r\nEND:VCARD\r\n").encode()


def make(count, target):
    """Writes cards to a folder, or to one file when its name ends in .vcf. Says which kind they are."""
    target = pathlib.Path(target)
    single = target.suffix == ".vcf"
    if GENERATOR.exists():
        safe = ["--server-safe"] if os.environ.get("SERVER_SAFE") else []
        subprocess.run(
            [sys.executable, GENERATOR, "--count", str(count), *safe, "--single" if single else "--out", target], check=True,
            stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        return "mixed cards with photos"
    if single:
        target.write_bytes(b"".join(map(plain, range(count))))
    else:
        target.mkdir(parents=True, exist_ok=True)
        for number in range(count):
            (target / f"{number:05}.vcf").write_bytes(plain(number))
    return f"plain cards ({GENERATOR.name} of the test data is absent)"


if __name__ == "__main__":
    print(make(int(sys.argv[1]), sys.argv[2]))
