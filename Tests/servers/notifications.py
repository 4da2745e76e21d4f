#!/usr/bin/env python3
"""A desktop that shows notifications: org.freedesktop.Notifications on the bus of the session. Prints `ready 0`, then each
notification as a line of JSON. Ends with its standard input."""
import json
import sys
import threading

from jeepney import MessageType, new_method_return
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection


def serve():
    connection = open_dbus_connection(bus="SESSION")
    reply = connection.send_and_get_reply(message_bus.RequestName("org.freedesktop.Notifications"))
    assert reply.body[0] == 1, reply.body
    print("ready 0", flush=True)
    count = 0
    while True:
        message = connection.receive()
        if message.header.message_type is not MessageType.method_call:
            continue
        member = message.header.fields[3]
        if member == "Notify":
            count += 1
            application, _, _, title, text, *_ = message.body
            print(json.dumps({"application": application, "title": title, "text": text}), flush=True)
            connection.send(new_method_return(message, "u", (count,)))
        elif member == "GetServerInformation":
            connection.send(new_method_return(message, "ssss", ("test", "test", "1", "1.2")))
        elif member == "GetCapabilities":
            connection.send(new_method_return(message, "as", (["body"],)))


threading.Thread(target=serve, daemon=True).start()
sys.stdin.read()
