"""Thirty tasks of a carer's life at a terminal of 80 columns and 24 lines, without a Monica server, in English and in Japanese.

Each screen is read as the terminal draws it: nothing is wider, no id has 36 characters, no word of the protocol shows, Japanese has no
English sentence, and each error says what to do next.
"""
import contextlib
import json
import pathlib
import re
import tempfile
import unicodedata

import pyte
import pytest

from test_care import Home, recording
from test_terminal import Typed
from test_who import card

WIDE = 400
# What is copied as it is, into a file or to another machine.
COPIED = r"kith-web --listen|kith keys approve --public-key"


class Words:
    """What a carer types and reads in a language."""

    def __init__(self, language):
        english = language == "en"
        self.language = language
        self.locale = "C.UTF-8" if english else "ja_JP.UTF-8"
        self.recipient, self.reading = ("Hanako Sato", "") if english else ("佐藤花子", "")
        self.first, self.last, self.full = ("Ann", "Lee", "Ann Lee") if english else ("太郎", "山田", "山田")
        self.card = card("Ingrid Solberg", phone="+1-555-010-0131", email="ingrid@example.org", BDAY="1985-05-17") if english else card(
            "鈴木 一郎", "すずき いちろう", phone="090-1234-5678", BDAY="1950-05-17")
        self.contact, self.romaji = ("Ingrid Solberg", "ingrid") if english else ("鈴木 一郎", "suzuki")
        self.meal, self.memo = ("meal", "half of the rice, all of the soup, two cups of tea, and a short nap after that")
        if not english:
            self.meal, self.memo = "食事", "おかゆを半分、みそ汁を全部、お茶を二杯飲んだ。そのあと少し眠った。夕方は庭に出て花を見た。"
        self.said = "two tablets after breakfast" if english else "朝食のあとに薬を二錠"
        self.yesterday, self.tomorrow = ("yesterday", "tomorrow") if english else ("昨日", "明日")
        self.note = "She wants to plant tulips in the spring" if english else "春にチューリップを植えたいそうです"
        self.gift, self.task = ("A tea pot", "Send the photos") if english else ("急須", "写真を送る")

    def __call__(self, english, japanese):
        return english if self.language == "en" else japanese


