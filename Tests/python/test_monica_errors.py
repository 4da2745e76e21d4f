"""What people read when Monica cannot be used: the sentence, and the exit code of the command."""
import contextlib
import http.server
import json
import threading

import pytest

from monica_home import STRANGER, home
from servers import Monica
from trials import kith

DONE, FAILED, REFUSED = 0, 1, 4
AWAY = "Cannot connect. Check your internet and try again"
BAD_TOKEN = "This API token is invalid or expired"
EXPIRED = "Your session expired. Please log in again"
LIMITED = "Too many requests. Please wait a moment"
TROUBLE = "Monica is having trouble. Please try again"
SLOW = "Monica did not answer in time. Please try again"
NO_MONICA = "A web page answers at this address in place of Monica's API."
ELSEWHERE = "The server leads elsewhere"
GARBLED = "Monica's answer cannot be understood"


@pytest.fixture(scope="module")
def shared():
    """A household that is logged in, for tests that leave it so."""
    double = Monica("double", rate_limit=0, contacts=3)
    try:
        with home(double.start()) as household:
            household.settle()
            yield household
    finally:
        double.remove()


@pytest.fixture
def token_file(tmp_path):
    path = tmp_path / "token"
    path.touch(0o600)
    path.write_text("secret\n")
    return path


def outcome(hub, *arguments):
    """(exit code, all that was printed, with one space between words)"""
    run = kith(hub, *arguments)
    return run.returncode, " ".join((run.stdout + run.stderr).split())


@pytest.mark.parametrize("fault, sentence, status", [
    ({"drop": True}, AWAY, FAILED),
    ({"status": 401}, BAD_TOKEN, REFUSED),
    ({"status": 500}, TROUBLE, FAILED),
    ({"status": 503, "retry_after": 30}, TROUBLE, FAILED),
    ({"html": True}, TROUBLE, FAILED),
    ({"delay_ms": 10_500}, SLOW, FAILED),
    ({"bad_json": True}, NO_MONICA, FAILED),
    ({"truncate": True}, AWAY, FAILED),
    ({"redirect": True}, ELSEWHERE, FAILED),
    # Last: for a while the address is not asked any more.
    ({"status": 429}, LIMITED, FAILED),
    ({"status": 429, "retry_after": 30}, LIMITED, FAILED),
], ids=str)
def test_a_login_that_fails_says_why_and_changes_nothing(shared, token_file, fault, sentence, status):
    # Another name of the same server: an account of its own, with a limit of its own.
    endpoint = f"http://localhost:{shared.monica.port}"
    shared.monica.faults(always=[{**fault, "match": {"path": "/api/me"}}])
    try:
        code, text = outcome(shared.hub, "monica", "login", "--endpoint", endpoint, "--token-file", token_file)
    finally:
        shared.monica.clear_faults()
    assert sentence in text and code == status, text
    held = shared.hub.reply("Monica/Status")
    assert (held["state"], held["endpoint"]) == ("logged_in", shared.monica.url)
    shared.monica.forget_requests()
    # What was learned of a limit stays with the account that it is of.
    assert shared.passed()["failed"] == 0


def test_a_server_that_is_not_there(shared, token_file):
    code, text = outcome(shared.hub, "monica", "login", "--endpoint", "http://127.0.0.1:9", "--token-file", token_file)
    assert AWAY in text and code == FAILED


@pytest.mark.parametrize("endpoint, words", [
    ("http://monica.example.com", "must begin with https://"),
    ("ftp://monica.example.com", "must begin with https://"),
    ("https://ann:pw@monica.example.com", "leave user name and password out of the address"),
    ("https://monica.example.com/?a=b", "leave out what follows"),
    ("", "give the address of the server"),
])
def test_an_address_that_cannot_be_used(shared, token_file, endpoint, words):
    asked = shared.monica.requests()["count"]
    code, text = outcome(shared.hub, "monica", "login", "--endpoint", endpoint, "--token-file", token_file)
    assert words in text and code == FAILED, text
    assert shared.monica.requests()["count"] == asked


def test_a_token_that_is_none(shared, tmp_path):
    path = tmp_path / "token"
    path.touch(0o600)
    for content, words in (("", "it is empty"), ("two words", "is no API token"), ("x" * 9000, "is no API token")):
        path.write_text(content)
        code, text = outcome(shared.hub, "monica", "login", "--endpoint", shared.monica.url, "--token-file", path)
        assert words in text and code == FAILED, text
    path.write_text("secret")
    path.chmod(0o644)
    code, text = outcome(shared.hub, "monica", "login", "--endpoint", shared.monica.url, "--token-file", path)
    assert code == FAILED and str(path) in text, text


@pytest.mark.parametrize("fault, sentence", [
    ({"drop": True}, AWAY), ({"status": 500}, TROUBLE), ({"html": True}, TROUBLE), ({"bad_json": True}, GARBLED),
    ({"status": 429, "retry_after": 4}, LIMITED),
], ids=str)
def test_a_pass_that_fails_says_why(fault, sentence):
    double = Monica("double", rate_limit=0, contacts=3)
    try:
        with home(double.start()) as household:
            household.settle()
            double.faults(always=[{**fault, "match": {"path": "/api/"}}])
            code, text = outcome(household.hub, "monica", "sync")
            assert sentence in text and code == FAILED, text
            code, text = outcome(household.hub, "monica", "status")
            assert sentence in text and code == DONE, text
            # What is stored is served all the same.
            assert outcome(household.hub, "people", "list")[0] == DONE
    finally:
        double.remove()


