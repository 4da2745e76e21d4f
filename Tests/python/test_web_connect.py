"""A client that somebody else's generator made: connect-python, from proto/ alone."""
import importlib
import pathlib
import subprocess
import sys

import pytest
from connectrpc.code import Code
from connectrpc.errors import ConnectError

from conftest import ROOT, stopped
from web import door, new_token


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """The packages that protoc and the plug-in of connect-python make."""
    place = tmp_path_factory.mktemp("generated")
    plugin = pathlib.Path(sys.executable).with_name("protoc-gen-connect-python")
    subprocess.run(
        ["protoc", "-I", ROOT / "proto", f"--plugin=protoc-gen-connect-python={plugin}", f"--python_out={place}",
         f"--connect-python_out={place}", *(ROOT / "proto" / "kith" / "v1").glob("*.proto")], check=True, timeout=60)
    sys.path.insert(0, str(place))
    yield lambda name: importlib.import_module(f"kith.v1.{name}")
    sys.path.remove(str(place))


@pytest.fixture(scope="module")
def front():
    with door() as front:
        yield front


class Client:
    """The services of the hub as the generated code has them. Bodies are not compressed: kith-web takes none that are."""

    def __init__(self, front, generated, token, json):
        self.headers = {"Authorization": f"Bearer {token}"}
        self.system = generated("system_connect").SystemClientSync(front.url, proto_json=json, send_compression=None)
        self.care = generated("care_connect").CareClientSync(front.url, proto_json=json, send_compression=None)
        self.messages = generated("care_pb2")
        self.whoami = generated("system_pb2").WhoamiRequest


@pytest.fixture(scope="module", params=[False, True], ids=["protobuf", "json"])
def client(front, generated, request):
    return Client(front, generated, front.device("ann-json" if request.param else "ann-protobuf").token, request.param)


def test_a_device_asks_who_it_is(client):
    told = client.system.whoami(client.whoami(), headers=client.headers)
    assert told.name.startswith("ann-") and told.role == "recorder"


def test_what_is_recorded_once_is_listed(front, client):
    memo = f"お粥 {client.headers['Authorization'][-8:]}" + " and much more" * 100
    request = client.messages.RecordCareRequest(category="meal", memo=memo)
    keyed = {**client.headers, "Idempotency-Key": new_token()}
    first = client.care.record(request, headers=keyed)
    again = client.care.record(request, headers=keyed)
    assert first.record.id and first == again
    listed = client.care.list(client.messages.ListCareRequest(limit=50), headers=client.headers)
    assert [entry.id for entry in listed.records if entry.memo == memo] == [first.record.id]
    assert front.hub.reply("Care/Get", {"id": first.record.id})["record"]["memo"] == memo


def test_an_error_has_its_code_and_the_status_of_the_hub(front, generated, client):
    with pytest.raises(ConnectError) as caught:
        client.care.get(client.messages.GetCareRequest(id="unknown"), headers=client.headers)
    assert caught.value.code == Code.NOT_FOUND and caught.value.message
    [detail] = caught.value.details
    status = generated("wire_pb2").Status()
    assert detail.Unpack(status) and status.message == caught.value.message and status.reason
    with pytest.raises(ConnectError) as caught:
        client.care.list(client.messages.ListCareRequest(), headers={"Authorization": f"Bearer {new_token()}"})
    assert caught.value.code == Code.UNAUTHENTICATED
    with pytest.raises(ConnectError) as caught:
        client.care.record(client.messages.RecordCareRequest(category="no such thing"), headers=client.headers)
    assert caught.value.code == Code.INVALID_ARGUMENT


def test_a_command_that_takes_too_long_ends_in_time(front, client):
    request = client.messages.ListCareRequest()
    with stopped(front.hub.process):
        with pytest.raises(ConnectError) as caught:
            client.care.list(request, headers=client.headers, timeout_ms=300)
        assert caught.value.code == Code.DEADLINE_EXCEEDED
    client.care.list(request, headers=client.headers, timeout_ms=30_000)
