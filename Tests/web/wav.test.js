import assert from "node:assert/strict";
import { test } from "node:test";
import { RATE, Resampler, wav } from "../../Sources/WebFiles/pages/wav.js";

const RATES = [44_100, 48_000];

/** A tone at half of the full level. */
const tone = (hertz, rate, seconds = 1) =>
  Float32Array.from({ length: Math.round(rate * seconds) }, (_, index) => 0.5 * Math.sin(2 * Math.PI * hertz * index / rate));

function resampled(sound, rate, piece = Math.round(rate / 2)) {
  const resampler = new Resampler(rate);
  const output = [];
  for (let start = 0; start < sound.length; start += piece) output.push(...resampler.push(sound.subarray(start, start + piece)));
  return [...output, ...resampler.end()];
}

/** The level of what came out, in dB of the tone that went in; without both ends, where the tone begins and stops. */
function level(output) {
  const middle = output.slice(1600, -1600);
  const power = middle.reduce((sum, sample) => sum + (sample / 32_767) ** 2, 0) / middle.length;
  return 10 * Math.log10(Math.max(power, 1e-12) / 0.125);
}

for (const rate of RATES) {
  test(`speech stays and what 16 kHz cannot hold goes, from ${rate} Hz`, () => {
    for (const hertz of [100, 1000, 3400, 6000]) assert.ok(Math.abs(level(resampled(tone(hertz, rate), rate))) < 1, `${hertz} Hz`);
    for (const hertz of [9000, 9500, 10_000, 12_000, 15_000, 20_000]) {
      const found = level(resampled(tone(hertz, rate), rate));
      assert.ok(found < -40, `${hertz} Hz comes out at ${found.toFixed(1)} dB`);
    }
  });
}

test("a tone keeps its frequency, from every rate that devices have", () => {
  for (const rate of [8000, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000]) {
    const output = resampled(tone(440, rate), rate);
    const correlate = (hertz) => {
      const [sine, cosine] = [Math.sin, Math.cos].map((wave) =>
        output.reduce((sum, sample, index) => sum + sample * wave(2 * Math.PI * hertz * index / RATE), 0));
      return Math.hypot(sine, cosine) / output.length * 2 / 32_767;
    };
    assert.ok(Math.abs(correlate(440) - 0.5) < 0.02, `${rate}: ${correlate(440)}`);
    assert.ok(correlate(450) < 0.02 && correlate(880) < 0.02, `${rate}`);
  }
});

test("as long comes out as went in", () => {
  for (const rate of [8000, 16_000, 44_100, 48_000]) {
    for (const seconds of [0.1, 0.5, 3]) {
      const found = resampled(tone(440, rate, seconds), rate).length / RATE;
      assert.ok(Math.abs(found - seconds) < 0.001, `${rate}: ${seconds} s became ${found} s`);
    }
  }
});

test("the pieces in which sound comes do not matter", () => {
  const sound = tone(700, 44_100, 0.4);
  const whole = resampled(sound, 44_100, sound.length);
  for (const piece of [1, 128, 4410]) assert.deepEqual(resampled(sound, 44_100, piece), whole, `${piece}`);
});

test("silence is silence, and too loud a sound is cut and not turned over", () => {
  assert.ok(resampled(new Float32Array(48_000), 48_000).every((sample) => sample === 0));
  const loud = resampled(tone(200, 48_000).map((sample) => sample * 6), 48_000).slice(100, -100);
  assert.ok(Math.max(...loud) === 32_767 && Math.min(...loud) === -32_768);
  const jumps = loud.slice(1).map((sample, index) => Math.abs(sample - loud[index]));
  assert.ok(Math.max(...jumps) < 20_000);
});

test("a tap and nothing said gives no sound", () => assert.deepEqual([...new Resampler(48_000).end()], []));

test("the header of the file is that of 16 kHz, mono, 16 bits", async () => {
  const file = wav([Int16Array.of(1, -2), Int16Array.of(3)]);
  assert.equal(file.type, "audio/wav");
  const bytes = new DataView(await file.arrayBuffer());
  const text = (at) => String.fromCharCode(...[0, 1, 2, 3].map((index) => bytes.getUint8(at + index)));
  assert.deepEqual([text(0), text(8), text(12), text(36)], ["RIFF", "WAVE", "fmt ", "data"]);
  assert.deepEqual([4, 16, 24, 28, 40].map((at) => bytes.getUint32(at, true)), [42, 16, 16_000, 32_000, 6]);
  assert.deepEqual([20, 22, 32, 34].map((at) => bytes.getUint16(at, true)), [1, 1, 2, 16]);
  assert.deepEqual([44, 46, 48].map((at) => bytes.getInt16(at, true)), [1, -2, 3]);
  assert.equal(bytes.byteLength, 50);
});
