"""Mail over a real server: encrypted, delivered once, or said why not."""
import email
import email.policy

import pytest
from channels import add, add_mail, kith, settled, share, tried, try_out
from recipients import MailServer

FAMILY = "Ünser Tag, 佐藤花子"


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_mail_is_encrypted_and_says_what_it_should(hub, security):
    server = MailServer(f"--{security}", "--login")
    try:
        server.start()
        add_mail(hub, server, security=security)
        hub.reply("Care/Configure", {"settings": {"recipient": FAMILY, "timeZone": "Asia/Tokyo"}})
        hub.reply("Care/Record", {"category": "meal", "memo": "うどん\n.\nhalf of it"})
        entry, = hub.reply("Care/Share", {"channels": ["family"], "language": "ja"})["deliveries"]
        assert settled(hub, entry["id"])["state"] == "delivered"
        (envelope, content), = server.mails
        assert envelope == {"from": "kith@example.org", "to": ["ann@example.org", "bob@example.org"], "encrypted": True}
        mail = email.message_from_bytes(content, policy=email.policy.SMTP)
        summary = hub.reply("Care/Summary", {"language": "ja"})["text"]
        assert mail["Subject"] == summary.split("\n")[0]
        assert mail["Message-ID"] == f"<{entry['id']}@example.org>"
        assert mail["To"] == "ann@example.org, bob@example.org" and mail["From"] == "kith@example.org"
        assert mail.get_content().replace("\r\n", "\n") == summary
        assert mail["Date"].endswith("+0900") and mail["Auto-Submitted"] == "auto-generated"
        assert all(len(line) <= 78 for line in content.split(b"\r\n"))
    finally:
        server.remove()


@pytest.mark.parametrize(("arguments", "fields", "secret", "reason"), [
    (["--starttls", "--login"], {}, "wrong", "CHANNEL_LOGIN_REFUSED"),
    (["--starttls", "--login"], {"username": ""}, "", "CHANNEL_LOGIN_REFUSED"),
    (["--starttls", "--login"], {}, "", "CHANNEL_SECRET_MISSING"),
    (["--starttls", "--login"], {"trusted": False}, "secret", "CHANNEL_NOT_TRUSTED"),
    (["--tls", "--login"], {"trusted": False, "security": "tls"}, "secret", "CHANNEL_NOT_TRUSTED"),
    ([], {}, "secret", "CHANNEL_NOT_ENCRYPTED"),
    (["--starttls", "--login", "--answers", "554"], {}, "secret", "CHANNEL_REFUSED"),
])
def test_mail_that_cannot_be_sent_says_why(hub, arguments, fields, secret, reason):
    server = MailServer(*arguments)
    try:
        server.start()
        add_mail(hub, server, secret, **fields)
        entry = settled(hub, share(hub, "family")[0]["id"])
        assert (entry["state"], entry["error"]["reason"], entry["attempts"]) == ("failed", reason, 1), entry
        assert server.mails == []
        printed = kith(hub, "channels", "deliveries").stdout
        assert "failed" in printed and entry["error"]["message"].split(".")[0] in printed
    finally:
        server.remove()


def test_mail_that_is_put_off_is_delivered_once(hub):
    server = MailServer("--starttls", "--login", "--answers", "452,421")
    try:
        server.start()
        add_mail(hub, server)
        identity = share(hub, "family")[0]["id"]
        for attempt in (1, 2):
            entry = tried(hub, attempt)
            assert entry["error"]["reason"] == "CHANNEL_TROUBLE"
            assert entry["nextAttemptAt"] > entry["lastAttemptAt"]
            hub.reply("Channels/Retry", {"id": identity})
        assert settled(hub, identity)["state"] == "delivered"
        (_, content), = server.mails
        assert f"Message-ID: <{identity}@example.org>".encode() in content
    finally:
        server.remove()


def test_a_server_that_is_not_there_is_tried_again(hub):
    add(hub, "phone", "ntfy", address="http://127.0.0.1:1", topic="care")
    identity = share(hub, "phone")[0]["id"]
    entry = tried(hub)
    assert (entry["error"]["reason"], entry["id"]) == ("CHANNEL_UNREACHABLE", identity)
    assert hub.reply("Channels/Discard", {"id": identity})["state"] == "discarded"
    assert try_out(hub, "phone")["state"] == "failed"
