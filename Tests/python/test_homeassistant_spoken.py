"""What is said to the house, over Wyoming, by the client of the protocol's makers."""
import asyncio
import datetime
import json
import os
import signal
import socket
import subprocess
import time
import zoneinfo

import pytest
from wyoming.ping import Ping

from conftest import BINARIES
from home import Assistant, Home, Mosquitto, Voice, spoken_to
from servers import free_port

TOKYO = zoneinfo.ZoneInfo("Asia/Tokyo")


@pytest.fixture(autouse=True)
def household(hub):
    hub.reply("Care/Configure", {"settings": {"recipient": "Yoshiko Sato", "timeZone": "Asia/Tokyo", "language": "en"}})


def entries(hub):
    return hub.reply("Care/List", {}).get("records", [])


def moment(entry):
    return datetime.datetime.fromisoformat(entry["occurredAt"].replace("Z", "+00:00")).astimezone(TOKYO)


def test_it_introduces_itself(hub):
    with spoken_to(hub) as (_, voice):
        program, = voice.info().handle
        assert program.name == "kith" and program.installed
        assert sorted(program.models[0].languages) == ["en", "ja"]


@pytest.mark.parametrize("text, language, category, memo, words", [
    ("Log medication, two tablets of amlodipine.", "en", "medication", "two tablets of amlodipine", ["Recorded: Medication", "two tablets"]),
    ("she drank a cup of tea", None, "meal", "she drank a cup of tea", ["Recorded: Meal"]),
    ("薬を2錠飲みました。", None, "medication", "薬を2錠飲みました", ["服薬を記録しました", "2錠"]),
    ("おむつを替えました", "ja-JP", "toileting", "おむつを替えました", ["排泄を記録しました"]),
    ("Memo: she sang all morning.", "en-GB", "free_memo", "she sang all morning", ["Free memo", "sang"]),
])
def test_what_is_said_is_recorded_and_said_back(hub, text, language, category, memo, words):
    with spoken_to(hub) as (_, voice):
        before = datetime.datetime.now(TOKYO)
        handled, answer = voice.say(text, language)
        assert handled, answer
        entry, = entries(hub)
        assert (entry["category"], entry["memo"]) == (category, memo)
        assert before - datetime.timedelta(seconds=5) <= moment(entry) <= datetime.datetime.now(TOKYO)
        for word in [*words, moment(entry).strftime("%H:%M")]:
            assert word in answer


def test_a_time_that_is_said_is_the_time_of_the_entry(hub):
    with spoken_to(hub) as (_, voice):
        handled, answer = voice.say("she took her medicine yesterday at ten past nine in the evening")
        assert handled and "yesterday at 21:10" in answer
        entry, = entries(hub)
        assert moment(entry).strftime("%H:%M") == "21:10"
        assert moment(entry).date() == datetime.datetime.now(TOKYO).date() - datetime.timedelta(days=1)


@pytest.mark.parametrize("text", [
    "I did not give her lunch", "she will take her medicine", "if she ate lunch give her a pill", "maybe she took her medicine",
    "the doctor says she took her medicine", "my neighbour had lunch", "she had lunch and took her medicine",
    "she took her medicine yesterday", "log medication tomorrow at eight in the evening", "she took her", "turn on the kitchen light",
    "薬を飲みませんでした", "薬を飲んだかもしれない", "明日病院に行きます", "隣のおじさんが薬を飲みました", "ご飯を食べて薬を飲みました", "薬を", "薬を飲んだら教えて",
    "", "   ", "...", "log medication " + "very " * 200, "\x00\x07\u202e",
])
def test_what_is_not_sure_is_asked_back_and_not_stored(hub, text):
    with spoken_to(hub) as (_, voice):
        handled, answer = voice.say(text)
        assert not handled
        assert "Nothing was recorded." in answer or "記録していません。" in answer
        assert entries(hub) == []


def test_another_language_is_said_to_be_unknown(hub):
    with spoken_to(hub) as (_, voice):
        handled, answer = voice.say("sie hat ihre Tabletten genommen", "de")
        assert not handled and "English" in answer
        assert entries(hub) == []


