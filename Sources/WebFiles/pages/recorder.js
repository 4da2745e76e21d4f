// Takes sound from a microphone: samples of 16 kHz or, in a browser that cannot give them, what its own recorder makes.
import { script, WORKLET } from "./live.js";
import { RATE, Resampler } from "./wav.js";

/** Milliseconds of sound in one piece. */
const PIECE = 500;

/**
 * @typedef {object} Recorder
 * @property {() => Promise<void>} stop ends when all that was said was handed over
 */

/**
 * @typedef {object} Listener
 * @property {(piece: Int16Array | ArrayBuffer) => void} take called with each piece, in their order
 * @property {(seconds: number, level?: number) => void} show called with how long it is, and how loud (0 to 1) where that is known
 */

/** The media type of what a browser's own recorder makes; undefined if samples can be had, which is better. */
export const ownType = "AudioWorkletNode" in window
  ? undefined : ["audio/webm", "audio/mp4", "audio/ogg"].find((type) => window.MediaRecorder?.isTypeSupported(type));

/** Whether sound can be taken at all. */
export const canRecord = "AudioWorkletNode" in window || ownType !== undefined;

/**
 * Begins to take sound.
 * @param {MediaStream} stream
 * @param {Listener} listener
 * @returns {Promise<Recorder>}
 */
export const startRecorder = (stream, listener) => ownType ? ownRecorder(stream, ownType, listener) : sampler(stream, listener);

/** @param {MediaStream} stream @param {Listener} listener @returns {Promise<Recorder>} */
async function sampler(stream, { take, show }) {
  const context = new AudioContext();
  // A browser may wait with the sound until it is asked for, as the tap is over once the microphone is given.
  void context.resume().catch(() => undefined);
  await context.audioWorklet.addModule(script(WORKLET));
  const recorder = new AudioWorkletNode(context, "recorder", { numberOfOutputs: 0 });
  const resampler = new Resampler(context.sampleRate);
  let samples = 0;
  /** @param {Int16Array} piece */
  const hand = (piece) => {
    samples += piece.length;
    if (piece.length > 0) take(piece);
  };
  /** @type {() => void} */
  let ended = () => undefined;
  recorder.port.onmessage = ({ data: sound }) => {
    hand(resampler.push(sound));
    // The resampler is a few milliseconds behind.
    show(samples / RATE + 0.1, Math.min(1, 4 * Math.sqrt(sound.reduce((/** @type {number} */ sum, /** @type {number} */ sample) =>
      sum + sample * sample, 0) / sound.length)));
    if (sound.length < Math.round(context.sampleRate * PIECE / 1000)) ended();
  };
  context.createMediaStreamSource(stream).connect(recorder);
  return {
    async stop() {
      await new Promise((resolve) => {
        ended = () => resolve(undefined);
        recorder.port.postMessage("rest");
        // The thread of the sound may have ended, as when the device was taken away.
        setTimeout(resolve, 3000);
      });
      await context.close().catch(() => undefined);
      hand(resampler.end());
    },
  };
}

/** @param {MediaStream} stream @param {string} mimeType @param {Listener} listener @returns {Promise<Recorder>} */
async function ownRecorder(stream, mimeType, { take, show }) {
  const recorder = new MediaRecorder(stream, { mimeType });
  const began = performance.now();
  /** @type {Promise<void>} the last piece, and with it all earlier ones */
  let handed = Promise.resolve();
  recorder.ondataavailable = ({ data }) => {
    handed = handed.then(async () => { if (data.size > 0) take(await data.arrayBuffer()); });
    show((performance.now() - began) / 1000);
  };
  const ended = new Promise((resolve) => { recorder.onstop = resolve; });
  recorder.start(PIECE);
  return {
    async stop() {
      // It ends by itself with the microphone.
      if (recorder.state !== "inactive") recorder.stop();
      await ended;
      await handed;
    },
  };
}
