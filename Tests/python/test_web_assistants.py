"""`POST /mcp` of kith-web: the tools of assistants over HTTP."""
import json

import pytest
from assistants import CLIENTS, META, VERSIONS, WRITING, by_sdk, message, tool
from web import Device, door, new_token

JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def front():
    with door() as made:
        yield made


def post(device, asked, **fields):
    data = asked if isinstance(asked, (bytes, str)) else json.dumps(asked)
    return device.ask("POST", "/mcp", data=data, headers={**JSON, **{name.replace("_", "-"): value for name, value in fields.items()}})


def routed(asked):
    """The fields that a message without a handshake has to have."""
    name = asked["params"].get("name")
    return {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": asked["method"], **({"Mcp_Name": name} if name else {})}


@pytest.mark.parametrize(("sdk", "mode"), CLIENTS)
def test_the_official_client_records_and_reads(front, sdk, mode):
    name = f"claude-{CLIENTS.index((sdk, mode))}"
    device = front.device(name, "recorder")
    told = by_sdk(sdk, mode, "http", front.url + "/mcp", device.token,
                  calls=[("care_log", {"category": "meal", "memo": name}), ("care_log", {"category": "dance"}), ("care_search", {"text": name})])
    assert told["version"] == VERSIONS[mode] and len(told["tools"]) == 17
    made, wrong, found = told["results"]
    assert made["structured"]["record"]["recorder"] == name
    assert wrong["error"] and wrong["text"].startswith("FIELD_INVALID: category: ")
    assert [entry["id"] for entry in found["structured"]["records"]] == [made["structured"]["record"]["id"]]
    assert name in {entry["recorder"] for entry in front.hub.reply("Care/List")["records"]}


def test_a_viewers_token_lists_no_tool_that_writes_and_the_hub_refuses_it_too(front):
    device = front.device("reader", "viewer")
    before = front.hub.seq("care")
    names = {each["name"] for each in post(device, message("tools/list")).json()["result"]["tools"]}
    assert len(names) == 10 and not names & WRITING
    for name in WRITING:
        result = post(device, tool(name, {"category": "meal"})).json()["result"]
        assert result["isError"] and result["content"][0]["text"].startswith("ROLE_NOT_ALLOWED: ")
    assert device.post("Care/Record", {"category": "meal"}).status_code == 403
    assert front.hub.seq("care") == before


def test_nobody_is_let_in_without_a_token_of_their_own(front):
    for device in (Device(front, None), Device(front, new_token())):
        answer = post(device, message("tools/list"))
        assert answer.status_code == 401 and answer.headers["WWW-Authenticate"].startswith("Bearer")
    device = front.device("lost")
    assert post(device, message("ping")).json() == {"jsonrpc": "2.0", "id": 1, "result": {}}
    front.hub.reply("Devices/Revoke", {"name": "lost"})
    answer = post(device, tool("care_list"))
    # The hub refuses what kith-web has not heard of yet.
    assert answer.status_code == 401 or answer.json()["result"]["isError"]
    # A browser's cookie is not a token of an assistant.
    token = front.device("browser").token
    answer = Device(front, None).ask("POST", "/mcp", data=json.dumps(message("ping")), headers={**JSON, "Cookie": f"kith-plain={token}.20000"})
    assert answer.status_code == 401


def test_a_page_of_another_site_is_refused(front):
    device = front.device("tab")
    for origin in ("https://evil.example", "null", front.url.replace("localhost", "evil.example")):
        assert post(device, message("ping"), Origin=origin).status_code == 403
    assert post(device, message("ping"), Origin=front.url).status_code == 200
    assert post(device, message("ping"), Host="evil.example").status_code == 421


def test_only_post_and_only_json(front):
    device = front.device("odd")
    for verb in ("GET", "DELETE", "PUT", "HEAD"):
        answer = device.ask(verb, "/mcp")
        assert answer.status_code == 405 and answer.headers["Allow"] == "POST"
    assert device.ask("POST", "/mcp", data="{}", headers={"Content-Type": "text/plain"}).status_code == 415
    assert post(device, b" " * ((1 << 20) + 1)).status_code == 413


def test_status_and_error_of_what_is_wrong(front):
    device = front.device("wrong")
    for asked, fields, status, code in [
            ("{", {}, 400, -32700), (b"\xff", {}, 400, -32700), ([message("ping")], {}, 400, -32600), ("1", {}, 400, -32600),
            (message("nothing"), {}, 200, -32601), (message("tools/list", {"_meta": META}), {}, 400, -32020),
            (message("nothing", {"_meta": META}), routed(message("nothing")), 404, -32601),
            (message("tools/list"), {"MCP_Protocol_Version": "1999-01-01"}, 400, -32022),
            (tool("nothing"), {}, 200, -32602)]:
        answer = post(device, asked, **fields)
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), asked
        assert answer.headers["Content-Type"] == "application/json" and answer.headers["Cache-Control"] == "no-store"
    told = post(device, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (told.status_code, told.content) == (202, b"")
    asked = message("tools/list", {"_meta": META})
    assert post(device, asked, **routed(asked)).json()["result"]["resultType"] == "complete"


def test_a_repeated_request_is_done_once(front):
    device = front.device("twice")
    asked = tool("care_log", {"category": "medication", "memo": "Aspirin", "request_key": "noon"})
    ids = {post(device, asked).json()["result"]["structuredContent"]["record"]["id"] for _ in range(3)}
    assert len(ids) == 1
    other = post(front.device("thrice"), asked).json()["result"]["structuredContent"]["record"]["id"]
    assert other not in ids, "keys of two assistants do not meet"


def test_while_the_hub_is_away_it_says_so():
    with door() as front:
        device = front.device("claude")
        assert "result" in post(device, message("tools/list")).json()
        front.hub.end()
        answer = post(device, tool("care_list"))
        assert answer.status_code == 503 or answer.json()["result"]["isError"]
        front.hub.start()


def test_a_request_that_is_sent_again_with_its_key_is_done_once(front):
    device = front.device("keyed", "recorder")
    asked = {"category": "meal", "memo": "Keyed"}

    def made(arguments, **fields):
        return post(device, tool("care_log", arguments), **fields).json()["result"]

    first = made(asked, Idempotency_Key="a1")["structuredContent"]["record"]["id"]
    assert made(asked, Idempotency_Key='"a1"')["structuredContent"]["record"]["id"] == first
    assert made(asked, Idempotency_Key="a2")["structuredContent"]["record"]["id"] != first, "another key is another meal, also in the same minute"
    # A client that sets one key for everything loses nothing in silence.
    assert made({**asked, "memo": "Other"}, Idempotency_Key="a1")["content"][0]["text"].startswith("IDEMPOTENCY_KEY_REUSED: ")
    named = made({**asked, "request_key": "own"}, Idempotency_Key="a1")["structuredContent"]["record"]["id"]
    assert named != first and made({**asked, "request_key": "own"})["structuredContent"]["record"]["id"] == named
    assert post(device, tool("care_log", asked), Idempotency_Key="a b").status_code == 400
