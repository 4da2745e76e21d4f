"""kith, kithd and kith-report in one file, as they are installed: the name by which it is started says which one runs."""
import os
import pathlib
import subprocess

import pytest

from conftest import BINARIES


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bin")
    (folder / "kith").symlink_to(BINARIES / "kith-programs")
    for name in ("kithd", "kith-report"):
        (folder / name).symlink_to("kith")
    return folder


def run(program, *arguments, name=None, given=b""):
    return subprocess.run([name or str(program), *arguments], executable=str(program), input=given, capture_output=True, timeout=60)


@pytest.mark.parametrize("name", ["kith", "kithd"])
def test_each_name_is_the_program_of_that_name(installed, name):
    for spoken in (str(installed / name), name):
        told = run(installed / name, "--version", name=spoken)
        assert told.returncode == 0 and told.stdout.decode().startswith(f"{name} "), told
    assert run(installed / name, "--help").stdout == run(BINARIES / name, "--help").stdout


def test_another_name_is_kith(installed):
    (installed / "renamed").symlink_to("kith")
    assert run(installed / "renamed", "--version").stdout.startswith(b"kith ")


def test_the_report_is_typeset_as_by_the_program_alone(installed):
    # An empty message is a report without calls.
    assert run(installed / "kith-report").stdout.startswith(b"%PDF-")
    told = run(installed / "kith-report", given=b"\xff")
    assert told.returncode == 65 and told.stderr == run(BINARIES / "kith-report", given=b"\xff").stderr


def test_the_daemon_holds_no_fonts(installed):
    loaded = subprocess.run(["ldd", os.path.realpath(installed / "kithd")], capture_output=True, text=True, check=True).stdout
    assert "libzmq" in loaded
    assert not [line for line in loaded.splitlines() if "pango" in line or "cairo" in line or "gobject" in line]


def test_a_missing_pango_is_told_as_what_to_install(installed, tmp_path):
    """The library's name leads to a file that is none."""
    (tmp_path / "libpangocairo-1.0.so.0").write_bytes(b"no library")
    told = subprocess.run([str(installed / "kith-report")], input=b"", capture_output=True, timeout=60,
                          env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)})
    assert told.returncode == 69 and b"apt install libpangocairo-1.0-0" in told.stderr and not told.stdout