def test_without_words_the_house_speaks_as_the_household_does(hub):
    hub.reply("Care/Configure", {"settings": {"language": "ja"}})
    with spoken_to(hub) as (_, voice):
        assert "聞き取れません" in voice.say("...")[1]
        assert "log medication" in voice.say("hello there")[1]


def test_questions_are_answered_from_the_record(hub):
    with spoken_to(hub) as (_, voice):
        assert voice.say("what was logged today") == (True, "Nothing is recorded today.")
        assert voice.say("最後に薬を飲んだのはいつ") == (True, "服薬の記録はまだありません。")
        hub.reply("Care/Record", {"category": "medication", "memo": "one red pill"})
        hub.reply("Care/Record", {"category": "meal", "memo": "お粥を半分"})
        clock = moment(entries(hub)[0]).strftime("%H:")
        handled, answer = voice.say("when did she last take her medicine")
        assert handled and answer.startswith(f"Medication was last recorded today at {clock}") and "one red pill" in answer
        handled, answer = voice.say("今日の記録を教えて")
        assert handled and "2件" in answer and answer.index("one red pill") < answer.index("お粥を半分")
        handled, answer = voice.say("has she eaten today")
        assert handled and "1 entry of Meal" in answer and "pill" not in answer
        assert voice.say("what is the weather tomorrow")[0] is False


def test_what_two_devices_heard_is_one_entry(hub):
    async def both(voice):
        return await asyncio.gather(*[voice.hear(text) for text in ("log medication", "Log medication.", "log medication")])

    with spoken_to(hub) as (_, voice):
        answers = set(asyncio.run(both(voice)))
        assert len(answers) == 1 and answers.pop()[0]
        assert len(entries(hub)) == 1
        assert voice.say("log toilet")[0]
        assert len(entries(hub)) == 2


def test_what_was_said_can_be_taken_back(hub):
    with spoken_to(hub) as (_, voice):
        hub.reply("Care/Record", {"category": "meal", "memo": "by somebody else"})
        assert voice.say("undo")[0] is False
        assert voice.say("log medication")[0]
        handled, answer = voice.say("no, that was wrong")
        assert handled and "Medication" in answer
        assert [entry["memo"] for entry in entries(hub)] == ["by somebody else"]
        assert voice.say("取り消して")[0] is False


def test_undo_is_about_what_was_said_last(hub):
    with spoken_to(hub) as (_, voice):
        for _ in range(2):
            assert voice.say("log medication")[0]
            assert voice.say("undo")[0]
        assert voice.say("log medication, 1.5 ml")[0] and voice.say("log medication, 15 ml")[0]
        assert sorted(entry["memo"] for entry in entries(hub)) == ["1.5 ml", "15 ml"]
        # An answer to a question, and one that asks back, are no entry.
        for other in ("what was logged today", "she took the cake"):
            voice.say(other)
            assert voice.say("that was wrong")[0] is False
        assert len(entries(hub)) == 2
        assert voice.say("undo")[0]
        assert [entry["memo"] for entry in entries(hub)] == ["1.5 ml"]
        assert voice.say("log toilet")[0]
        assert voice.say("remind me every day at half past eight in the evening")[0]
        assert voice.say("undo")[0] is False
        assert len(entries(hub)) == 2


def test_a_reminder_is_turned_on_off_and_on_again(hub):
    with spoken_to(hub) as (_, voice):
        assert voice.say("remind me every day at half past eight in the evening")[0]
        for text, is_on in (("turn on the daily reminder", True), ("turn off the daily reminder", False), ("turn on the daily reminder", True)):
            assert voice.say(text)[0]
            assert hub.reply("Reminders/Status")["daily"].get("enabled", False) is is_on


def test_a_call_is_reminded_of_and_whoever_is_unknown_is_not(hub):
    person = hub.reply("People/Create", {"record": {"firstName": "Ingrid", "lastName": "Nordahl"}})["id"]
    hub.reply("People/Create", {"record": {"firstName": "Kenji", "lastName": "Sato"}})
    hub.reply("People/Create", {"record": {"firstName": "Kenji", "lastName": "Mori"}})
    with spoken_to(hub) as (_, voice):
        handled, answer = voice.say("remind me to call Ingrid tomorrow at ten in the morning")
        assert handled and "Ingrid Nordahl" in answer and "tomorrow at 10:00" in answer
        reminder, = hub.reply("Reminders/Status")["pending"]
        assert reminder["personId"] == person
        for text in ("remind me to call Gudrun tomorrow", "remind me to call Kenji tomorrow", "remind me to call Ingrid", "remind me at nine"):
            handled, answer = voice.say(text)
            assert not handled, answer
        assert len(hub.reply("Reminders/Status")["pending"]) == 1


