"""The double of Monica: what tests may rely on, and that it answers as others that were held against a real server."""
import datetime
import http.client
import json
import re
import socket

import pytest

from monica_comparison import Comparison
from monica_corpus import corpus
from servers import SIMULATOR, SIMULATOR_PROGRAM, Monica

PERSON = {"first_name": "Ann", "is_birthdate_known": False, "is_deceased": False, "is_deceased_date_known": False}

needs_simulator = pytest.mark.skipif(
    not SIMULATOR_PROGRAM.exists(), reason=f"{SIMULATOR_PROGRAM} is absent: set KITH_MONICA_SIM")


@pytest.fixture
def double():
    """The double alone, with what only it has."""
    server = Monica("double", rate_limit=0, latency_ms=1)
    try:
        yield server.start()
    finally:
        server.remove()


# What tests may rely on, of either program.


def test_a_record_is_made_read_changed_and_deleted(monica):
    ann = monica.done("POST", "/contacts", {**PERSON, "last_name": " Lee ", "email": "ann@example.test"})
    assert (ann["id"], ann["complete_name"], ann["url"]) == (1, "Ann Lee", f"{monica.url}/api/contacts/1")
    fields = monica.done("GET", "/contacts/1?with=contactfields")["contactFields"]
    assert [(field["content"], field["contact_field_type"]["type"]) for field in fields] == [("ann@example.test", "email")]
    status, head, reply = monica.ask("POST", "/calls", {"contact_id": 1, "called_at": "2024-06-01T10:00:00+02:00"})
    assert status == 201 and head["Content-Type"] == "application/json" and reply["data"]["called_at"] == "2024-06-01T10:00:00Z"
    assert monica.ask("PUT", "/calls/1", {"called_at": "2024-06-02", "content": "talk"})[2]["data"]["content"] == "talk"
    assert monica.done("GET", "/contacts/1")["last_called"] == "2024-06-02T00:00:00.000000Z"
    assert monica.ask("DELETE", "/calls/1")[::2] == (200, {"deleted": True, "id": 1})
    assert monica.ask("GET", "/calls/1")[::2] == (
        404, {"error": {"message": "The resource has not been found", "error_code": 31}})
    assert monica.ask("DELETE", "/contacts/1")[2]["id"] == "1"
    assert [monica.ask("DELETE", f"/contacts/{number}")[0] for number in (1, 2)] == [404, 422]


def test_the_first_thing_that_does_not_fit_decides(monica):
    monica.config(rate_limit=2)
    nobody = {"Authorization": "Bearer wrong"}
    assert monica.ask("GET", "/nope", **nobody)[0] == 404
    assert monica.ask("DELETE", "/me", **nobody)[0] == 405
    assert [monica.ask("GET", "/contacts?sort=x", **nobody)[0] for _ in range(3)] == [401] * 3
    assert [monica.ask("GET", "/contacts/1?sort=x")[0] for _ in range(3)] == [400, 400, 429]
    assert monica.ask("GET", "/currencies")[0] == 200, "what is public is counted apart"


def test_the_rate_limit_is_a_fixed_window(monica):
    monica.config(rate_limit=3, rate_window=3600)
    heads = [monica.ask("GET", "/me")[1] for _ in range(3)]
    assert [head["X-RateLimit-Limit"] for head in heads] == ["3"] * 3
    assert [head["X-RateLimit-Remaining"] for head in heads] == ["2", "1", "0"]
    status, head, reply = monica.ask("GET", "/me", Accept="text/html")
    assert (status, reply["error"]["error_code"]) == (429, 34)
    assert 3590 <= int(head["Retry-After"]) <= 3600 and head["X-RateLimit-Reset"].isdecimal()
    monica.config(rate_limit=0)
    assert monica.ask("GET", "/me")[1]["X-RateLimit-Limit"] is None


