#!/usr/bin/env python3
"""Measures the family's pages in a real Chromium, with a real kithd and kith-web behind it.

usage: page_bench.py PROGRAMS ROUNDS

PROGRAMS is a directory with kithd, kith-web and kith-pocketsphinx in release. The first visit is that of a phone that has joined, with
Chromium's own throttling: a processor four times slower, and DevTools' "Slow 4G" (562 ms, 180 kB/s down, 84 kB/s up). Prints a table in
Markdown.
"""
import contextlib
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tests" / "python"))
os.environ["KITH_BIN_DIR"] = str(pathlib.Path(sys.argv[1]).resolve())

from browser import chromium  # noqa: E402
from conftest import CONFIGURATION, Hub  # noqa: E402
from pages import drained, write  # noqa: E402
from test_network_between import Between  # noqa: E402
from web import door  # noqa: E402

PEOPLE = int(os.environ.get("PEOPLE", 10_000))
TAPS = 40
MODEL = HERE.parent / ".build" / "speech" / "caregiving.lm.bin"
SLOW_4G = {"offline": False, "latency": 562.5, "downloadThroughput": 1.6e6 / 8 * 0.9, "uploadThroughput": 750e3 / 8 * 0.9}
# Ten seconds of speech.
SAID = ("She had soup and tea for lunch. In the afternoon we walked in the garden for half an hour. "
        "She took her tablets at eight and drank two glasses of water. She is well and sleeps.")
OBSERVE = """
window.longTasks = []; window.largestPaint = 0;
new PerformanceObserver((list) => list.getEntries().forEach((entry) => { window.largestPaint = entry.startTime; }))
  .observe({ type: 'largest-contentful-paint', buffered: true });
new PerformanceObserver((list) => list.getEntries().forEach((entry) => window.longTasks.push(entry.duration)))
  .observe({ type: 'longtask', buffered: true });
"""


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]


def first_visit(front, browser, number):
    """(bytes that came over the network, milliseconds to the largest paint, the longest task in ms) of a phone that opens the page."""
    phone = browser.phone()
    phone.join(front, name=f"visit-{number}")
    phone.context.add_init_script(OBSERVE)
    debugger = phone.context.new_cdp_session(phone.page)
    for method, options in {"Network.enable": {}, "Network.emulateNetworkConditions": SLOW_4G,
                            "Emulation.setCPUThrottlingRate": {"rate": 4}}.items():
        debugger.send(method, options)
    # Counted on the way: the debugger of a page does not see what its service worker fetches.
    with contextlib.closing(Between(front.port)) as way:
        phone.open(way.endpoint.replace("tcp://127.0.0.1", "http://localhost") + "/")
        phone.until("navigator.serviceWorker.ready.then(() => true)", 60)
        phone.page.wait_for_timeout(3000)
        painted, tasks = phone.read("[window.largestPaint, window.longTasks]")
        phone.close()
        return len(way.answered), painted, max(tasks, default=0)


def tap(front, browser):
    """Milliseconds from a tap until the entry is durable in the house: until the hub's answer is in the page."""
    phone = browser.phone()
    phone.join(front, name="tapper")
    phone.open(front.url + "/")
    phone.until("navigator.serviceWorker.ready.then(() => true)")
    phone.read("""() => {
      const own = window.fetch;
      document.addEventListener('submit', () => { window.tapped = performance.now(); }, true);
      window.fetch = async (...what) => {
        const answer = await own(...what);
        if (String(what[0]).includes('Care/Record')) window.durable = performance.now() - window.tapped;
        return answer;
      };
    }""")
    times = []
    for number in range(TAPS):
        phone.read("window.durable = 0")
        write(phone, f"entry {number}")
        times.append(phone.until("window.durable"))
        drained(phone)
        phone.page.wait_for_timeout(350)
    phone.close()
    return times