def test_a_session_that_ends_and_what_comes_before_one(token_file):
    double = Monica("double", rate_limit=0, contacts=3)
    try:
        with home(double.start(), login=False) as household:
            code, text = outcome(household.hub, "monica", "sync")
            assert "Nobody is logged in to Monica. Run `kith monica login` first." in text and code == FAILED, text
            login = ("monica", "login", "--endpoint", double.url, "--token-file", token_file)
            assert outcome(household.hub, *login)[0] == DONE
            household.settle()
            double.config(token="another")
            for command in ("sync", "sync"):
                code, text = outcome(household.hub, "monica", command)
                assert EXPIRED in text and code == REFUSED, text
            code, text = outcome(household.hub, "monica", "status")
            assert EXPIRED in text and code == DONE, text
            code, text = outcome(household.hub, *login)
            assert BAD_TOKEN in text and code == REFUSED, text
            token_file.write_text("another")
            assert outcome(household.hub, *login)[0] == DONE
            assert outcome(household.hub, "monica", "sync")[0] == DONE
    finally:
        double.remove()


def test_a_change_that_is_refused_stops_alone(shared):
    ann = shared.person("Archived")["id"]
    shared.settle()
    (row,) = (each["id"] for each in shared.monica.dump("contacts") if each["first_name"] == "Archived")
    shared.monica.faults(always=[{"drop": True}])
    shared.log(ann, "to somebody who was archived meanwhile")
    other = shared.person("Lively")["id"]
    shared.log(other, "to somebody who is there")
    shared.monica.mutate({"op": "archive", "id": row})
    shared.monica.clear_faults()
    assert outcome(shared.hub, "monica", "sync")[0] == DONE
    (entry,) = shared.queue(state="failed")
    assert entry["error"]["reason"] == "PERSON_ARCHIVED" and entry["kind"] == "call"
    code, text = outcome(shared.hub, "monica", "queue", "--state", "failed")
    assert code == DONE and "The person is archived on the server" in text, text
    assert [call["syncState"] for call in shared.calls(personId=other)] == ["synced"]
    shared.monica.mutate({"op": "unarchive", "id": row})
    assert outcome(shared.hub, "monica", "retry")[0] == DONE
    shared.settle()
    assert shared.queue() == []


# Answers that no fault of the servers gives.


class Odd(http.server.BaseHTTPRequestHandler):
    """A server with one person, whose lists are odd."""

    protocol_version = "HTTP/1.1"
    lists = {}

    def do_GET(self):
        name = self.path.split("?")[0].removeprefix("/api/")
        body = {"data": {"id": 1, "object": "user", "first_name": "A", "last_name": "B", "email": "a@b.test"}}
        if name != "me":
            page = {"current_page": 1, "last_page": 1, "total": 0, "per_page": 100}
            body = self.lists.get(name, {"data": [], "meta": page})
        content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Says nothing."""


@contextlib.contextmanager
def odd_server(lists):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Odder", (Odd,), {"lists": lists}))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


PERSON = {**STRANGER, "id": 1, "object": "contact", "first_name": "Ann", "complete_name": "Ann", "is_partial": False,
          "created_at": "2024-01-01T00:00:00Z", "updated_at": "2024-01-01T00:00:00Z"}
PAGE = {"current_page": 1, "last_page": 1, "total": 1, "per_page": 100}


@pytest.mark.parametrize("answer, words", [
    ('{"data": [', "it is no JSON"),
    ("[]", "it is no JSON"),
    ({"data": [PERSON]}, "meta is missing"),
    ({"data": [PERSON], "links": {}, "meta": {"current_page": 1}}, "last_page is missing"),
    ({"meta": PAGE}, "data is missing"),
    ({"data": [{key: value for key, value in PERSON.items() if key != "id"}], "meta": PAGE}, "id is missing"),
    ({"data": "x", "meta": PAGE}, "data"),
], ids=["cut", "no object", "no meta", "no last page", "no data", "no id", "another kind"])
def test_an_answer_that_lacks_something_is_named_and_takes_nothing_away(token_file, answer, words):
    lists = {"contacts": {"data": [PERSON], "meta": PAGE}}
    with odd_server(lists) as url, home(None, login=False) as household:
        login = ("monica", "login", "--endpoint", url, "--token-file", token_file)
        assert outcome(household.hub, *login)[0] == DONE
        # Without "links", which nobody needs.
        assert outcome(household.hub, "monica", "sync")[0] == DONE
        assert outcome(household.hub, "people", "list")[1].count("Ann") == 1
        lists["contacts"] = answer
        code, text = outcome(household.hub, "monica", "sync")
        assert GARBLED in text and words in text and code == FAILED, text
        assert outcome(household.hub, "people", "list")[1].count("Ann") == 1
