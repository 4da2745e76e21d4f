"""SOGo's CardDAV on PostgreSQL (sogo and postgresql of Debian). See starter.py for the arguments.

SOGo reads /etc/sogo/sogo.conf only, so that the starter shows it another one there.
"""

from postgres import BINARIES, Cluster
from starter import PASSWORD, Starter, accepts

USERS = "CREATE TABLE users (c_uid TEXT PRIMARY KEY, c_name TEXT, c_password TEXT, c_cn TEXT, mail TEXT);"
TABLES = ("profiles", "folders", "sessions", "alarms", "store", "acl", "cache", "admin", "users")
SETTINGS = """\
{{
  SOGoProfileURL = "{profiles}";
  OCSFolderInfoURL = "{folders}";
  OCSSessionsFolderURL = "{sessions}";
  OCSEMailAlarmsFolderURL = "{alarms}";
  OCSStoreURL = "{store}";
  OCSAclURL = "{acl}";
  OCSCacheFolderURL = "{cache}";
  OCSAdminURL = "{admin}";
  SOGoUserSources = (
    {{ type = sql; id = users; viewURL = "{users}"; canAuthenticate = YES; isAddressBook = NO; userPasswordAlgorithm = none; }}
  );
  SOGoMemcachedHost = "{memory}";
  SOGoTimeZone = UTC;
  SOGoLanguage = English;
}}
"""


def main():
    starter = Starter("sogod", "memcached", BINARIES / "initdb")
    database = Cluster(starter)
    memory = starter.directory / "memcached"

    def table(name):
        return f"postgresql://postgres@127.0.0.1:{database.port}/sogo/{name}"

    def launch():
        database.launch()
        if starter.first:
            database.ask("CREATE DATABASE sogo")
            database.ask(USERS, "sogo")
        # One that was left behind accepts nobody.
        memory.unlink(missing_ok=True)
        starter.launch("memcached", "-s", memory, ready=memory.exists)
        settings = SETTINGS.format(memory=memory, **{name: table(name) for name in TABLES})
        starter.write("settings/sogo.conf", settings)
        starter.launch(
            "sogod", "-WOPort", f"127.0.0.1:{starter.port}", "-WOWorkersCount", "1", "-WONoDetach", "YES", "-WOLogFile", "-",
            "-WOPidFile", starter.directory / "sogo.pid", ready=lambda: accepts(starter.port))  # fmt: skip

    def make_user(name):
        database.ask(f"INSERT INTO users VALUES ('{name}', '{name}', '{PASSWORD}', '{name}', '{name}@example.org')", "sogo")

    starter.cover("/etc/sogo", starter.folder("settings"))
    starter.serve(database.prepare, launch, make_user)


if __name__ == "__main__":
    main()