def test_pages_and_their_order(monica):
    monica.config(contacts=120)
    monica.reset()
    seen = [monica.ask("GET", f"/contacts?limit=50&page={page}")[2] for page in (1, 2, 3, 4)]
    assert [len(page["data"]) for page in seen] == [50, 50, 18, 0], "two of them are archived"
    assert seen[1]["links"]["next"] == f"{monica.url}/api/contacts?page=3" and seen[3]["meta"]["from"] is None
    identifiers = [contact["id"] for page in seen for contact in page["data"]]
    assert identifiers == sorted(set(range(1, 121)) - {49, 99})
    assert len(monica.done("GET", "/contacts")) == 15
    assert [monica.ask("GET", f"/contacts?limit={limit}")[0] for limit in ("101", "abc")] == [400, 400]
    monica.mutate({"op": "update", "table": "contacts", "id": 40, "set": {"job": "x"}})
    assert monica.done("GET", "/contacts?sort=-updated_at&limit=1")[0]["id"] == 40
    assert monica.ask("GET", "/contacts?sort=called_at")[2] == {"error": {"message": "Invalid query", "error_code": 40}}


def test_the_seed_is_the_same_at_each_start(monica):
    monica.config(contacts=30)
    monica.reset()
    first = {table: monica.dump(table) for table in monica.state()["rows"]}
    monica.done("POST", "/contacts", PERSON)
    monica.reset()
    again = monica.dump("contacts")
    assert again == first["contacts"] and len(again) == 30
    counts = {table: len(rows) for table, rows in first.items()}
    assert (counts["calls"], counts["contact_fields"], counts["messages"], counts["tags"]) == (15, 45, 12, 4)


def test_a_search_loses_what_it_does_not_read(monica):
    monica.config(contacts=30)
    monica.reset()
    whole = monica.done("GET", "/contacts/4")
    assert whole["is_active"] and whole["information"]["career"]["job"] == "Engineer"
    name, uuid = whole["first_name"].lower(), whole["uuid"]
    found = monica.ask("GET", f"/contacts?query={name}")[2]
    hit = next(contact for contact in found["data"] if contact["id"] == 4)
    assert (hit["is_active"], hit["information"]["career"]["job"], hit["uuid"]) == (False, None, uuid)
    assert found["meta"]["query"] == name
    assert monica.done("GET", "/contacts?query=Phone:%2B1555")[0]["is_active"]
    assert monica.done("GET", "/contacts/4") == whole


def test_a_search_before_412_is_a_write(monica):
    monica.config(contacts=30, pre412=True)
    monica.reset()
    before = monica.done("GET", "/contacts/4")
    hits = monica.done("GET", "/contacts?query=" + before["first_name"])
    after = monica.done("GET", "/contacts/4")
    assert after["uuid"] == {hit["id"]: hit["uuid"] for hit in hits}[4] != before["uuid"]
    assert after["updated_at"] > before["updated_at"]
    assert monica.done("GET", "/contacts?query=Email:" + before["first_name"])[0]["uuid"]
    assert monica.done("GET", "/contacts/4") == after, "a search in fields leaves them alone"


def test_archived_partial_and_deleted_contacts(monica):
    for _ in range(4):
        monica.done("POST", "/contacts", PERSON)
    for contact in (1, 2, 3):
        monica.create("calls", contact_id=contact, called_at="2024-01-01T10:00:00Z")
    monica.mutate({"op": "archive", "id": 1}, {"op": "delete", "table": "contacts", "id": 2})
    monica.mutate({"op": "update", "table": "contacts", "id": 3, "set": {"is_partial": True}})
    assert [contact["id"] for contact in monica.done("GET", "/contacts")] == [4]
    assert [monica.ask("GET", f"/contacts/{number}")[0] for number in (1, 2, 3)] == [200, 404, 200]
    assert not monica.done("GET", "/contacts/1")["is_active"] and "url" not in monica.done("GET", "/contacts/3")
    calls = {call["id"]: call["contact"] and call["contact"]["id"] for call in monica.done("GET", "/calls")}
    assert calls == {1: 1, 2: None, 3: 3}
    change = {"called_at": "2024-02-02"}
    assert [monica.ask("PUT", f"/calls/{number}", change)[0] for number in (1, 2, 3)] == [422, 500, 200]
    assert monica.ask("POST", "/notes", {"contact_id": 1, "body": "still"})[0] == 201
    monica.mutate({"op": "purge", "table": "contacts", "id": 2}, {"op": "unarchive", "id": 1})
    assert [call["id"] for call in monica.done("GET", "/calls?sort=created_at")] == [3, 1]
    assert monica.ask("PUT", "/calls/1", change)[0] == 200


