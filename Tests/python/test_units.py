"""The units of systemd that are shipped let the daemon do its work."""
import ctypes.util
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT
from servers import RADICALE, Reader, server
from trials import daemon

RESTRICTED = pathlib.Path(__file__).with_name("restricted.py")


@pytest.mark.skipif(ctypes.util.find_library("seccomp") is None, reason="libseccomp2 is not installed")
@pytest.mark.parametrize("unit", ["kithd.service", "kithd-user.service"])
def test_accounts_are_read_in_spite_of_what_a_unit_restricts(unit):
    text = (ROOT / "examples" / "systemd" / unit).read_text()
    (families,) = re.findall(r"^RestrictAddressFamilies=(.*)$", text, re.M)
    with daemon(under=[sys.executable, RESTRICTED, families]) as hub, server(RADICALE) as dav:
        dav.fill(3)
        Reader(hub, dav).completed(added=3)
        assert hub.end() == 0


@pytest.mark.parametrize("unit", sorted((ROOT / "examples" / "systemd").glob("*.service")), ids=lambda unit: unit.name)
def test_units_bound_the_memory_and_start_again(unit):
    text = unit.read_text()
    memory = "2G" if "worker" in unit.name else "128M" if "web" in unit.name else "64M" if "homeassistant" in unit.name else "512M"
    for line in (f"MemoryMax={memory}", "Restart=always", "LimitCORE=0",
                 "NoNewPrivileges=true", "UMask=0077", "SystemCallFilter=@system-service",
                 "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK"):
        assert f"\n{line}\n" in text


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
@pytest.mark.parametrize("name", ["kithd.service", "kithd-worker.service"])
def test_system_units_are_exposed_no_more_than_the_handbook_says(name):
    said = float(re.search(r"rates the system unit ([0-9.]+)", (ROOT / "docs" / "operations.md").read_text())[1])
    unit = ROOT / "examples" / "systemd" / name
    # In tenths.
    result = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", f"--threshold={round(said * 10)}", unit],
        capture_output=True, text=True)
    assert result.returncode == 0, result.stdout[-200:]