def test_the_daily_reminder_is_set_and_turned_off(hub):
    with spoken_to(hub) as (_, voice):
        assert voice.say("remind me every day at half past eight in the evening") == (True, "I will remind you every day at 20:30.")
        assert hub.reply("Reminders/Status")["daily"]["time"] == "20:30"
        assert voice.say("毎日のリマインダーを止めて") == (True, "毎日のリマインダーを止めました。")
        assert not hub.reply("Reminders/Status")["daily"].get("enabled")


def test_while_the_hub_is_away_it_says_so_and_stores_nothing(hub):
    with spoken_to(hub) as (_, voice):
        assert voice.say("log medication")[0]
        hub.end(signal.SIGKILL)
        handled, answer = voice.say("log meal")
        assert not handled and "Nothing was recorded" in answer
        handled, answer = voice.say("薬を飲みました")
        assert not handled and "記録していません" in answer
        hub.start()
        assert [entry["category"] for entry in entries(hub)] == ["medication"]
        end = time.monotonic() + 60
        while not voice.say("log meal")[0]:
            assert time.monotonic() < end
            time.sleep(0.5)
        assert [entry["category"] for entry in entries(hub)] == ["meal", "medication"]


def test_it_listens_before_there_is_a_hub(hub):
    hub.end()
    with spoken_to(hub, word="taken") as (home, voice):
        assert voice.say("log medication")[0] is False
        hub.start()
        end = time.monotonic() + 60
        while not voice.say("log medication")[0]:
            assert time.monotonic() < end
            time.sleep(0.5)
        assert len(entries(hub)) == 1
        assert home.end() == 0


@pytest.mark.parametrize("with_broker", [False, True])
def test_it_is_ready_for_systemd_before_there_is_a_hub(hub, tmp_path, monkeypatch, with_broker):
    hub.end()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify, Mosquitto(tmp_path) as broker:
        notify.bind(str(tmp_path / "notify"))
        notify.settimeout(60)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        options = [] if with_broker else ["--wyoming", f"127.0.0.1:{free_port()}"]
        with Home(hub, broker if with_broker else None, *options) as home:
            assert "READY=1" in notify.recv(1000).decode().split("\n")
            assert home.end() == 0


def test_who_is_cared_for_can_be_named(hub):
    with spoken_to(hub, "--called", "mum") as (_, voice):
        assert voice.say("dad had his lunch")[0] is False
        assert voice.say("mum drank some tea")[0]
        assert len(entries(hub)) == 1


def test_what_is_said_is_shown_at_the_broker(hub, tmp_path):
    with Mosquitto(tmp_path) as broker, Assistant(broker) as assistant, spoken_to(hub, broker=broker) as (_, voice):
        assistant.until(lambda: assistant.available and assistant.state)
        assert voice.say("log medication")[0]
        assistant.until(lambda: assistant.state["today"] == 1 and "medication" in assistant.state["last"])


@pytest.mark.parametrize("garbage", [
    b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", pytest.param(b"\x16\x03\x01\x02\x00" + os.urandom(512) + b"\n", id="TLS"),
    b"{}\n", b"null\n", b'{"type": 3}\n', b"\n",
    b'{"type": "transcript", "data_length": 99999999999}\n', b'{"type": "transcript", "data_length": -5}\n',
    b'{"type": "transcript", "data_length": 4}\n{{{{', pytest.param(b"x" * 100_000, id="long"),
    b'{"type": "transcript", "payload_length": 18446744073709551615}\n', b'{"type": "transcript", "data_length": 3}\n\xff\xfe\xfd',
])
def test_garbage_ends_the_connection_alone(hub, garbage):
    with spoken_to(hub) as (home, voice):
        with socket.create_connection((voice.host, voice.port), timeout=60) as connection:
            try:
                connection.sendall(garbage)
                assert connection.recv(1) == b""
            except (ConnectionResetError, BrokenPipeError):
                pass
        assert voice.say("log medication")[0]
        assert home.process.poll() is None