def test_some_errors_leave_half_a_record(monica):
    assert monica.ask("POST", "/contacts", {**PERSON, "is_birthdate_known": True})[0] == 422
    assert monica.ask("POST", "/calls", {"contact_id": 1, "called_at": "2024-01-01", "emotions": [999]})[0] == 404
    activity = {"summary": "s", "happened_at": "2024-01-01", "contacts": [{"id": 1}]}
    assert monica.ask("POST", "/activities", activity)[2] == {"message": "Illegal offset type"}
    left = {table: len(monica.dump(table)) for table in ("contacts", "calls", "activities")}
    assert left == {"contacts": 1, "calls": 1, "activities": 1} and monica.dump("activities")[0]["contacts"] == []


def test_a_relationship_has_two_sides(monica):
    for _ in range(2):
        monica.done("POST", "/contacts", PERSON)
    monica.done("POST", "/relationships", {"contact_is": 1, "of_contact": 2, "relationship_type_id": 8})
    family = [monica.done("GET", f"/contacts/{number}")["information"]["relationships"]["family"] for number in (1, 2)]
    assert [group["contacts"][0]["relationship"]["name"] for group in family] == ["parent", "child"]
    monica.mutate({"op": "update", "table": "contacts", "id": 2, "set": {"is_partial": True}})
    assert monica.ask("DELETE", "/relationships/2")[0] == 200 and monica.dump("relationships") == []
    assert monica.ask("GET", "/contacts/2")[0] == 200, "it was the partial one that was asked"


def test_a_queue_deletes_later(monica):
    monica.done("POST", "/contacts", PERSON)
    monica.config(queue="async")
    assert [monica.ask("DELETE", f"/contacts/{number}")[0] for number in (1, 9)] == [200, 200]
    assert monica.ask("GET", "/contacts/1")[0] == 200
    assert monica.run_queue() == ["1", {"id": "9", "failed": 422}]
    assert monica.ask("GET", "/contacts/1")[0] == 404


def test_the_clock_goes_ahead(monica):
    before = monica.state()["clock"]
    monica.mutate({"op": "advance_clock", "seconds": 86_400})
    made = monica.done("POST", "/contacts", PERSON)["created_at"]
    day = datetime.timedelta(days=1)
    assert datetime.datetime.fromisoformat(made) - datetime.datetime.fromisoformat(before) >= day


# Faults.


def outcome(monica, method="POST", body=None):
    """The status, or what is wrong with the answer."""
    try:
        return monica.ask(method, "/tags", body or {"name": "t"})[0]
    except http.client.IncompleteRead as cut:
        return f"{len(cut.partial)} bytes and {cut.expected} missing"
    except (http.client.RemoteDisconnected, ConnectionResetError):
        return "closed"
    except json.JSONDecodeError:
        return "no JSON"


