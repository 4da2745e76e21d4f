#!/usr/bin/env python3
"""A mail server for one test, on aiosmtpd: mail.py DIRECTORY [--tls | --starttls] [--login] [--answers STATUS,STATUS...].

Prints `ready PORT`; ends with its standard input. Each mail that it accepts becomes a file in DIRECTORY: a line of JSON with the
envelope, then the bytes. With --tls and --starttls it shows DIRECTORY/certificate.pem. With --login only the user kith with the
password "secret" may send. --answers are given to the first mails in place of its own, after their bytes have come.
"""
import argparse
import itertools
import json
import pathlib
import ssl
import sys

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult

parser = argparse.ArgumentParser()
parser.add_argument("directory", type=pathlib.Path)
parser.add_argument("--tls", action="store_true")
parser.add_argument("--starttls", action="store_true")
parser.add_argument("--login", action="store_true")
parser.add_argument("--answers", default="")
arguments = parser.parse_args()


class Box:
    answers = [int(status) for status in arguments.answers.split(",") if status]
    numbers = itertools.count()

    async def handle_DATA(self, server, session, envelope):
        if self.answers:
            status = self.answers.pop(0)
            return f"{status} no room for that now"
        head = json.dumps({"from": envelope.mail_from, "to": envelope.rcpt_tos, "encrypted": arguments.tls or session.ssl is not None})
        path = arguments.directory / f"mail-{next(self.numbers)}"
        path.write_bytes(head.encode() + b"\n" + envelope.original_content)
        return "250 kept"


def check(server, session, envelope, mechanism, data):
    # An answer that is not marked as handled leaves a client waiting: aiosmtpd says nothing by itself then.
    return AuthResult(success=(data.login, data.password) == (b"kith", b"secret"), handled=False)


def context():
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(arguments.directory / "certificate.pem", arguments.directory / "key.pem")
    return made


class Server(Controller):
    def factory(self):
        return SMTP(
            self.handler, hostname="mail.test", enable_SMTPUTF8=True, authenticator=check if arguments.login else None,
            auth_required=arguments.login, auth_require_tls=arguments.starttls,
            tls_context=context() if arguments.starttls else None, require_starttls=arguments.starttls)


def free_port():
    import socket
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


server = Server(Box(), hostname="127.0.0.1", port=free_port(), ssl_context=context() if arguments.tls else None)
server.start()
print(f"ready {server.port}", flush=True)
sys.stdin.read()
server.stop()
