"""Cyrus IMAP's CardDAV (cyrus-imapd, cyrus-caldav, sasl2-bin of Debian). See starter.py for the arguments.

Cyrus makes the home of a user when the user's mailbox is made, which takes IMAP.
"""

import imaplib
import time

from starter import PASSWORD, WAIT, Starter, accepts, free_port

BINARIES = "/usr/lib/cyrus/bin"

SETTINGS = """\
configdirectory: {data}
proc_path: {data}/proc
mboxname_lockpath: {data}/lock
defaultpartition: default
partition-default: {spool}
cyrus_user: {user}
admins: admin
allowplaintext: yes
httpmodules: carddav
httpallowcompress: yes
conversations: no
virtdomains: off
servername: localhost
sasl_pwcheck_method: auxprop
sasl_auxprop_plugin: sasldb
sasl_sasldb_path: {data}/sasldb2
sasl_mech_list: PLAIN
syslog_prefix: kith-test
"""

SERVICES = """\
START {{ recover cmd="{binaries}/ctl_cyrusdb -C {settings} -r" }}
SERVICES {{
  http cmd="{binaries}/httpd -C {settings} -U 1000" listen="127.0.0.1:{port}" prefork=1 maxchild=20
  imap cmd="{binaries}/imapd -C {settings} -U 1000" listen="127.0.0.1:{imap}" prefork=1 maxchild=5
}}
EVENTS {{ }}
"""


def main():
    starter = Starter(f"{BINARIES}/httpd", f"{BINARIES}/master", "saslpasswd2")
    imap = free_port()
    data = starter.folder("data")
    settings = starter.directory / "imapd.conf"

    def add_password(name):
        starter.run("saslpasswd2", "-p", "-c", "-f", data / "sasldb2", "-u", "localhost", name, text=PASSWORD)

    def prepare():
        for name in ("db", "lock", "log", "msg", "proc", "ptclient", "quota", "sieve", "socket", "user"):
            starter.folder(f"data/{name}")
        starter.write("imapd.conf", SETTINGS.format(data=data, spool=starter.folder("spool"), user=starter.user))
        add_password("admin")

    def launch():
        services = SERVICES.format(binaries=BINARIES, settings=settings, port=starter.port, imap=imap)
        starter.launch(
            f"{BINARIES}/master", "-C", settings, "-M", starter.write("cyrus.conf", services), "-p", data / "master.pid",
            ready=lambda: accepts(starter.port))  # fmt: skip

    def session():
        """A connection that is greeted: Cyrus has been seen to leave one without a word."""
        end = time.monotonic() + WAIT
        while True:
            try:
                return imaplib.IMAP4("127.0.0.1", imap, timeout=5)
            except (OSError, imaplib.IMAP4.abort):
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)

    def make_user(name):
        add_password(name)
        with session() as mailboxes:
            mailboxes.login("admin", PASSWORD)
            status, answer = mailboxes.create(f"user/{name}")
            assert status == "OK", answer

    starter.serve(prepare, launch, make_user)


if __name__ == "__main__":
    main()
