"""Where a kithd is, and how to get in: on this machine by its directory of sockets, on another one by a key.

A place is a directory, or tcp://HOST or tcp://HOST:PORT. For the second, KITH_KEY names the file that `kith keys new` has made;
its "server" line is the hub's public key. Needs pyzmq and nothing else.
"""
import os
import socket

PORT = 7750  # of commands; events have the one after it


def endpoints(place):
    """The addresses of commands and of events."""
    if not place.startswith("tcp://"):
        directory = os.path.abspath(place)
        return f"ipc://{directory}/control.sock", f"ipc://{directory}/events.sock"
    host, _, port = place.removeprefix("tcp://").rpartition(":")
    if not port.isdigit():
        host, port = place.removeprefix("tcp://"), PORT
    return f"tcp://{host}:{port}", f"tcp://{host}:{int(port) + 1}"


def knock(endpoint):
    """Raises at once where no hub listens at an endpoint of this machine, which libzmq never tells.

    FileNotFoundError, ConnectionRefusedError: there is none. PermissionError: it belongs to another user.
    """
    if endpoint.startswith("ipc://"):
        with socket.socket(socket.AF_UNIX) as door:
            door.setblocking(False)
            try:
                door.connect(endpoint.removeprefix("ipc://"))
            except BlockingIOError:
                pass  # a hub that has many to let in


def prepare(socket, endpoint):
    """Gives a socket its key, where the endpoint needs one. To be called before it connects."""
    if not endpoint.startswith("tcp://"):
        return socket
    with open(os.environ["KITH_KEY"], encoding="ascii") as file:
        # Of two "server" lines the first is the key in use.
        keys = dict(reversed([line.split() for line in file if line.strip() and not line.startswith("#")]))
    socket.curve_publickey, socket.curve_secretkey = spelled(keys["public"]), spelled(keys["secret"])
    socket.curve_serverkey = spelled(keys["server"])
    return socket


def spelled(key):
    """A key as libzmq takes it: 40 characters of Z85, or the bytes of 64 hex digits."""
    return bytes.fromhex(key) if len(key) == 64 else key.encode()