def speech(front, sound, number):
    """Seconds from the tap on Stop until the text is on the screen."""
    with chromium(sound=sound) as browser:
        phone = browser.phone()
        phone.join(front, name=f"speaker-{number}")
        phone.open(front.url + "/")
        phone.page.click("[data-test=record]")
        phone.until("/1[0-9]/.test(document.querySelector('form.voice output').textContent)", 30)
        # Those of an earlier round are there already.
        spoken = "[...document.querySelectorAll('[data-test=entry] .words')].filter((words) => /soup|garden|water/.test(words.textContent)).length"
        before = phone.read(spoken)
        began = time.monotonic()
        phone.page.click("[data-test=stop]")
        phone.until(f"{spoken} > {before}", 60)
        return time.monotonic() - began


def scroll(front, browser):
    """(people shown, the longest frame in ms, the 99th percentile) while somebody scrolls through the list of people."""
    phone = browser.phone()
    phone.join(front, name="scroller")
    phone.open(front.url + "/people")
    phone.read("""() => {
      window.frames_ = []; let last = performance.now();
      const step = (now) => { window.frames_.push(now - last); last = now; window.scrollBy(0, 120); requestAnimationFrame(step); };
      requestAnimationFrame(step);
    }""")
    phone.until(f"document.querySelectorAll('[data-test=person]').length >= {PEOPLE}", 900)
    frames = phone.read("window.frames_.slice(5)")
    shown = phone.read("document.querySelectorAll('[data-test=person]').length")
    phone.close()
    return shown, max(frames), quantile(frames, 0.99)


def main():
    rounds = int(sys.argv[2])
    hub = Hub()
    (hub.directory / "config.toml").write_text(
        CONFIGURATION + f'[log]\nlevel = "error"\n[transcription.pocketsphinx]\nlanguages = ["en"]\ncaregiving = "{MODEL}"\n')
    try:
        with tempfile.TemporaryDirectory() as folder, door(hub=hub.start()) as front:
            hub.reply("Care/Configure", {"settings": {"recipient": "Sato Yoshiko", "timeZone": "Asia/Tokyo", "language": "en"}})
            for number in range(12):
                hub.reply("Care/Record", {"category": "meal", "memo": f"Porridge with apples, bowl {number}"})
            sound = pathlib.Path(folder) / "say.wav"
            subprocess.run(["flite", "-voice", "slt", "-t", SAID, "-o", sound], check=True, timeout=60)
            print("| what | measured |\n| --- | ---: |")
            with chromium() as browser:
                visits = [first_visit(front, browser, number) for number in range(rounds)]
                # A phone that had kept something of another's visit would fetch a small part of it.
                assert min(visit[0] for visit in visits) > 0.95 * max(visit[0] for visit in visits), visits
                print(f"| first visit, everything that comes over the network | {max(visit[0] for visit in visits) / 1000:.1f} kB |")
                print(f"| largest paint, phone slowed 4 times, Slow 4G | {statistics.median(visit[1] for visit in visits):.0f} ms |")
                print(f"| longest task there | {max(visit[2] for visit in visits):.0f} ms |")
                # kith-web takes five codes a minute from one address.
                time.sleep(61)
                times = tap(front, browser)
                print(f"| tap until the entry is durable, p50 | {quantile(times, 0.5):.1f} ms |")
                print(f"| the same, p90 | {quantile(times, 0.9):.1f} ms |")
            texts = [speech(front, sound, number) for number in range(max(1, rounds // 2))]
            print(f"| ten seconds of speech, from Stop to the text | {statistics.median(texts):.1f} s |")
            for number in range(PEOPLE):
                hub.reply("People/Create", {"record": {"firstName": f"Ann{number:05}", "nickname": f"nick {number}"}})
            with chromium() as browser:
                shown, longest, most = scroll(front, browser)
                print(f"| longest frame while {shown:,} people scroll by; p99 | {longest:.0f} ms; {most:.0f} ms |")
    finally:
        hub.remove()


if __name__ == "__main__":
    main()
