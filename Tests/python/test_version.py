"""The version: one number everywhere, with the state of the sources that a build is of."""
import os
import re
import shutil
import subprocess

import pytest

import workers
from conftest import BINARIES, ROOT

RELEASE, = re.findall(r'release = "(.*)"', (ROOT / "Sources" / "Bus" / "SoftwareVersion.swift").read_text())


def said_by(program, *arguments):
    return subprocess.run([BINARIES / program, *arguments], capture_output=True, text=True, check=True, timeout=60).stdout


def test_everybody_tells_the_same_version():
    command = said_by("kith", "--version")
    version = command.split()[1]
    build = os.environ.get("KITH_BUILD", "")
    assert re.fullmatch(rf"{re.escape(RELEASE)}(\+[0-9a-z.]+)?", version), command
    # The scripts say what the build was given.
    assert "KITH_BUILD" not in os.environ or version == RELEASE + ("+" + build if build else "")
    assert said_by("kithd", "--version") == f"kithd {version}\n"
    home = workers.Home()
    try:
        home.start()
        assert home.reply("System/Hello")["software"] == f"kithd {version}"
        assert home.reply("System/Status")["version"] == version
        worker = home.worker()
        try:
            home.with_workers("one")
            seen, = home.reply("System/Status")["work"]["workers"]
            assert seen["software"] == f"kithd {version}"
        finally:
            worker.end()
        assert home.end() == 0
    finally:
        home.remove()


@pytest.fixture
def sources(tmp_path):
    """Sources as an archive has them: the file with the release, and the script."""
    tree = tmp_path / "kith"
    (tree / "scripts").mkdir(parents=True)
    (tree / "Sources" / "Bus").mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "version.sh", tree / "scripts")
    (tree / "Sources" / "Bus" / "SoftwareVersion.swift").write_text('  static let release = "1.2.3"\n')
    return tree


def git(tree, *arguments):
    line = ["git", "-C", tree, "-c", "user.name=Ann", "-c", "user.email=ann@example.org", *arguments]
    return subprocess.run(line, capture_output=True, text=True, check=True, timeout=60).stdout.strip()


def build_of(tree):
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": ""}
    run = subprocess.run([tree / "scripts" / "version.sh"], capture_output=True, text=True, env=environment, timeout=60)
    assert (run.returncode, run.stderr) == (0, ""), run
    return run.stdout.strip()


def test_the_state_of_the_sources(sources):
    git(sources, "init", "-q")
    git(sources, "add", ".")
    git(sources, "commit", "-qm", "one")
    first = git(sources, "rev-parse", "--short=7", "HEAD")
    assert build_of(sources) == f"0.g{first}"
    # A release of another number is none of this one.
    git(sources, "tag", "v1.2.2")
    (sources / "Sources" / "less").write_text("")
    git(sources, "add", ".")
    git(sources, "commit", "-qm", "since the number was written")
    first = git(sources, "rev-parse", "--short=7", "HEAD")
    # Packages of later commits have a higher number.
    assert build_of(sources) == f"1.g{first}"
    git(sources, "tag", "v1.2.3")
    assert build_of(sources) == ""
    (sources / "Sources" / "more").write_text("")
    git(sources, "add", ".")
    assert build_of(sources) == f"0.g{first}.dirty"
    git(sources, "commit", "-qm", "two")
    second = git(sources, "rev-parse", "--short=7", "HEAD")
    assert build_of(sources) == f"1.g{second}"
    clone = sources.parent / "clone"
    git(sources, "clone", "-q", "--no-tags", "--depth=1", f"file://{sources}", clone)
    assert build_of(clone) == f"g{second}"


def test_an_archive_has_the_number_of_its_release(sources):
    assert build_of(sources) == ""
    # Also within a repository that is not ours.
    git(sources.parent, "init", "-q")
    (sources.parent / "other").write_text("")
    git(sources.parent, "add", "other")
    git(sources.parent, "commit", "-qm", "theirs")
    assert build_of(sources) == ""
