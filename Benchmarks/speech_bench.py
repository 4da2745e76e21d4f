#!/usr/bin/env python3
"""Measures kith-pocketsphinx on speech that flite makes: how many words are wrong, how long it takes and how much memory.

usage: speech_bench.py KITH-POCKETSPHINX CAREGIVING-MODEL CORPUS SENTENCES...

Each sentence of the files SENTENCES is spoken by two voices, brought to -3 dBFS with half a second of silence on both sides, and
transcribed by a process of its own: times include its start. CORPUS has the sentences that the caregiving model was made of; a
sentence that is among them is not measured. Prints a table in Markdown, with the general model alone beside the mixture, and
names the goals that were missed.
"""
import array
import json
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import wave

VOICES = ("slt", "rms")
GOALS = {"wrong": 6.0, "realtime": 0.5, "memory": 150}


def speak(text, voice, path):
    """Has a sentence spoken into a WAV; gives its seconds."""
    subprocess.run(["flite", "-voice", voice, "-t", text, "-o", path], check=True)
    with wave.open(str(path)) as spoken:
        assert (spoken.getframerate(), spoken.getnchannels(), spoken.getsampwidth()) == (16000, 1, 2), voice
        samples = array.array("h", spoken.readframes(spoken.getnframes()))
    gain = 32767 * 10 ** (-3 / 20) / max(map(abs, samples))
    pause = array.array("h", bytes(16000))
    samples = pause + array.array("h", (round(sample * gain) for sample in samples)) + pause
    with wave.open(str(path), "wb") as out:
        out.setparams((1, 2, 16000, 0, "NONE", ""))
        out.writeframes(samples.tobytes())
    return len(samples) / 16000


def wrong_words(heard, said):
    """Words that are substituted, left out or added."""
    row = list(range(len(heard) + 1))
    for index, word in enumerate(said, 1):
        diagonal, row[0] = row[0], index
        for column, other in enumerate(heard, 1):
            diagonal, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, diagonal + (word != other))
    return row[-1]


def measure(worker, model, clips):
    wrong = words = exact = seconds = audio = processor = 0
    longest, slips = 0, []
    for path, said, length in clips:
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        output = subprocess.run([worker, path, "en-US", *model], check=True, capture_output=True).stdout
        took = time.monotonic() - started
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds, audio, longest = seconds + took, audio + length, max(longest, took / length)
        processor += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        answer = json.loads(output)
        faults = wrong_words(answer["text"].split(), said.split())
        wrong, words, exact = wrong + faults, words + len(said.split()), exact + (faults == 0)
        if faults:
            slips.append(f"{path.name}: {answer['text']} ({answer['confidence']})")
    return {
        "wrong": 100 * wrong / words, "exact": f"{exact} of {len(clips)}", "realtime": seconds / audio, "longest": longest,
        "processor": processor / audio, "slips": slips,
        # Of the largest child so far, in kilobytes.
        "memory": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
    }


def main():
    worker, model, corpus, *files = sys.argv[1:]
    learnt = set(pathlib.Path(corpus).read_text().splitlines())
    print("| | wrong words | exact | time ÷ length | slowest | processor ÷ length | memory |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    missed, slips = [], []
    with tempfile.TemporaryDirectory() as work:
        for file in files:
            lines = pathlib.Path(file).read_text().splitlines()
            lines = [line for line in lines if line and not line.startswith("#")]
            sentences = [line for line in lines if line not in learnt]
            clips = []
            for voice in VOICES:
                for number, said in enumerate(sentences):
                    path = pathlib.Path(work) / f"{pathlib.Path(file).stem}-{voice}-{number + 1}.wav"
                    clips.append((path, said, speak(said, voice, path)))
            name = f"{len(sentences)} of {len(lines)} sentences of {pathlib.Path(file).name}, 2 voices"
            # The mixture first, because the memory is that of the largest process so far.
            for kind, arguments in (("mixed", [f"caregiving={model}"]), ("general", [])):
                result = measure(worker, arguments, clips)
                print(f"| {name}, {kind} | {result['wrong']:.1f} % | {result['exact']} | {result['realtime']:.2f} "
                      f"| {result['longest']:.2f} | {result['processor']:.2f} | {result['memory']:.0f} MB |")
                if kind == "mixed":
                    slips += result["slips"]
                    missed += [f"{name}: {goal}" for goal, most in GOALS.items() if result[goal] > most]
    print(f"\nMedian of three starts without sound: {statistics.median(starts(worker, model)):.2f} s")
    print("\nHeard wrong:", *slips, sep="\n* ")
    if missed:
        print("\nMissed: " + ", ".join(missed))


def starts(worker, model):
    """Seconds to load the models and find that nobody speaks."""
    with tempfile.TemporaryDirectory() as work:
        path = pathlib.Path(work) / "silence.wav"
        with wave.open(str(path), "wb") as out:
            out.setparams((1, 2, 16000, 0, "NONE", ""))
            out.writeframes(bytes(3200))
        for _ in range(3):
            started = time.monotonic()
            subprocess.run([worker, path, "en", f"caregiving={model}"], check=True, capture_output=True)
            yield time.monotonic() - started


main()
