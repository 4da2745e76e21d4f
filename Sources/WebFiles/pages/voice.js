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
 * @property {Resampler} resampler
 * @property {Promise<unknown>} stored the last piece, and with it all earlier ones
 * @property {number} samples
 * @property {WakeLockSentinel | undefined} lock
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
    if (recording.key === session?.key) continue;
    if ((await store.piecesOf(recording.key)).length === 0) {
      await store.discardSound(recording.key);
      continue;
    }
    await add({ key: recording.key, path: "/care/voice", message: recording.message, at: recording.at, hasSound: true });
    say(word("recording-interrupted"));
  }
}

/** @param {HTMLFormElement} form */
async function start(form) {
  if (session) return;
  const output = /** @type {HTMLElement} */ (form.querySelector("output"));
  /** @type {MediaStream} */
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({
      audio: { channelCount: 1, echoCancellation: false, noiseSuppression: false, autoGainControl: true } });
  } catch (error) {
    output.textContent = word(/** @type {DOMException} */ (error).name === "NotFoundError" ? "microphone-absent" : "microphone-denied");
    return;
  }
  const context = new AudioContext();
  const key = crypto.randomUUID();
  const category = /** @type {HTMLInputElement | null} */ (document.querySelector("input[name=category]:checked"))?.value;
  const message = { clientId: key, occurredAt: new Date().toISOString(), ...(category ? { category } : {}) };
  try {
    await store.begin({ key, message, at: Date.now() });
    await context.audioWorklet.addModule(script("/files/recorder-worklet.js"));
  } catch {
    for (const track of stream.getTracks()) track.stop();
    output.textContent = word("no-storage");
    return;
  }
  session = { key, message, stream, context, resampler: new Resampler(context.sampleRate), stored: Promise.resolve(), samples: 0,
    lock: await navigator.wakeLock?.request("screen").catch(() => undefined) };
  document.body.dataset.recording = "true";
  const node = new AudioWorkletNode(context, "recorder", { numberOfOutputs: 0 });
  node.port.onmessage = (event) => take(event.data, form);
  context.createMediaStreamSource(stream).connect(node);
  for (const track of stream.getTracks()) track.onended = () => void stopRecording("recording-interrupted");
  prepareVoice();
  const record = /** @type {HTMLElement} */ (form.querySelector("[data-test=record]"));
  record.setAttribute("aria-pressed", "true");
  /** @type {HTMLElement} */ (form.querySelector("[data-test=stop]")).focus();
}

/**
 * Takes half a second of sound.
 * @param {Float32Array} sound
 * @param {HTMLFormElement} form
 */
function take(sound, form) {
  if (!session) return;
  keepPiece(session, session.resampler.push(sound));
  const level = /** @type {HTMLMeterElement} */ (form.querySelector(".level"));
  level.hidden = false;
  level.value = Math.min(1, 4 * Math.sqrt(sound.reduce((sum, sample) => sum + sample * sample, 0) / sound.length));
  const seconds = session.samples / RATE;
  /** @type {HTMLElement} */ (form.querySelector("output")).textContent = word("recording", { seconds: Math.floor(seconds) });
  if (seconds >= LONGEST) void stopRecording("recording-limit");
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
  session = undefined;
  delete document.body.dataset.recording;
  for (const track of open.stream.getTracks()) track.stop();
  await open.context.close().catch(() => undefined);
  await open.lock?.release().catch(() => undefined);
  keepPiece(open, open.resampler.end());
  await open.stored;
  if (open.samples === 0) {
    await store.discardSound(open.key);
  } else {
    await add({ key: open.key, path: "/care/voice", message: open.message, at: Date.now(), hasSound: true });
  }
  for (const output of document.querySelectorAll("form.voice output")) output.textContent = word(name);
  for (const level of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("form.voice .level"))) level.hidden = true;
  for (const record of document.querySelectorAll("form.voice [data-test=record]")) record.setAttribute("aria-pressed", "false");
  prepareVoice();
}

document.addEventListener("visibilitychange", () => { if (document.hidden) void stopRecording("recording-interrupted"); });
window.addEventListener("pagehide", () => void stopRecording("recording-interrupted"));
