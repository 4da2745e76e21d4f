"""The picture of a code that a phone scans to join."""
import pytest
import qrcode
from qrcode.util import MODE_8BIT_BYTE, QRData

from keyed import tcp_hub


def printed_modules(lines):
    """The modules of a code in half blocks, dark ones true, without its quiet zone of four."""
    rows = []
    for line in lines:
        rows += [[cell in " ▄" for cell in line], [cell in " ▀" for cell in line]]
    size = len(lines[0])
    return [row[4:size - 4] for row in rows[4:size - 4]]


@pytest.mark.parametrize("host", ["k", "kith.home.arpa", "h" * 50 + ".home.arpa:8443", "h" * 60 + "." + "o" * 30 + ".home.arpa"])
def test_the_picture_is_the_code_of_its_address(host):
    """Against an encoder of another maker, under one of the eight masks."""
    with tcp_hub(f'[web]\nurl = "https://{host}"\n') as hub:
        shown = hub.local("web", "pair", "--name", "phone").splitlines()
        url = next(line.split()[1] for line in shown if line.startswith("Address"))
        modules = printed_modules([line for line in shown if line.startswith("█")])
        codes = []
        for mask in range(8):
            code = qrcode.QRCode(error_correction=qrcode.constants.ERROR_CORRECT_L, mask_pattern=mask, border=0)
            code.add_data(QRData(url.encode(), mode=MODE_8BIT_BYTE))
            code.make(fit=True)
            codes.append(code.get_matrix())
        assert modules in codes