@pytest.mark.parametrize(("fault", "seen", "written", "logged"), [
    ({"status": 500}, 500, 0, "500"),
    ({"status": 503, "retry_after": 7, "message": "soon"}, 503, 0, "503"),
    ({"status": 429, "retry_after": 1}, 429, 0, "429"),
    ({"status": 401}, 401, 0, "401"),
    ({"status": 404}, 404, 0, "404"),
    ({"status": 422}, 422, 0, "422"),
    ({"html": True}, 502, 0, "502"),
    ({"redirect": True}, 302, 0, "302"),
    ({"drop": True}, "closed", 0, "dropped"),
    ({"drop_after": True}, "closed", 1, "201 then dropped"),
    ({"truncate": True, "delay_ms": 1}, "bytes", 1, "201 truncated"),
    ({"bad_json": True}, "no JSON", 1, "201"),
    ({"status_after": 500}, 500, 1, "500"),
])  # fmt: skip
def test_a_fault(monica, fault, seen, written, logged):
    assert monica.faults({"match": {"method": "POST", "path": "^/api/tags"}, **fault}, always=[])["next"]
    assert outcome(monica, "GET") == 200
    met = outcome(monica)
    assert met == seen or seen == "bytes" and re.fullmatch(r"(\d+) bytes and \1 missing|(\d+) bytes and \d+ missing", met)
    assert len(monica.dump("tags")) == written
    assert monica.faults() == {"next": [], "always": []} and outcome(monica) == 201
    entries = monica.requests(path="^/api/tags$")["requests"]
    assert [str(entry["status"]) for entry in entries] == ["200", logged, "201"]
    assert [entry["fault"] for entry in entries] == [None, fault, None]


def test_fields_of_faults(monica):
    monica.faults({"status": 429, "retry_after": 4}, {"status": 429}, {"status": 503, "retry_after": 5})
    heads = [monica.ask("GET", "/me")[1] for _ in range(3)]
    assert [head["Retry-After"] for head in heads] == ["4", None, "5"]
    assert [head["X-RateLimit-Reset"] is not None for head in heads] == [True, False, False]
    monica.faults({"redirect": True})
    assert monica.ask("GET", "/me")[1]["Location"] == monica.url


def test_faults_wait_for_what_they_match(monica):
    twice = {"match": {"path": "page=2"}, "times": 2, "status": 500}
    monica.faults(twice, always=[{"match": {"method": "delete"}, "status": 503}])
    assert [monica.ask("GET", f"/tags?page={page}")[0] for page in (1, 2, 2, 2)] == [200, 500, 500, 200]
    assert [monica.ask("DELETE", "/tags/1")[0] for _ in range(2)] == [503, 503]
    monica.clear_faults()
    assert monica.ask("DELETE", "/tags/1")[0] == 404


def test_requests_are_written_down(monica):
    monica.ask("POST", "/tags?x=1", {"name": "t"}, **{"User-Agent": "kith/1"})
    monica.ask("GET", "/contacts/1", Authorization="")
    report = monica.requests()
    assert report["count"] == 2 and report["by"] == {"POST /api/tags": 1, "GET /api/contacts/1": 1}
    assert report["by_status"] == {"201": 1, "401": 1}
    first, second = report["requests"]
    assert (first["n"], first["query"], json.loads(first["body"]), first["auth"]) == (1, "x=1", {"name": "t"}, True)
    assert (first["user_agent"], first["accept"], second["auth"]) == ("kith/1", "application/json", False)
    assert monica.requests(since=1)["count"] == monica.requests(path="contacts")["count"] == 1
    assert monica.token not in json.dumps(report)
    monica.forget_requests()
    assert monica.requests()["count"] == 0


# What only the double has.


def test_photos(double):
    double.done("POST", "/contacts", PERSON)
    double.create("photos", contact_id=1, mime_type="image/jpeg", content="/9j/4AAQ")
    double.done("POST", "/photos", {"contact_id": 1, "data": "data:image/png;base64,iVBORw0KGgo="})
    first, second = double.done("GET", "/contacts/1/photos")
    assert (first["dataUrl"], first["filesize"], first["mime_type"]) == ("data:image/jpeg;base64,/9j/4AAQ", 6, "image/jpeg")
    assert (second["object"], second["filesize"], second["contact"]["id"]) == ("photo", 8, 1)
    assert [photo["id"] for photo in double.done("GET", "/photos")] == [1, 2]
    assert double.ask("GET", "/contacts/9/photos")[0] == 404
    double.done("PUT", "/contacts/1/avatar", {"source": "photo", "photo_id": 2})
    assert double.done("GET", "/contacts/1")["information"]["avatar"]["url"] == second["link"]
    assert double.ask("DELETE", "/photos/1")[2] == {"deleted": True, "id": 1}
    assert [double.ask("POST", "/photos", {"contact_id": 1, "data": data})[0] for data in ("x;base64,?", "")] == [422, 422]


