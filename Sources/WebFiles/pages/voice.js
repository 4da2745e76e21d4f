// Speaks to the house: sound goes to this device piece by piece while somebody speaks, and to the hub when they have stopped.
import { script } from "./live.js";
import { add } from "./sender.js";
import * as store from "./store.js";
import { RATE, Resampler } from "./wav.js";
import { say, word } from "./words.js";

const LONGEST = 300;

/**
 * @typedef {object} Session what is open while somebody speaks
 * @property {string} key
 * @property {Record<string, any>} message
 * @property {MediaStream} stream
 * @property {AudioContext} context
 * @property {AudioWorkletNode} recorder
 * @property {Resampler} resampler
 * @property {Promise<unknown>} stored the last piece, and with it all earlier ones
 * @property {number} samples
 * @property {WakeLockSentinel | undefined} lock
 * @property {() => void} release ends the claim on the recording
 */

/** @type {Session | undefined} */
let session;

/** Shows the buttons of the forms to speak, as far as this browser can. */
export function prepareVoice() {
  for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form.voice"))) {
    const [record, stop] = /** @type {HTMLButtonElement[]} */ (["record", "stop"].map((name) => form.querySelector(`[data-test=${name}]`)));
    const fault = navigator.mediaDevices ? "" : window.isSecureContext ? "microphone-absent" : "microphone-insecure";
    const output = /** @type {HTMLElement} */ (form.querySelector("output"));
    if (fault) output.textContent = word(fault);
    record.hidden = fault !== "" || session !== undefined;
    stop.hidden = session === undefined;
    record.onclick = () => void start(form);
    stop.onclick = () => void stopRecording("recording-sent");
    form.onsubmit = (event) => event.preventDefault();
  }
}

/** Makes what the page ended in the middle of a command: what was said until then is kept. */
export async function recoverRecordings() {
  for (const recording of await store.interrupted()) {
    if (!navigator.locks) await recover(recording);
    // A tab that has the lock is where somebody is still speaking.
    else await navigator.locks.request(lockName(recording.key), { ifAvailable: true }, (lock) => lock ? recover(recording) : undefined);
  }
}

/** @param {store.Recording} recording */
async function recover(recording) {
  if ((await store.piecesOf(recording.key)).length === 0) {
    await store.discardSound(recording.key);
    return;
  }
  await add({ key: recording.key, path: "/care/voice", message: recording.message, at: recording.at, hasSound: true });
  say(word("recording-interrupted"));
}

/** @param {string} key */
const lockName = (key) => `kith-recording ${key}`;

/**
 * Tells other tabs that somebody is speaking here.
 * @param {string} key
 * @returns {Promise<() => void>} ends it
 */
function claim(key) {
  return new Promise((resolve) => {
    const locks = navigator.locks;
    if (locks) void locks.request(lockName(key), () => new Promise((release) => { resolve(() => release(undefined)); }));
    else resolve(() => undefined);
  });
}

/** @param {HTMLFormElement} form */
async function start(form) {
  if (document.body.dataset.recording) return;
  // From here on no event changes the page, also while the person is asked for the microphone.
  document.body.dataset.recording = "true";
  const output = /** @type {HTMLElement} */ (form.querySelector("output"));
  /** @type {MediaStream} */
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({
      audio: { channelCount: 1, echoCancellation: false, noiseSuppression: false, autoGainControl: true } });
  } catch (error) {
    delete document.body.dataset.recording;
    output.textContent = word(/** @type {DOMException} */ (error).name === "NotFoundError" ? "microphone-absent" : "microphone-denied");
    return;
  }
  const context = new AudioContext();
  // A browser may wait with the sound until it is asked for, as the tap is over once the microphone is given.
  void context.resume().catch(() => undefined);
  const key = crypto.randomUUID();
  const category = /** @type {HTMLInputElement | null} */ (document.querySelector("input[name=category]:checked"))?.value;
  const message = { clientId: key, occurredAt: new Date().toISOString(), ...(category ? { category } : {}) };
  const release = await claim(key);
  try {
    await store.begin({ key, message, at: Date.now() });
    await context.audioWorklet.addModule(script("/files/recorder-worklet.js"));
  } catch {
    release();
    delete document.body.dataset.recording;
    for (const track of stream.getTracks()) track.stop();
    output.textContent = word("no-storage");
    return;
  }
  const recorder = new AudioWorkletNode(context, "recorder", { numberOfOutputs: 0 });
  const open = session = { key, message, stream, context, recorder, resampler: new Resampler(context.sampleRate),
    stored: Promise.resolve(), samples: 0, release, lock: await navigator.wakeLock?.request("screen").catch(() => undefined) };
  recorder.port.onmessage = (event) => {
    take(open, event.data);
    show(open, event.data, form);
  };
  context.createMediaStreamSource(stream).connect(recorder);
  for (const track of stream.getTracks()) track.onended = () => void stopRecording("recording-interrupted");
  prepareVoice();
  const record = /** @type {HTMLElement} */ (form.querySelector("[data-test=record]"));
  record.setAttribute("aria-pressed", "true");
  /** @type {HTMLElement} */ (form.querySelector("[data-test=stop]")).focus();
}

