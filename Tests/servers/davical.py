"""DAViCal's CardDAV on PostgreSQL (davical, php-cli, php-pgsql, php-xml and postgresql of Debian). See starter.py for the arguments.

DAViCal reads /etc/davical only, so that the starter shows it another one there.
"""

import pathlib

import php
from postgres import BINARIES, Cluster
from starter import PASSWORD, Starter

SITE = pathlib.Path("/usr/share/davical")
AWL = pathlib.Path("/usr/share/awl/dba")

SETTINGS = """\
<?php
$c->pg_connect[] = "host={socket} port={port} dbname=davical user=postgres";
$c->domain_name = "localhost";
$c->default_locale = "en";
"""

# What the web server of a site does: /.well-known is DAViCal's, and other paths name its scripts.
ROUTER = """\
<?php
$path = parse_url($_SERVER["REQUEST_URI"], PHP_URL_PATH);
$path = str_starts_with($path, "/caldav.php") ? substr($path, strlen("/caldav.php")) : $path;
$_SERVER["PATH_INFO"] = rawurldecode($path);
$_SERVER["SCRIPT_NAME"] = $_SERVER["PHP_SELF"] = "/caldav.php";
$_SERVER["SCRIPT_FILENAME"] = "{site}/htdocs/caldav.php";
chdir("{site}/htdocs");
require "caldav.php";
"""

# As DAViCal's page for a new user does: a person, who may do everything with what is theirs.
USER = """\
INSERT INTO usr (active, email_ok, username, password, fullname, email)
  VALUES (true, now(), '{name}', '**{password}', '{name}', '{name}@example.org');
INSERT INTO principal (type_id, user_no, displayname, default_privileges)
  SELECT 1, user_no, fullname, privilege_to_bits(ARRAY['read-free-busy', 'schedule-deliver']) FROM usr WHERE username = '{name}';
"""


def main():
    starter = Starter("php", BINARIES / "initdb", SITE / "dba/davical.sql")
    database = Cluster(starter)

    def build():
        database.ask("CREATE ROLE davical_dba SUPERUSER; CREATE ROLE davical_app; CREATE DATABASE davical OWNER davical_dba")
        for script in (AWL / "awl-tables.sql", AWL / "schema-management.sql", SITE / "dba/davical.sql"):
            database.load(script, "davical")
        starter.run(
            SITE / "dba/update-davical-database", "--dbname", "davical", "--dbuser", "postgres", "--dbhost", starter.directory,
            "--dbport", database.port, "--appuser", "davical_app", "--owner", "davical_dba", "--nopatch",
            **database.environment)  # fmt: skip
        database.load(SITE / "dba/base-data.sql", "davical")

    def launch():
        database.launch()
        if starter.first:
            build()
        starter.write("settings/config.php", SETTINGS.format(socket=starter.directory, port=database.port))
        php.serve(starter, starter.write("router.php", ROUTER.format(site=SITE)), SITE / "htdocs")

    def make_user(name):
        database.ask(USER.format(name=name, password=PASSWORD), "davical")

    starter.cover("/etc/davical", starter.folder("settings"))
    starter.serve(database.prepare, launch, make_user)


if __name__ == "__main__":
    main()