def test_connections_stay_open(double):
    connection = http.client.HTTPConnection("127.0.0.1", double.port, timeout=60)
    head = {"Authorization": "Bearer secret", "Accept": "application/json"}
    for path in ("/api/me", "/api/nope", "/nowhere", "/__sim/state", "/__sim/nothing", "/api/me"):
        connection.request("GET", path, headers=head)
        reply = connection.getresponse()
        reply.read()
        kept = connection.sock
        assert kept is not None and reply.status == {"me": 200, "state": 200}.get(path.rpartition("/")[2], 404)
    connection.request("POST", "/api/tags", iter([b'{"name"', b': "t"}']), {**head, "Content-Type": "application/json"})
    assert connection.getresponse().status == 201, "a body in chunks"
    assert connection.sock is kept


@pytest.mark.parametrize("rest", [
    b"Content-Length: 13\r\n\r\n", b'Content-Length: 13\r\n\r\n{"name": ', b"Transfer-Encoding: chunked\r\n\r\n",
    b'Transfer-Encoding: chunked\r\n\r\nd\r\n{"name": "t"}\r\n', b'Transfer-Encoding: chunked\r\n\r\nd\r\n{"name": ',
    b'Transfer-Encoding: chunked\r\n\r\nd\r\n{"name": "t"}\r\n0\r\n',
], ids=["head", "half", "chunks", "no end", "half a chunk", "no last line"])  # fmt: skip
def test_half_a_request_is_none(double, rest):
    with socket.create_connection(("127.0.0.1", double.port), timeout=60) as connection:
        connection.sendall(
            b"POST /api/tags HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer secret\r\nContent-Type: application/json\r\n" + rest)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(100) == b""
    assert double.requests()["count"] == 0


def test_it_ends_with_its_input_and_starts_again(double):
    port, process = double.port, double.process
    process.stdin.close()
    assert process.wait(20) == 0
    double.process = None
    assert double.start().port == port and double.ask("GET", "/me")[0] == 200


def test_control_says_what_is_wrong(double):
    for path, body in (("mutate", {"op": "create", "table": "nothing"}), ("mutate", {}), ("config", [1]), ("mutate", b"{")):
        status, _, reply = double.exchange("POST", f"/__sim/{path}", body)
        assert status == 400 and reply["error"]
    assert double.mutate({"op": "delete", "table": "calls", "id": 1}) == [{"error": "no such row"}]


# That it answers as others do.


@needs_simulator
@pytest.mark.parametrize("settings", [
    {"contacts": 60},
    {"contacts": 130, "pre412": True, "default_limit": 7, "max_limit": 50},
    {"contacts": 60, "rate_limit": 1500, "rate_window": 3600},
], ids=["usual", "before 4.1.2", "limited"])  # fmt: skip
@pytest.mark.timeout(300)
def test_it_answers_as_the_simulator_does(double, settings):
    simulator = Monica(SIMULATOR, rate_limit=0)
    try:
        simulator.start()
        for server in (double, simulator):
            server.config(latency_ms=0, **settings)
            server.reset()
        comparison = Comparison(double, simulator)
        for request in corpus():
            comparison.send(*request)
        comparison.tables()
        comparison.log()
    finally:
        simulator.remove()
    assert not comparison.differences, "\n".join(comparison.differences[:10])
    expected = [429] if "rate_limit" in settings else [200, 201, 302, 400, 401, 404, 405, 422, 500]
    assert min(comparison.statuses[status] for status in expected) > 5, comparison.statuses