/**
 * Shows how loud and how long it is.
 * @param {Session} open
 * @param {Float32Array} sound
 * @param {HTMLFormElement} form
 */
function show(open, sound, form) {
  const level = /** @type {HTMLMeterElement} */ (form.querySelector(".level"));
  level.hidden = false;
  level.value = Math.min(1, 4 * Math.sqrt(sound.reduce((sum, sample) => sum + sample * sample, 0) / sound.length));
  // The resampler is a few milliseconds behind.
  const seconds = open.samples / RATE;
  /** @type {HTMLElement} */ (form.querySelector("output")).textContent = word("recording", { seconds: Math.floor(seconds + 0.1) });
  if (seconds >= LONGEST) void stopRecording("recording-limit");
}

/** @param {Session} open @param {Float32Array} sound */
const take = (open, sound) => keepPiece(open, open.resampler.push(sound));

/**
 * Takes what was said since the last half second was full.
 * @param {Session} open
 * @returns {Promise<void>}
 */
function takeRest(open) {
  return new Promise((resolve) => {
    open.recorder.port.onmessage = (event) => {
      take(open, event.data);
      if (event.data.length < Math.round(open.context.sampleRate / 2)) resolve();
    };
    open.recorder.port.postMessage("rest");
    // The thread of the sound may have ended, as when the device was taken away.
    setTimeout(resolve, 500);
  });
}

/** @param {Session} open @param {Int16Array} samples */
function keepPiece(open, samples) {
  if (samples.length === 0) return;
  open.samples += samples.length;
  open.stored = open.stored.then(() => store.addPiece(open.key, samples));
}

/**
 * Stops, gives the microphone back, and sends what was said.
 * @param {string} name of the word that says why
 */
async function stopRecording(name) {
  const open = session;
  if (!open) return;
  const hasFocus = document.activeElement?.matches("form.voice button") === true;
  session = undefined;
  delete document.body.dataset.recording;
  for (const track of open.stream.getTracks()) track.stop();
  await takeRest(open);
  await open.context.close().catch(() => undefined);
  await open.lock?.release().catch(() => undefined);
  keepPiece(open, open.resampler.end());
  await open.stored;
  if (open.samples === 0) {
    await store.discardSound(open.key);
  } else {
    await add({ key: open.key, path: "/care/voice", message: open.message, at: Date.now(), hasSound: true });
  }
  open.release();
  for (const output of document.querySelectorAll("form.voice output")) output.textContent = word(name);
  for (const level of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("form.voice .level"))) level.hidden = true;
  for (const record of document.querySelectorAll("form.voice [data-test=record]")) record.setAttribute("aria-pressed", "false");
  prepareVoice();
  if (hasFocus) /** @type {HTMLElement | null} */ (document.querySelector("form.voice [data-test=record]"))?.focus();
}

document.addEventListener("visibilitychange", () => { if (document.hidden) void stopRecording("recording-interrupted"); });
window.addEventListener("pagehide", () => void stopRecording("recording-interrupted"));