class Carer:
    """Somebody at a terminal."""

    def __init__(self, home, words):
        self.home, self.words, self.faults = home, words, []

    def does(self, *arguments, answers=(), code=0, shows=(), until=None):
        """Types a command and the answers to its questions, and reads the screen."""
        typed = Typed(self.home, *arguments, LC_ALL=self.words.locale, KITH_PAGER="cat", TERM="xterm-256color")
        for question, answer in answers:
            typed.until(question).type(answer + "\n")
            typed.said = typed.said + "\0"
        if until:
            typed.until(until).type("\x03")
        status = typed.end()
        lines = self.drawn(typed.said.replace("\0", ""))
        screen = "\n".join(lines).rstrip()
        faults = [*self.faults_on(lines, screen), *(f"{shown} is not shown" for shown in shows if not re.search(shown, screen))]
        if status not in (code if isinstance(code, tuple) else (code,)):
            faults.append(f"exit code {status}")
        if faults:
            self.faults.append(f"kith {' '.join(map(str, arguments))}: {'; '.join(faults)}\n{screen}")
        return screen

    @staticmethod
    def drawn(said):
        """The lines as a terminal draws them; one that is wider than 80 columns is seen to be so."""
        screen = pyte.HistoryScreen(WIDE, 24, history=10_000)
        pyte.Stream(screen).feed(said)
        rows = [*screen.history.top, *(screen.buffer[row] for row in range(24))]
        # The cell behind a wide letter is empty.
        return ["".join(row[column].data for column in range(WIDE)).rstrip() for row in rows]

    def faults_on(self, lines, screen):
        for line in lines:
            if not re.search(COPIED, line) and sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in line) > 80:
                yield f"wider than the terminal: {line}"
        if re.search(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-", screen):
            yield "a whole id"
        for word in re.findall(r"\bkith\.v1\.\w*|\bSTATE_\w+|\b\w*_UNKNOWN\b|\bUNSPECIFIED\b|\bUNRECOGNIZED\b|\bnil\b|Optional\(", screen):
            yield f"a word of the protocol: {word}"
        if self.words.language == "ja":
            for line in lines:
                plain = re.sub(r"kith(d|-\w+)? .*|/[\w./-]*|\[.*?\]|'.*?'", "", line)
                if re.search(r"[A-Za-z]{2,}( [a-z]{2,}){2,}", plain):
                    yield f"English: {line}"
                if line.lstrip()[:1] in ("。", "、", "」"):
                    yield f"begins with a stop: {line}"


@pytest.fixture(scope="module", params=["en", "ja"])
def carer(request):
    words = Words(request.param)
    # With a short path, as a household has.
    folder = tempfile.TemporaryDirectory(prefix="k", dir="/tmp")
    home = Home(pathlib.Path(folder.name))
    said = {"engine": "script", "engineVersion": "1", "language": words("en-US", "ja-JP"), "text": words.said, "confidence": 0.5,
            "audioSeconds": 2.0, "elapsedSeconds": 0.1, "segments": []}
    home.engine.write_text(f"print({json.dumps(said)!r})\n")
    home.config.write_text(home.config.read_text().replace('["en"]', '["en", "ja"]'))
    (home.folder / "cards").mkdir()
    (home.folder / "cards" / "one.vcf").write_text(words.card)
    yield Carer(home, words)
    with contextlib.suppress(AttributeError):
        if home.process.poll() is None:
            home.stop()
    folder.cleanup()


# Some sixty programs, one after another.
@pytest.mark.timeout(400)
def test_thirty_tasks(carer):
    """One after another, as they come in a life."""
    words, home = carer.words, carer.home
    begin_without_kithd(carer, words)
    home.start()
    set_up(carer, words, home)
    record_care(carer, words, home)
    keep_people(carer, words)
    be_reminded(carer, words)
    keep_it_safe(carer, words, home)
    make_mistakes(carer, words, home)
    administer(carer, words, home)
    assert not carer.faults, "\n\n".join(carer.faults)


def begin_without_kithd(carer, words):
    # 1: kithd does not run yet.
    carer.does("status", code=3, shows=[words("systemctl", "systemctl")])
    # 2: what is wrong?
    carer.does("doctor", code=1, shows=["journalctl"])
    # 3: which command was it?
    carer.does("help", shows=["birthdays"])
    carer.does("care", "--help", shows=["summary"])


def set_up(carer, words, home):
    # 4: the questions of the first day.
    ask = r"[^\n]*\] $"
    carer.does("setup", shows=[words("Done", "終わりました")], answers=[
        (words("Language of", "言語は") + ask, words.language), (words("cared for", "どなたですか") + ask, words.recipient),
        (words("address book", "取り込み元") + ask, str(home.folder / "cards")), (words("Monica server", "Monica を使う") + ask, ""),
        (words("topic of ntfy", "ntfy のトピック") + ask, ""), (words("evening reminder", "毎晩のお知らせ") + ask, "20:00"),
        (words("backup now", "バックアップを作る") + ask, str(home.folder / "first.db")), (r"\[Y/n\] $", "y")])
    # 5: the address book is read.
    carer.does("contacts", "sync", shows=[words("completed", "完了")])
    carer.does("contacts", "source", "list", shows=["home"])
    carer.does("contacts", "list", shows=[words.contact])
    carer.does("contacts", "show", words.romaji, shows=[words.contact, words("Birthday", "誕生日")])
    # 6: is everything well?
    carer.does("status", shows=["kithd"])
    carer.does("care", "settings", shows=[words.recipient])


def record_care(carer, words, home):
    # 7: by typed words.
    carer.does("care", "record", words.meal, words.memo, shows=[words("When", "いつ")])
    # 8: by a recording.
    sound = recording(home.folder / "a.wav")
    carer.does("care", "voice", "--file", sound, "--category", words("medication", "服薬"), shows=[words.said])
    carer.does("care", "confirm", "last")
    # 9: a correction.
    carer.does("care", "edit", "last", "--memo", words("one tablet", "一錠"))
    carer.does("care", "edit", "last", "--memo", words("two tablets", "二錠"))
    carer.does("care", "show", "last", shows=[words("Before", "訂正前")])
    # 10: a deletion, and back again.
    carer.does("care", "delete", "last", shows=[words("deleted", "削除")])
    carer.does("care", "restore", "last")
    # 11: of yesterday, by the words of every day.
    carer.does("care", "record", words.meal, words("Only tea", "お茶だけ"), "--at", words("yesterday 9:00", "昨日9時"))
    # 12: summaries.
    carer.does("care", "summary", shows=[words.said])
    carer.does("care", "summary", "--day", words.yesterday, shows=[words("Only tea", "お茶だけ")])
    carer.does("care", "summary", "--short")
    # 13: lists and search.
    carer.does("care", "list", shows=[words("WHEN", "いつ")])
    carer.does("care", "list", "--day", words.yesterday)
    carer.does("care", "search", words("tea", "お茶"))


def keep_people(carer, words):
    # 14: a person.
    carer.does("people", "add", words.first, "--last-name", words.last, "--birthday", "1950-03-04", "--tag", words("family", "家族"))
    carer.does("people", "add", words("Bob", "次郎"), "--last-name", words.last, "--gender", words("Man", "男性"))
    carer.does("people", "list", shows=[words.first])
    # 15: who is who, by romaji.
    carer.does("who", words.romaji, shows=[words.contact])
    # 16: a call, by name.
    carer.does("call", "log", words.first, "--at", words("yesterday 9:00", "昨日9時"), "--duration", "25", "--emotion", words("happy", "うれしい"),
               "--note", words.note, shows=[words("happy", "うれしい"), words("25 minutes", "25分")])
    carer.does("call", "start", words.first, shows=["kith call stop"])
    carer.does("call", "stop", "--emotion", words("sad", "悲しい"))
    carer.does("call", "list", shows=["😊"])
    carer.does("call", "timeline", shows=[words("Yesterday", "昨日")])
    carer.does("call", "stats", shows=[words("a week", "週に")])
    carer.does("call", "search", words("tulips", "チューリップ"))
    carer.does("call", "list", "--during", words("last week", "先週"))
    carer.does("call", "delete", "last", shows=["kith call restore"])
    carer.does("call", "restore", "last", shows=[words("Restored", "元に戻しました")])
    carer.does("call", "suggest")
    # 17: a conversation with somebody of the address book, who becomes a person.
    carer.does("talk", "log", words.romaji, "--channel", words("in person", "対面"), "--note", words.note, shows=[words("Ingrid", "鈴木")])
    carer.does("talk", "reply", "last", words("Thank you", "ありがとう"), "--by-me")
    carer.does("talk", "list")
    # 18: birthdays.
    carer.does("birthdays", "--days", "366", shows=[words("Ingrid", "鈴木"), words.last])
    # 19: a gift, a note, a task, an activity.
    carer.does("gift", "add", words.first, words.gift, "--status", words("idea", "候補"), shows=[words("idea", "候補")])
    carer.does("gift", "list")
    carer.does("note", "add", words.first, words.note)
    carer.does("note", "list", words.first)
    carer.does("task", "add", words.first, words.task)
    carer.does("task", "done", "last", shows=[words("Done", "完了")])
    carer.does("task", "list")
    carer.does("activity", "add", words.first, words("Walk in the park", "公園を散歩"), "--type", words("picnicked", "ピクニックした"),
               shows=[words("picnicked", "ピクニックした")])
    carer.does("activity", "list")
    carer.does("activity", "delete", "last", shows=["kith activity restore"])
    carer.does("activity", "restore", "last", shows=[words("Restored", "元に戻しました")])
    # 20: family.
    carer.does("relation", "add", words.first, words("sibling", "きょうだい"), words("Bob", "次郎"), shows=[words("sibling", "きょうだい")])
    carer.does("relation", "list", words.first, shows=[words("sibling", "きょうだい")])
    carer.does("relation", "types", shows=["介護者"])
    carer.does("people", "field", "add", words.first, words("phone", "電話"), "+81 90 1234 5678", shows=[words("phone", "電話")])
    carer.does("people", "address", "add", words.first, "--city", words("London", "東京"))
    # 21: everything about somebody.
    carer.does("people", "show", words.first, shows=[words.note])
    carer.does("people", "timeline", words.first, shows=[words.note])
    carer.does("people", "edit", words.first, "--company", words("Acme", "山田商店"))
    carer.does("tag", "assign", words.first, words("friends", "友人"))
    carer.does("tag", "list")
    # 22: somebody twice?
    carer.does("people", "duplicates")
    carer.does("people", "link", "--suggest")


def be_reminded(carer, words):
    # 23: every evening.
    carer.does("remind", "daily", words("9pm", "午後9時"), shows=["21:00"])
    carer.does("remind", "status", shows=["21:00"])
    # 24: to call somebody.
    carer.does("remind", "call", words.first, "--on", words.tomorrow, shows=[words.last])
    carer.does("remind", "list")
    carer.does("remind", "done", "last", code=(0, 1))
    carer.does("remind", "settings")
    # 25: where messages go.
    carer.does("channels", "list", shows=["kith channels add"])
    carer.does("channels", "deliveries")


def keep_it_safe(carer, words, home):
    # 26: a backup.
    carer.does("backup", home.folder / "copy.db", shows=["copy.db"])
    carer.does("backup", "list", shows=["kithd.toml"])
    # 27: what needs me?
    carer.does("doctor", code=(0, 1))
    carer.does("status", shows=["kithd"])
    # 28: a phone.
    carer.does("web", "pair", "--name", "hanako", shows=[words("Code", "コード")])
    carer.does("web", "devices", shows=["hanako"])
    # 29: what happens, as it happens.
    carer.does("watch", until=r"#\d+")
    # 30: for the doctor: tables and a PDF.
    carer.does("care", "export", "-o", home.folder / "care.csv", shows=["care.csv"])
    carer.does("call", "export", "--format", "pdf", "-o", home.folder / "calls.pdf", shows=["calls.pdf"])
    assert (home.folder / "calls.pdf").read_bytes().startswith(b"%PDF")
    carer.does("contacts", "export", "-o", home.folder / "contacts.vcf")


def make_mistakes(carer, words, home):
    """Each error says what to do next."""
    nobody = words("Zoe", "無名")
    carer.does("people", "show", nobody, code=1, shows=["kith people list"])
    carer.does("call", "log", nobody, code=1, shows=["kith people list"])
    carer.does("contacts", "show", nobody, code=1, shows=["kith contacts list"])
    carer.does("tag", "delete", nobody, code=1, shows=["kith tag list"])
    carer.does("call", "log", words.last, code=2, shows=[words("Give the id", "ID で指定")])
    carer.does("call", "show", "0000", code=1, shows=["kith call list"])
    carer.does("care", "record", words("meel", "食じ"), words.memo, code=1, shows=[words("medication", "服薬")])
    carer.does("call", "log", words.first, "--at", words("tomorow", "あさっと"), code=2, shows=["2026-11-20"])
    carer.does("call", "log", words.first, "--emotion", words("hapy", "うれし"), code=2, shows=[words("happy", "うれしい")])
    carer.does("care", "record", words.meal, "x", "--at", words("in 3 days", "3日後"), code=1, shows=["--at"])
    carer.does("peple", "list", code=2, shows=["people"])
    carer.does("call", "lgo", words.first, code=(1, 2), shows=["kith call log"])
    carer.does("people", "list", "--limt", "3", code=2, shows=["--limit"])
    carer.does("call", "list", "--columns", words("nope", "なし"), shows=[words("There are", "選べる列")])
    carer.does("remind", "daily", "25:00", code=1)
    carer.does("people", "add", words.first, "--birthday", "1950-13-40", code=1)
    carer.does("contacts", "source", "add", "x", "--vdir", "/nowhere", code=1, shows=["--unchecked"])
    carer.does("contacts", "source", "add", "again", "--vdir", home.folder / "cards", answers=[(r"\[y/N\] $", "n")], code=1)
    carer.does("help", "peple", code=2, shows=["people"])
    carer.does("monica", "status", shows=["kith monica login"])
    carer.does("people", "delete", words("Bob", "次郎"), answers=[(r"\[y/N\] $", "n")], code=1)


def administer(carer, words, home):
    """What comes once in a while."""
    for command in (["keys", "list"], ["keys", "pending"], ["keys", "init"], ["keys", "show"], ["jobs", "list"], ["monica", "conflicts"],
                    ["monica", "queue"], ["whoami"], ["ping"], ["contacts", "problems"], ["call", "template", "list"],
                    ["web", "setup", "--yes", "--way", "own-ca", "--name", "localhost"],
                    ["keys", "new", "--file", home.folder / "key"]):
        carer.does(*command)
    carer.does("services", shows=[words("recorder", "記録")])
    carer.does("monica", "sync", code=1, shows=["kith monica login"])


@pytest.mark.parametrize(("language", "locale", "expected"), [("ja", "C.UTF-8", "人はありません。"), ("en", "ja_JP.UTF-8", "No people found.")])
def test_the_language_can_be_another_than_that_of_the_locale(tmp_path, language, locale, expected):
    home = Home(tmp_path)
    home.start()
    try:
        typed = Typed(home, "people", "list", "--lang", language, LC_ALL=locale)
        assert typed.end() == 0 and expected in typed.said, typed.said
        typed = Typed(home, "people", "show", "zoe", "--lang", language, LC_ALL=locale)
        assert typed.end() == 1 and ("ありません" in typed.said) == (language == "ja"), typed.said
    finally:
        home.stop()
