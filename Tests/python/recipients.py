"""Servers that messages and mails go to."""
import contextlib
import http.client
import json
import subprocess
import sys

from servers import PROGRAMS, Server


class MessageServer(Server):
    """ntfy, LINE and a webhook in one, which note every byte."""

    def __init__(self):
        super().__init__("kith-messages-")

    def start(self):
        return self.launch([sys.executable, PROGRAMS / "messages.py"])

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def answer(self, *answers):
        self._ask("POST", "/control/answers", json.dumps(answers))

    def release(self):
        """Lets what is held go on."""
        self._ask("POST", "/control/release", "")

    @property
    def seen(self):
        return self._ask("GET", "/control/seen")["seen"]

    @property
    def accepted(self):
        return self._ask("GET", "/control/seen")["accepted"]

    def _ask(self, method, path, body=None):
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
            connection.request(method, path, body)
            return json.loads(connection.getresponse().read())


class MailServer(Server):
    """aiosmtpd with a certificate that only `certificate` vouches for."""

    def __init__(self, *arguments):
        super().__init__("kith-mail-")
        self.arguments = arguments

    @property
    def certificate(self):
        return self.directory / "certificate.pem"

    def start(self):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
             "-subj", "/CN=mail.test", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", self.directory / "key.pem",
             "-out", self.certificate], check=True, capture_output=True)
        return self.launch([sys.executable, PROGRAMS / "mail.py", self.directory, *self.arguments])

    @property
    def mails(self):
        """(envelope, bytes) of each mail that was accepted."""
        files = sorted(self.directory.glob("mail-*"))
        return [(json.loads(head), content) for head, content in (file.read_bytes().split(b"\n", 1) for file in files)]