def test_a_message_in_pieces_and_several_at_once_are_answered_in_order(hub):
    with spoken_to(hub) as (_, voice), socket.create_connection((voice.host, voice.port), timeout=60) as connection:
        data = '{"text": "薬を飲みました"}'.encode()
        whole = b'{"type": "transcript", "data_length": %d}\n%s{"type": "unheard-of"}\n{"type": "ping"}\n{"type": "describe"}\n' % (len(data), data)
        for start in range(0, len(whole), 7):
            connection.sendall(whole[start:start + 7])
        stream, kinds = connection.makefile("rb"), []
        for _ in range(3):
            header = json.loads(stream.readline())
            stream.read(header.get("data_length", 0))
            kinds.append(header["type"])
        assert kinds == ["handled", "pong", "info"]
        assert len(entries(hub)) == 1


def test_many_connections_are_bounded_and_do_no_harm(hub):
    with spoken_to(hub) as (home, voice):
        held = [socket.create_connection((voice.host, voice.port), timeout=60) for _ in range(32)]
        # Each is taken before the next one is counted.
        for connection in held:
            connection.sendall(b'{"type": "ping"}\n')
            assert connection.recv(1) == b"{"
        with socket.create_connection((voice.host, voice.port), timeout=60) as over:
            assert over.recv(1) == b""
        for connection in held:
            connection.close()
        end = time.monotonic() + 60
        while True:
            try:
                assert voice.say("log medication")[0]
                break
            except (ConnectionError, AttributeError, asyncio.IncompleteReadError):
                assert time.monotonic() < end
                time.sleep(0.5)
        assert home.process.poll() is None


def own_address():
    addresses = subprocess.run(["hostname", "-I"], capture_output=True, text=True, check=False).stdout.split()
    return next((address for address in addresses if "." in address and not address.startswith("127.")), None)


@pytest.mark.skipif(own_address() is None, reason="this machine has no address but its own loopback")
def test_only_machines_that_are_named_may_speak(hub):
    address, port = own_address(), free_port()
    ran = subprocess.run([BINARIES / "kith-homeassistant", "--wyoming", f"{address}:{port}"], capture_output=True, text=True, timeout=30)
    assert ran.returncode == 2 and "--wyoming-from" in ran.stderr
    for allowed, heard in (("192.0.2.7", False), (address, True)):
        with Home(hub, None, "--wyoming", f"{address}:{port}", "--wyoming-from", allowed) as home:
            end = time.monotonic() + 60
            while True:
                try:
                    event = asyncio.run(Voice(port, address).exchange(Ping().event()))
                    break
                except ConnectionRefusedError:
                    assert time.monotonic() < end and home.process.poll() is None
                    time.sleep(0.02)
                except (ConnectionResetError, BrokenPipeError):
                    event = None
                    break
            assert (event is not None) == heard


def test_an_address_that_is_taken_is_told(hub):
    with spoken_to(hub) as (_, voice):
        ran = subprocess.run([BINARIES / "kith-homeassistant", "--wyoming", f"127.0.0.1:{voice.port}", "--runtime-dir", hub.runtime],
                             capture_output=True, text=True, timeout=60)
        assert ran.returncode == 1 and str(voice.port) in ran.stderr + ran.stdout


@pytest.mark.parametrize("options, word", [
    ([], "--wyoming"), (["--wyoming", "0.0.0.0"], "wyoming-from"), (["--wyoming", "house.local"], "wyoming"),
    (["--wyoming", "127.0.0.1:99999"], "wyoming"), (["--broker", "mqtt://x", "--wyoming-from", "10.0.0.1"], "--wyoming"),
    (["--wyoming", "192.0.2.1", "--wyoming-from", "home"], "wyoming-from"), (["--broker", "mqtt://x", "--called", "mum"], "--wyoming"),
])
def test_a_wrong_option_is_named(options, word):
    ran = subprocess.run([BINARIES / "kith-homeassistant", *options], capture_output=True, text=True, timeout=30)
    assert ran.returncode == 2 and word in ran.stderr, ran.stderr
