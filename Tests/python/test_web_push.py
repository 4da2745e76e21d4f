"""Reminders on a browser: what its push service is sent, by the rules of RFC 8030 and RFC 8292, and when that ends."""
import base64
import json
import secrets
import time

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

from channels import add, header, settled, try_out
from conftest import CONFIGURATION, Hub
from recipients import MessageServer
from web import door


@pytest.fixture(scope="module")
def service():
    server = MessageServer()
    try:
        yield server.start()
    finally:
        server.remove()


@pytest.fixture(scope="module")
def front():
    hub = Hub()
    (hub.directory / "config.toml").write_text(CONFIGURATION + '[channels]\npush = ["127.0.0.1"]\n')
    try:
        with door(hub=hub.start()) as front:
            yield front
    finally:
        hub.remove()


class Browser:
    """A subscription, as `PushManager.subscribe` makes one."""

    def __init__(self, service, name):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.path = f"/send/{name}"
        secret = self.key.private_bytes(
            serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        self.message = {"endpoint": f"{service.url}{self.path}", "key": base64.b64encode(secret).decode()}

    def claims(self, request):
        """What a message says of its sender, after its signature was verified by this subscription's key."""
        scheme, token, key = header(request, "Authorization").replace(",", "").split()
        point = self.key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        assert scheme == "vapid" and token.startswith("t=") and decoded(key.removeprefix("k=")) == point
        signed, signature = token.removeprefix("t=").rsplit(".", 1)
        raw = decoded(signature)
        numbers = (int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        self.key.public_key().verify(utils.encode_dss_signature(*numbers), signed.encode(), ec.ECDSA(hashes.SHA256()))
        head, claims = (json.loads(decoded(part)) for part in signed.split("."))
        assert head == {"typ": "JWT", "alg": "ES256"}
        return claims


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def test_a_push_service_gets_an_empty_message_signed_for_it(front, service):
    phone = front.device("hanako")
    browser = Browser(service, "hanako")
    channel = phone.reply("Channels/Subscribe", browser.message)
    assert channel["name"] == "push-hanako" and "key" not in json.dumps(channel)
    assert phone.reply("Reminders/SetDaily", {"enabled": True, "time": "21:00"})["delivery"] == "push-hanako"
    assert try_out(front.hub, "push-hanako")["state"] == "delivered"
    request = next(request for request in service.seen if browser.path in request["line"])
    assert request["line"] == f"POST {browser.path} HTTP/1.1" and request["body"] == ""
    assert (header(request, "TTL"), header(request, "Urgency")) == ("86400", "high")
    claims = browser.claims(request)
    assert claims["aud"] == service.url and claims["sub"].startswith("mailto:") and 0 < claims["exp"] - time.time() < 24 * 3600


def test_a_summary_is_not_sent_where_its_text_cannot_go(front, service):
    phone = front.device("reader")
    phone.reply("Channels/Subscribe", Browser(service, "reader").message)
    answer = phone.post("Care/Share", {"channels": ["push-reader"]})
    assert answer.status_code == 400 and "channels" in answer.text
    assert "push-reader" not in phone.ask("GET", "/summary").text


def test_one_device_has_one_channel_which_its_newest_subscription_takes(front, service):
    phone = front.device("taro")
    first, second = Browser(service, "first"), Browser(service, "second")
    for browser in (first, second):
        phone.reply("Channels/Subscribe", browser.message)
    channels = [channel for channel in front.hub.reply("Channels/List")["channels"] if channel.get("push", {}).get("device") == "taro"]
    assert [channel["push"]["endpoint"] for channel in channels] == [f"{service.url}/send/second"]
    assert try_out(front.hub, "push-taro")["state"] == "delivered"
    request, = [request for request in service.seen if second.path in request["line"]]
    assert second.claims(request)["aud"] == service.url


def test_a_device_removes_no_channel_of_somebody_else(front, service):
    add(front.hub, "push-kenji", "ntfy", address=service.url, topic="care")
    phone = front.device("kenji")
    assert phone.post("Channels/Unsubscribe").status_code == 404
    assert phone.post("Channels/Subscribe", Browser(service, "kenji").message).status_code == 409
    assert "push-kenji" in [channel["name"] for channel in front.hub.reply("Channels/List")["channels"]]


@pytest.mark.parametrize("status", [404, 410])
def test_a_subscription_that_has_ended_is_removed(front, service, status):
    phone = front.device(f"gone-{status}")
    phone.reply("Channels/Subscribe", Browser(service, "gone").message)
    service.answer({"status": status, "headers": {}, "body": "{}"})
    entry = try_out(front.hub, f"push-gone-{status}")
    assert (entry["state"], entry["error"]["reason"]) == ("failed", "PUSH_ENDED")
    assert f"push-gone-{status}" not in [channel["name"] for channel in front.hub.reply("Channels/List")["channels"]]
    end = time.monotonic() + 30
    while (front.hub.directory / "state" / "secrets" / f"channel-push-gone-{status}").exists():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_device_that_is_revoked_gets_no_more(front, service):
    phone = front.device("mika")
    phone.reply("Channels/Subscribe", Browser(service, "mika").message)
    secret = front.hub.directory / "state" / "secrets" / "channel-push-mika"
    assert secret.exists()
    front.hub.reply("Devices/Revoke", {"name": "mika"})
    assert not secret.exists()
    assert "push-mika" not in [channel["name"] for channel in front.hub.reply("Channels/List")["channels"]]


def test_a_device_ends_its_own_subscription(front, service):
    phone = front.device("jiro")
    phone.reply("Channels/Subscribe", Browser(service, "jiro").message)
    phone.reply("Channels/Unsubscribe")
    assert not (front.hub.directory / "state" / "secrets" / "channel-push-jiro").exists()
    assert phone.post("Channels/Unsubscribe").status_code == 404


@pytest.mark.parametrize(("change", "field"), [
    ({"endpoint": "https://intranet.example.org/send"}, "endpoint"), ({"endpoint": "http://fcm.googleapis.com/x"}, "endpoint"),
    ({"endpoint": "https://127.0.0.1?.fcm.googleapis.com/x"}, "endpoint"), ({"endpoint": "https://a@fcm.googleapis.com/x"}, "endpoint"),
    ({"endpoint": "https://evilfcm.googleapis.com.example.org/x"}, "endpoint"), ({"key": "not base64!"}, "key"), ({"key": ""}, "key"),
])
def test_a_device_reaches_no_other_machine_through_the_hub(front, service, change, field):
    answer = front.device("d" + secrets.token_hex(4)).post(
        "Channels/Subscribe", {**Browser(service, "x").message, **change})
    assert answer.status_code == 400 and field in answer.text


def test_programs_have_no_subscription(front, service):
    assert front.hub.error("Channels/Subscribe", Browser(service, "x").message) == ("FAILED_PRECONDITION", "NOT_A_DEVICE")
    viewer = front.device("viewer", "viewer")
    assert viewer.post("Channels/Subscribe", Browser(service, "x").message).status_code == 403


def test_a_key_that_is_none_fails_in_words(front, service):
    phone = front.device("keyless")
    phone.reply("Channels/Subscribe", {**Browser(service, "keyless").message, "key": base64.b64encode(b"no key").decode()})
    entry = settled(front.hub, front.hub.reply("Channels/Test", {"name": "push-keyless"}, timeout=60)["delivery"]["id"])
    assert entry["state"] == "failed" and "key" in entry["error"]["message"]
