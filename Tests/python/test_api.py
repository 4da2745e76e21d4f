"""docs/api/openapi.json: a sound OpenAPI 3.1 page, that answers of a hub keep to, and that refuses what the hub refuses."""
import importlib
import itertools
import json
import re

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from conftest import ROOT
from messages import SERVICES, TYPES

PAGE = json.loads((ROOT / "docs" / "api" / "openapi.json").read_text())
SCHEMAS = PAGE["components"]["schemas"]
REGISTRY = Registry().with_resource("kith", Resource(contents=PAGE, specification=DRAFT202012))
DAY, MOMENT = "2026-01-31", "2026-01-31T14:05:00Z"


def faults(name, value):
    """What the schema of a name says against a value."""
    schema = {"$ref": f"kith#/components/schemas/{name}"}
    validator = Draft202012Validator(schema, registry=REGISTRY, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(value)]


def operation(method):
    item = PAGE["paths"].get(f"/kith.v1.{method}") or PAGE["webhooks"][f"kith.v1.{method}"]
    return item["post"]


def names(content):
    return content["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[1]


def request_name(method):
    return names(operation(method)["requestBody"])


def reply_name(method):
    return names(operation(method)["responses"]["200"])


def ask(hub, method, body=None):
    """Asks with a request that the page allows; the answer, which has to be one that the page describes."""
    assert faults(request_name(method), body or {}) == []
    reply = hub.reply(method, body)
    assert faults(reply_name(method), reply) == [], (method, reply)
    return reply


@pytest.fixture(scope="module")
def people(shared_hub):
    return [shared_hub.reply("People/Create", {"record": {"firstName": name}})["id"] for name in ("Ann", "Bob")]


def test_the_page_is_openapi():
    assert [error.message for error in OpenAPIV31SpecValidator(PAGE).iter_errors()] == []
    for schema in SCHEMAS.values():
        Draft202012Validator.check_schema(schema)


def test_each_method_and_each_message_is_there():
    assert len(PAGE["paths"]) + len(PAGE["webhooks"]) == len(SERVICES)
    for name, method in SERVICES.items():
        method_name = name.removeprefix("kith.v1.")
        assert request_name(method_name) == method.input_type.name
        assert reply_name(method_name) == method.output_type.name
        assert operation(method_name)["responses"]["default"] == {"$ref": "#/components/responses/Error"}
        is_mutating = operation(method_name)["x-kith-mutating"]
        assert ("parameters" in operation(method_name)) == is_mutating
    assert {name.removeprefix("kith.v1.") for name in TYPES} <= set(SCHEMAS)
    ids = [item["post"]["operationId"] for part in ("paths", "webhooks") for item in PAGE[part].values()]
    assert len(set(ids)) == len(ids)


def test_names_are_those_of_json():
    for name, message in TYPES.items():
        fields = {field.json_name for field in message.DESCRIPTOR.fields}
        assert set(SCHEMAS[name.removeprefix("kith.v1.")].get("properties", {})) == fields, name


def test_limits_are_those_of_proto():
    """Another way to the options than the generator's."""
    option = importlib.import_module("kith.v1.options_pb2").field
    requests = {method.input_type.name for name, method in SERVICES.items() if f"/{name}" in PAGE["paths"]}
    seen = 0
    # One field of those that share a `type` lists the choices.
    rules_of_all = [field.GetOptions().Extensions[option] for message in TYPES.values() for field in message.DESCRIPTOR.fields]
    named = {rules.type: list(rules.choices) for rules in rules_of_all if rules.type and rules.choices}
    record = importlib.import_module("kith.v1.options_pb2").record
    kinds = [message.DESCRIPTOR.GetOptions().Extensions[record].kind for message in TYPES.values()]
    named["RecordKind"] = [kind for kind in kinds if kind]
    for full_name, message in TYPES.items():
        name = full_name.removeprefix("kith.v1.")
        limited = f"{name}Input" if f"{name}Input" in SCHEMAS else name
        is_input = limited != name or name in requests
        for field in message.DESCRIPTOR.fields:
            rules = field.GetOptions().Extensions[option]
            of_client = SCHEMAS[limited]["properties"][field.json_name]
            of_hub = SCHEMAS[name]["properties"][field.json_name]
            if rules.read_only:
                assert of_client["readOnly"] and of_hub["readOnly"], (name, field.name)
            if field.type != field.TYPE_STRING or not is_input or rules.read_only:
                continue
            part = of_client["items"] if field.label == field.LABEL_REPEATED else of_client
            most = [limit for limit in (rules.max, rules.max_bytes) if limit]
            assert part.get("maxLength") == (min(most) if most else None), (name, field.name)
            words = [word for word in part.get("enum", []) if word]
            choices = named[rules.type] if rules.type else list(rules.choices)
            assert words == ([] if rules.loose else choices), (name, field.name)
            assert of_client.get("maxItems", 0) == rules.max_items, (name, field.name)
            assert limited == name or "maxLength" not in of_hub, (name, field.name)
            seen += bool(most)
    assert seen > 80


def test_a_schema_can_fail():
    """What would pass if nothing were checked."""
    assert faults("StatusReply", {"startedAt": 5}) and faults("Gift", {"monicaId": 7}) and faults("PingReply", [])
    assert faults("SyncStatus", {"state": "completed"}) and faults("CareRecord", {"state": "lost"})
    assert faults("AddSourceRequest", {"name": "home", "vdir": {"path": "/a"}, "vcf": {"path": "/b"}})


def test_answers_of_a_hub(shared_hub, people, tmp_path):
    hub = shared_hub
    (tmp_path / "ann.vcf").write_text(
        "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:1\r\nFN:Ann Lee\r\nN:Lee;Ann;;;\r\nTEL;TYPE=CELL:+81 90 1111 2222\r\n"
        "BDAY:--04-01\r\nEND:VCARD\r\n")
    ask(hub, "Contacts/AddSource", {"name": "api", "vdir": {"path": str(tmp_path)}})
    ask(hub, "Contacts/Sync", {"sources": ["api"]})
    contact = ask(hub, "Contacts/List", {"source": "api"})["contacts"][0]
    assert ask(hub, "Contacts/Get", {"id": contact["id"]})["contact"]["formattedName"] == "Ann Lee"
    assert ask(hub, "System/Status")["storage"]["integrity"] == "SOUND"
    gift = ask(hub, "Gifts/Create", {"record": {
        "personId": people[0], "name": "Tea", "status": "idea", "amount": "12", "date": DAY, "comment": "green"}})
    assert gift["syncState"] == "here" and gift["amount"] == "12.00"
    ask(hub, "Gifts/Update", {"record": {"id": gift["id"], "comment": "black"}, "ifUpdatedAt": gift["updatedAt"]})
    entry = ask(hub, "Care/Record", {"category": "meal", "memo": "rice"})["record"]
    assert (entry["category"], entry["state"]) == ("meal", "written")
    ask(hub, "Care/List", {})
    reminder = ask(hub, "Reminders/AddCall", {"personId": people[0], "inDays": 3, "note": "ask"})
    assert reminder["state"] == "waiting"
    ask(hub, "Reminders/SetDaily", {"enabled": True, "time": "20:30"})
    ask(hub, "Reminders/Status")
    ask(hub, "Calls/Log", {"record": {"personId": people[0], "emotion": "happy", "tags": ["family"]}})
    ask(hub, "Calls/Stats", {})
    ask(hub, "Conversations/Create", {"record": {
        "personId": people[0], "channel": "email", "happenedAt": MOMENT, "messages": [{"content": "hello"}]}})
    ask(hub, "People/Get", {"id": people[0]})
    ask(hub, "System/Hello", {"clientName": "test"})
    ask(hub, "System/Services")
    ask(hub, "System/Replay", {"stream": "people", "epoch": ask(hub, "System/Status")["heads"][0]["epoch"]})
    ask(hub, "Monica/Status")
    ask(hub, "Monica/Queue", {"state": "pending"})
    ask(hub, "Jobs/List")
    ask(hub, "Keys/List")
    ask(hub, "Channels/List")
    ask(hub, "Contacts/RemoveSource", {"name": "api"})


def test_headers_and_errors(shared_hub):
    header, body, _ = shared_hub.ask("Contacts/Get", {"id": "nobody"})
    assert body == {} and faults("ReplyHeader", header) == []
    assert header["status"]["reason"] == "RECORD_UNKNOWN" and faults("Status", header["status"]) == []
    assert names(PAGE["components"]["responses"]["Error"]) == "Error"
    header, _, _ = shared_hub.ask("Gifts/Create", {"record": {"name": "n"}})
    assert faults("Status", header["status"]) == [] and header["status"]["code"] in SCHEMAS["Code"]["enum"]


# Of each kind the method that makes one, and what it needs. {0} and {1} are people.
MAKING = {
    "Person": ("People/Create", {"firstName": "Carl"}),
    "ContactField": ("People/AddField", {"personId": "{0}", "type": "phone", "data": "1"}),
    "PersonAddress": ("People/AddAddress", {"personId": "{0}", "city": "Oslo"}),
    "PersonReminder": ("People/AddReminder", {
        "personId": "{0}", "title": "t", "initialDate": DAY, "frequency": "month", "every": 1}),
    "Note": ("Notes/Create", {"personId": "{0}", "body": "b"}),
    "TaskItem": ("Tasks/Create", {"personId": "{0}", "title": "t"}),
    "Activity": ("Activities/Create", {"personId": "{0}", "summary": "s", "happenedOn": DAY}),
    "Gift": ("Gifts/Create", {"personId": "{0}", "name": "n", "status": "idea"}),
    "Tag": ("Tags/Create", {"name": "n"}),
    "Relationship": ("Relationships/Create", {"personId": "{0}", "otherId": "{1}", "type": "friend"}),
    "Call": ("Calls/Log", {"personId": "{0}"}),
    "Conversation": ("Conversations/Create", {"personId": "{0}", "channel": "email", "happenedAt": MOMENT}),
}
# Requests whose limits are their own: what they need, and the fields that are no text of this request.
OTHERS = {
    "Care/Record": {"category": "meal"},
    "Reminders/AddCall": {"personId": "{0}", "inDays": 1},
    "Care/Configure": {"settings": {}},
    "Calls/SaveTemplate": {"template": {"name": "weekly"}},
    "Reminders/SetDaily": {"enabled": True, "time": "20:30"},
    "Calls/Quick": {"personId": "{0}"},
    "Conversations/AddMessage": {"conversationId": "{conversation}", "message": {"content": "c"}},
}
NUMBERS = itertools.count(1)
KINDS = {name for name, schema in SCHEMAS.items() if "x-kith-kind" in schema and not name.endswith("Input")}


def filled(value, names):
    if isinstance(value, dict):
        return {key: filled(part, names) for key, part in value.items()}
    if isinstance(value, list):
        return [filled(part, names) for part in value]
    return re.sub(r"\{(\w+)\}", lambda match: names[match[1]], value) if isinstance(value, str) else value


def resolved(schema):
    return SCHEMAS[schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema


def limits(schema, path=()):
    """(path, kind, limit) of each field with a greatest length, number or count, inside of messages too."""
    for name, field in resolved(schema).get("properties", {}).items():
        if field.get("readOnly"):
            continue
        items = resolved(field.get("items", {}))
        if "maxItems" in field:
            yield (*path, name), "items", field["maxItems"]
        for kind, part in (("text", field), ("texts", items)):
            if "maxLength" in part:
                yield (*path, name), kind, part["maxLength"]
        if field.get("type") == "integer" and field["maximum"] < 2**32 - 1:
            yield (*path, name), "number", field["maximum"]
        if "$ref" in field and "properties" in resolved(field):
            yield from limits(field, (*path, name))


def value(kind, count):
    if kind == "number":
        return count
    if kind == "items":
        return [f"n{number}" for number in range(count)]
    # Another one each time: a client id is used once.
    text = str(next(NUMBERS)).zfill(count)
    return [text] if kind == "texts" else text


def put(body, path, changed):
    body = json.loads(json.dumps(body))
    part = body
    for name in path[:-1]:
        part = part.setdefault(name, {})
    part[path[-1]] = changed
    return body


# What is not a text of any sort: it has a form, or names something that has to exist.
FORMED = {("record", "latitude"), ("record", "longitude"), ("record", "participants"), ("record", "attachments"),
          ("settings", "timeZone"), ("settings", "language")}


def cases():
    for kind, (method, record) in MAKING.items():
        yield method, {"record": record}
    yield from OTHERS.items()


@pytest.mark.parametrize("method, needed", list(cases()), ids=lambda value: value if isinstance(value, str) else "")
def test_page_and_hub_refuse_the_same(shared_hub, people, method, needed):
    """Each field with a limit: what is at the limit is taken by both, what is one above it by neither."""
    names = {str(index): person for index, person in enumerate(people)}
    if "{conversation}" in json.dumps(needed):
        names["conversation"] = shared_hub.reply("Conversations/Create", {"record": {
            "personId": people[0], "channel": "email", "happenedAt": MOMENT}})["id"]
    body, request = filled(needed, names), request_name(method)
    assert faults(request, body) == []
    tried = 0
    for path, kind, limit in limits(SCHEMAS[request]):
        if path in FORMED:
            continue
        for excess in (0, 1):
            changed = put(body, path, value(kind, limit + excess))
            header, _, _ = shared_hub.ask(method, changed)
            refused = header.get("status", {}).get("reason", "")
            assert refused == ("FIELD_INVALID" if excess else ""), (path, kind, limit + excess, header)
            assert bool(faults(request, changed)) == bool(excess), (path, kind, limit + excess)
        tried += 1
    assert tried


@pytest.mark.parametrize("kind", sorted(MAKING))
def test_choices_and_what_has_to_be_given(shared_hub, people, kind):
    method, needed = MAKING[kind]
    record = filled(needed, {"0": people[0], "1": people[1]})
    request = request_name(method)
    made = SCHEMAS[request]["properties"]["record"]
    for name in made["required"]:
        body = {"record": {key: part for key, part in record.items() if key != name}}
        assert shared_hub.ask(method, body)[0]["status"]["code"] == "INVALID_ARGUMENT", name
        assert faults(request, body), name
    for name, field in resolved(made)["properties"].items():
        if "enum" not in field:
            continue
        for choice in field["enum"]:
            body = {"record": {**record, name: choice}}
            assert bool(faults(request, body)) == ("status" in shared_hub.ask(method, body)[0]), (name, choice)
        body = {"record": {**record, name: "other"}}
        assert shared_hub.error(method, body) == ("INVALID_ARGUMENT", "FIELD_INVALID") and faults(request, body)


def test_a_relationship_needs_both_people(shared_hub, people):
    header, _, _ = shared_hub.ask("Relationships/Create", {"record": {"otherId": people[1], "type": "friend"}})
    status = header["status"]
    assert (status["code"], status["reason"]) == ("INVALID_ARGUMENT", "FIELD_INVALID")
    assert list(status["details"]) == ["person_id"]
    known = shared_hub.reply("Relationships/List", {"personId": people[1]}).get("relationships", [])
    assert all(relationship["otherId"] != people[1] for relationship in known)


def test_all_kinds_are_tried():
    assert KINDS == set(MAKING)
