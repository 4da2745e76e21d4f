"""The units of systemd that are shipped let the daemon do its work."""
import ctypes.util
import pathlib
import re
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
