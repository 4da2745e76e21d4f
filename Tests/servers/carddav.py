"""A CardDAV server for one test: carddav.py radicale|xandikos DIRECTORY [--port PORT] [--tls]. The version is the one that
the interpreter has.

Keeps its data in DIRECTORY, prints "ready PORT" when it accepts connections, writes a line that begins with "request" for
each request, and ends when its standard input does. Radicale knows the user alice with the password "secret". With --tls
Radicale shows DIRECTORY/certificate.pem, whose key is in DIRECTORY/key.pem, and Xandikos a certificate that it makes itself.
"""

import argparse
import os
import pathlib
import runpy
import socket
import sys
import threading
import time

RADICALE = """
[server]
hosts = 127.0.0.1:{port}
[auth]
type = htpasswd
htpasswd_filename = {directory}/users
htpasswd_encryption = plain
delay = 0
[rights]
type = owner_only
[storage]
filesystem_folder = {directory}/data
[web]
type = none
[logging]
level = warning
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def tell_when_ready(port):
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            break
        except OSError:
            time.sleep(0.02)
    print("ready", port, flush=True)


def end_with_input():
    while sys.stdin.buffer.read(4096):
        pass
    os._exit(0)


def log_request(method, path):
    print("request", method, path, flush=True)


def prepare_radicale(directory, port, tls):
    (directory / "users").write_text("alice:secret\n")
    settings = RADICALE.format(directory=directory, port=port)
    if tls:
        keys = f"ssl = True\ncertificate = {directory}/certificate.pem\nkey = {directory}/key.pem\n"
        settings = settings.replace("[auth]", keys + "[auth]")
    (directory / "conf").write_text(settings)

    import radicale.app

    handle = radicale.app.Application._handle_request

    def logged(self, environ, *arguments, **named):
        log_request(environ["REQUEST_METHOD"], environ.get("PATH_INFO"))
        return handle(self, environ, *arguments, **named)

    radicale.app.Application._handle_request = logged
    return ["radicale", "--config", str(directory / "conf")]


def prepare_xandikos(directory, port, tls):
    import xandikos.webdav

    handle = xandikos.webdav.WebDAVApp.aiohttp_handler

    async def logged(self, request, *arguments, **named):
        log_request(request.method, request.path)
        return await handle(self, request, *arguments, **named)

    xandikos.webdav.WebDAVApp.aiohttp_handler = logged
    # The versions before had one command, and kept nothing but data.
    newer = ["serve", "--state-dir", str(directory / "state")] if xandikos.__version__ >= (0, 3) else []
    return [
        "xandikos", *newer, "-d", str(directory / "data"), "--autocreate", "--defaults", "--current-user-principal", "/user/",
        "-l", "127.0.0.1", "-p", str(port), *(["--autocert"] if tls else []),
    ]  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=["radicale", "xandikos"])
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--port", type=int, help="a free one when none is given")
    parser.add_argument("--tls", action="store_true")
    arguments = parser.parse_args()
    name, port = arguments.name, arguments.port or free_port()
    prepare = {"radicale": prepare_radicale, "xandikos": prepare_xandikos}[name]
    sys.argv = prepare(arguments.directory, port, arguments.tls)
    threading.Thread(target=end_with_input, daemon=True).start()
    threading.Thread(target=tell_when_ready, args=(port,), daemon=True).start()
    runpy.run_module(name, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
