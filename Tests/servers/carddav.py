"""A CardDAV server for one test: carddav.py radicale|xandikos DIRECTORY [--port PORT] [--tls] [--digest]. The version is the one
that the interpreter has.

Keeps its data in DIRECTORY, prints "ready PORT" when it accepts connections, writes a line that begins with "request" for
each request, and ends when its standard input does. Radicale knows the user alice with the password "secret"; a line "user NAME"
on the standard input makes another with that password, which such a line on the standard output confirms. With --tls Radicale shows
DIRECTORY/certificate.pem, whose key is in DIRECTORY/key.pem, and Xandikos a certificate that it makes itself. With --digest
Radicale is reached as sabre/dav 4.7 is with its Digest plug-in.
"""

import argparse
import os
import pathlib
import runpy
import sys
import threading
import time

from digest import behind_digest
from starter import PASSWORD, accepts, free_port

RADICALE = """
[server]
hosts = 127.0.0.1:{port}
[auth]
type = {login}
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


def tell_when_ready(port):
    while not accepts(port):
        time.sleep(0.02)
    print("ready", port, flush=True)


def make_users(directory):
    """Until the standard input ends, and the server with it."""
    for line in sys.stdin:
        with open(directory / "users", "a") as users:
            users.write(f"{line.split()[1]}:{PASSWORD}\n")
        print(line.strip(), flush=True)
    os._exit(0)


def log_request(method, path):
    print("request", method, path, flush=True)


def prepare_radicale(directory, port, tls, digest):
    if not (directory / "users").exists():
        (directory / "users").write_text(f"alice:{PASSWORD}\n")
    settings = RADICALE.format(directory=directory, port=port, login="remote_user" if digest else "htpasswd")
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
    if digest:
        radicale.app.Application.__call__ = behind_digest(radicale.app.Application.__call__)
    return ["radicale", "--config", str(directory / "conf")]


def prepare_xandikos(directory, port, tls, _):
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
    parser.add_argument("--digest", action="store_true")
    arguments = parser.parse_args()
    name, port = arguments.name, arguments.port or free_port()
    prepare = {"radicale": prepare_radicale, "xandikos": prepare_xandikos}[name]
    sys.argv = prepare(arguments.directory, port, arguments.tls, arguments.digest)
    threading.Thread(target=make_users, args=(arguments.directory,), daemon=True).start()
    threading.Thread(target=tell_when_ready, args=(port,), daemon=True).start()
    runpy.run_module(name, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
