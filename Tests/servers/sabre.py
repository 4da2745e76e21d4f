"""sabre/dav's CardDAV with its Digest plug-in on SQLite (php-sabre-dav, php-cli and php-sqlite3 of Debian). See starter.py for the
arguments.

Debian has version 1.8, whose address books have no sync-collection: every pass is a listing.
"""

import hashlib
import pathlib

import php
from starter import PASSWORD, Starter

EXAMPLES = pathlib.Path("/usr/share/doc/php-sabre-dav/examples")
LIBRARY = pathlib.Path("/usr/share/php/Sabre/autoload.php")
REALM = "kith"

# Its own example of an address book server, with another realm and database.
SITE = """\
<?php
date_default_timezone_set("UTC");
error_reporting(E_ALL & ~E_DEPRECATED);
set_error_handler(function ($code, $text, $file, $line) {{
  if (error_reporting() & $code) throw new ErrorException($text, 0, $code, $file, $line);
}});
require_once "Sabre/autoload.php";
$pdo = new PDO("sqlite:{database}");
$pdo->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION);
$pdo->exec("PRAGMA busy_timeout = 10000");
$principals = new Sabre\\DAVACL\\PrincipalBackend\\PDO($pdo);
$server = new Sabre\\DAV\\Server(array(
  new Sabre\\DAVACL\\PrincipalCollection($principals),
  new Sabre\\CardDAV\\AddressBookRoot($principals, new Sabre\\CardDAV\\Backend\\PDO($pdo)),
));
$server->setBaseUri("/");
$server->addPlugin(new Sabre\\DAV\\Auth\\Plugin(new Sabre\\DAV\\Auth\\Backend\\PDO($pdo), "{realm}"));
$server->addPlugin(new Sabre\\CardDAV\\Plugin());
$server->addPlugin(new Sabre\\DAVACL\\Plugin());
$server->exec();
"""

# The packages of 1.8 name their tables so.
SCHEMA = """\
PRAGMA journal_mode = WAL;
CREATE TABLE users (id INTEGER PRIMARY KEY, username TEXT UNIQUE, digesta1 TEXT);
CREATE TABLE principals (id INTEGER PRIMARY KEY, uri TEXT UNIQUE, email TEXT, displayname TEXT, vcardurl TEXT);
CREATE TABLE groupmembers (id INTEGER PRIMARY KEY, principal_id INTEGER, member_id INTEGER, UNIQUE (principal_id, member_id));
CREATE TABLE addressbooks (
  id INTEGER PRIMARY KEY, principaluri TEXT, displayname TEXT, uri TEXT, description TEXT, ctag INTEGER);
CREATE TABLE cards (id INTEGER PRIMARY KEY, addressbookid INTEGER, carddata BLOB, uri TEXT, lastmodified INTEGER);
"""

USER = """\
INSERT INTO users (username, digesta1) VALUES ('{name}', '{digest}');
INSERT INTO principals (uri, email, displayname) VALUES ('principals/{name}', '{name}@example.org', '{name}');
"""
CHANGE = """\
$pdo = new PDO("sqlite:" . $argv[1]);
$pdo->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION);
$pdo->exec("PRAGMA busy_timeout = 10000");
$pdo->exec(stream_get_contents(STDIN));
"""


def main():
    starter = Starter("php", LIBRARY)
    database = starter.folder("data") / "db.sqlite"

    def change(script):
        """By the user that the server is: what SQLite writes beside the database has to be that user's as well."""
        starter.run("php", "-r", CHANGE, database, text=script)

    def prepare():
        change(SCHEMA)

    def launch():
        php.serve(starter, starter.write("site.php", SITE.format(database=database, realm=REALM)), starter.directory)

    def make_user(name):
        digest = hashlib.md5(f"{name}:{REALM}:{PASSWORD}".encode()).hexdigest()
        change(USER.format(name=name, digest=digest))

    starter.serve(prepare, launch, make_user)


if __name__ == "__main__":
    main()
