#!/usr/bin/env python3
"""Makes the pictures of docs/web.md and the README from a real run: a hub with a household, kith-web, and Chromium.

    scripts/page-pictures.py             with the programs that `swift build` made (KITH_WEB=1)
    scripts/page-pictures.py --bin DIR   with the programs in DIR
"""
import argparse
import datetime
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests" / "python"))
sys.dont_write_bytecode = True

ENTRIES = {
    "ja": [("medication", "朝の薬。水でゆっくり飲めた"), ("meal", "おかゆ、味噌汁、りんご。完食"), ("free_memo", "庭を10分散歩した")],
    "en": [("medication", "Morning tablets, with water"), ("meal", "Porridge and an apple, all of it"), ("free_memo", "Ten minutes in the garden")],
}
PEOPLE = {"ja": [("花子", "佐藤"), ("健一", "高橋"), ("直美", "伊藤")], "en": [("Ingrid", "Berg"), ("Tom", "Okafor"), ("Ana", "Silva")]}


def household(front, language):
    """Fills a hub with a day in a family."""
    hub = front.hub
    name, honorific = {"ja": ("佐藤よし子", "さん"), "en": ("Yoshiko", "")}[language]
    hub.reply("Care/Configure", {"settings": {"recipient": name, "honorific": honorific, "language": language}})
    now = datetime.datetime.now(datetime.UTC)
    for minutes, (category, memo) in zip((180, 120, 30), ENTRIES[language]):
        at = (now - datetime.timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")
        hub.reply("Care/Record", {"category": category, "memo": memo, "occurredAt": at})
    for number, (first, last) in enumerate(PEOPLE[language]):
        person = hub.reply("People/Create", {"record": {"firstName": first, "lastName": last}})
        hub.reply("People/AddField", {"record": {"personId": person["id"], "type": "Phone", "data": f"+1-555-010-01{number}2"}})
        at = (now - datetime.timedelta(days=2 * number, hours=1)).isoformat().replace("+00:00", "Z")
        hub.reply("Calls/Log", {"record": {"personId": person["id"], "calledAt": at, "durationMinutes": 12 + number, "emotion": "happy"}})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin")
    folder = parser.parse_args().bin or subprocess.run(
        ["swift", "build", "--show-bin-path"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    os.environ["KITH_BIN_DIR"] = folder
    from browser import chromium
    from web import door
    shots = [("ja", "light", 390, "/", "page-today-ja"), ("en", "dark", 390, "/calls", "page-calls-en"), ("en", "light", 1100, "/", "page-desktop-en")]
    with chromium() as browser:
        for language, scheme, width, path, name in shots:
            with door() as front:
                household(front, language)
                phone = browser.phone(width=width, height=760, locale=language, color_scheme=scheme)
                phone.join(front)
                phone.open(front.url + path)
                phone.until("document.querySelector('[data-test=sync-state]').textContent !== ''")
                phone.page.screenshot(path=ROOT / "docs" / f"{name}.png")
                phone.close()
                print(f"docs/{name}.png")


if __name__ == "__main__":
    main()
