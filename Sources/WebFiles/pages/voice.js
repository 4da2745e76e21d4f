// Speaks to the house: sound goes to this device piece by piece while somebody speaks, and to the hub when they have stopped.
import { refreshIfStale } from "./live.js";
import { canRecord, ownType, startRecorder } from "./recorder.js";
import { add } from "./sender.js";
import * as store from "./store.js";
import { say, word } from "./words.js";

const LONGEST = 300;
/** Milliseconds in which somebody reads why nothing is recorded: a fresh page does not say it. */
const READING = 10_000;
/** @type {number | undefined} */
let reading;

/**
 * @typedef {object} Session what is open while somebody speaks
 * @property {import("./store.js").Recording} recording
 * @property {MediaStream} stream
 * @property {import("./recorder.js").Recorder} recorder
 * @property {Sound} sound
 * @property {WakeLockSentinel | undefined} lock
 * @property {() => void} release ends the claim on the recording
 */

/**
 * @typedef {object} Sound what was said so far
 * @property {Promise<unknown>} stored the last piece, and with it all earlier ones
 * @property {boolean} isEmpty
 */

/** @type {Session | undefined} */
let session;

/** Shows the buttons of the forms to speak, as far as this browser can. */
export function prepareVoice() {
  for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form.voice"))) {
    const [record, stop] = /** @type {HTMLButtonElement[]} */ (["record", "stop"].map((name) => form.querySelector(`[data-test=${name}]`)));
    const fault = navigator.mediaDevices ? canRecord ? "" : "microphone-old"
      : window.isSecureContext ? "microphone-absent" : "microphone-insecure";
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
  // Another tab has made a command of it since this one looked.
  if ((await store.commands()).some((command) => command.key === recording.key)) return;
  if ((await store.piecesOf(recording.key)).length === 0) {
    await store.discardSound(recording.key);
    return;
  }
  // One that an earlier version of this script began has neither.
  await send({ ...recording, path: recording.path ?? "/care/voice", noted: recording.noted ?? ["occurredAt"] });
  say(word("recording-interrupted"));
}

/** @param {store.Recording} recording */
const send = ({ key, path, message, noted, at, type }) => add({ key, path, message, at, hasSound: true, soundType: type, noted });

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

/**
 * Says why nothing is recorded, or not all, as long as somebody reads it.
 * @param {Iterable<HTMLElement>} outputs
 * @param {string} name of the word
 */
function sayWhy(outputs, name) {
  for (const output of outputs) {
    output.textContent = word(name);
    output.dataset.reading = "true";
  }
  clearTimeout(reading);
  reading = window.setTimeout(() => {
    for (const output of document.querySelectorAll("[data-reading]")) output.removeAttribute("data-reading");
    refreshIfStale();
  }, READING);
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
    const isAbsent = /** @type {DOMException} */ (error).name === "NotFoundError";
    return sayWhy([output], isAbsent ? "microphone-absent" : "microphone-denied");
  }
  const key = crypto.randomUUID();
  const { path = "/care/voice", message: given = "{}", noted: field = "occurredAt" } = form.dataset;
  const noted = field.split(".");
  /** @type {Record<string, any>} */
  const message = { ...JSON.parse(given), clientId: key };
  const category = /** @type {HTMLInputElement | null} */ (document.querySelector("input[name=category]:checked"))?.value;
  if (category && path === "/care/voice") message.category = category;
  const last = noted.at(-1) ?? "";
  noted.slice(0, -1).reduce((object, name) => object[name] ??= {}, message)[last] = new Date().toISOString();
  const release = await claim(key);
  const recording = { key, path, message, noted, at: Date.now(), type: ownType };
  /** @type {Sound} */
  const sound = { stored: Promise.resolve(), isEmpty: true };
  /** @param {number} seconds @param {number} [level] */
  const show = (seconds, level) => {
    showSound(form, seconds, level);
    if (seconds >= LONGEST) void stopRecording("recording-limit");
  };
  try {
    await store.begin(recording);
    const recorder = await startRecorder(stream, { take: (piece) => keepPiece(key, sound, piece), show });
    const lock = await navigator.wakeLock?.request("screen").catch(() => undefined);
    session = { recording, stream, recorder, sound, release, lock };
  } catch {
    release();
    delete document.body.dataset.recording;
    for (const track of stream.getTracks()) track.stop();
    return sayWhy([output], "no-storage");
  }
  for (const track of stream.getTracks()) track.onended = () => void stopRecording("recording-interrupted");
  prepareVoice();
  const record = /** @type {HTMLElement} */ (form.querySelector("[data-test=record]"));
  record.setAttribute("aria-pressed", "true");
  /** @type {HTMLElement} */ (form.querySelector("[data-test=stop]")).focus();
}

/**
 * Shows how long and how loud it is.
 * @param {HTMLFormElement} form
 * @param {number} seconds
 * @param {number | undefined} level
 */
function showSound(form, seconds, level) {
  const meter = /** @type {HTMLMeterElement} */ (form.querySelector(".level"));
  meter.hidden = level === undefined;
  meter.value = level ?? 0;
  /** @type {HTMLElement} */ (form.querySelector("output")).textContent = word("recording", { seconds: Math.floor(seconds) });
}

/** @param {string} key @param {Sound} sound @param {Int16Array | ArrayBuffer} piece */
function keepPiece(key, sound, piece) {
  sound.stored = sound.stored.then(() => store.addPiece(key, piece)).then(() => { sound.isEmpty = false; });
  // Nobody should go on speaking when nothing is kept any more.
  sound.stored.catch(() => stopRecording("recording-full"));
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
  for (const track of open.stream.getTracks()) track.stop();
  await open.lock?.release().catch(() => undefined);
  try {
    let isWhole = true;
    const note = () => { isWhole = false; };
    await open.recorder.stop().catch(note);
    // However that ended, a piece may still be on its way to the disk.
    await open.sound.stored.catch(note);
    if (!isWhole) name = open.sound.isEmpty ? "no-storage" : "recording-full";
    if (open.sound.isEmpty) await store.discardSound(open.recording.key); else await send({ ...open.recording, at: Date.now() });
  } catch {
    // The next page makes a command of what is kept.
    name = "recording-full";
  } finally {
    open.release();
    // Until here the page stays as it is.
    delete document.body.dataset.recording;
  }
  const outputs = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("form.voice output"));
  if (name === "recording-sent") for (const output of outputs) output.textContent = word(name); else sayWhy(outputs, name);
  for (const level of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("form.voice .level"))) level.hidden = true;
  for (const record of document.querySelectorAll("form.voice [data-test=record]")) record.setAttribute("aria-pressed", "false");
  prepareVoice();
  if (hasFocus) /** @type {HTMLElement | null} */ (document.querySelector("form.voice [data-test=record]"))?.focus();
  refreshIfStale();
}

document.addEventListener("visibilitychange", () => { if (document.hidden) void stopRecording("recording-interrupted"); });
window.addEventListener("pagehide", () => void stopRecording("recording-interrupted"));
