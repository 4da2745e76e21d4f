// What waits to be sent: which command is next, what an answer means, and when to try again. Without storage and network.

/**
 * @typedef {object} Waiting a command that is kept on this device until the hub has it
 * @property {number} [id] its place in the order
 * @property {string} key its idempotency key: the same however often it is sent
 * @property {string} path where it is sent to: `/kith.v1.Care/Record`
 * @property {Record<string, any>} message
 * @property {number} at when it was made, in milliseconds since 1970
 * @property {"waiting"|"failed"} state
 * @property {string} [reason] why the hub did not accept it
 * @property {string[]} [noted] the path of a time in the message that this device noted by its own clock
 * @property {boolean} [hasSound] whether the recording of its key belongs to it
 * @property {string} [soundType] the media type of that; without one it is samples of 16 kHz
 * @property {number} [photos] how many pictures belong to it, kept under its key
 * @property {string} [after] the key of the earlier correction on top of which this one of the same record was made
 */

/** @typedef {{kind: "done", made?: string} | {kind: "failed", reason: string} | {kind: "later", after: number} | {kind: "signed-out"}} Outcome */

/**
 * The command that is sent next: the first one that was not refused. Sound and pictures come last: over a bad line they take long, and
 * what was written does not wait for them.
 * @param {Waiting[]} commands in their order
 */
export function next(commands) {
  const waiting = commands.filter((command) => command.state === "waiting");
  return waiting.find((command) => !command.hasSound && !command.photos) ?? waiting[0];
}

/**
 * What an answer means for its command.
 * @param {number} status of HTTP; 0 = there was no answer
 * @param {{message?: string, updatedAt?: string, record?: {updatedAt?: string}}} body the record, or what the error says
 * @param {number} retryAfter seconds that the hub asks to wait
 * @returns {Outcome}
 */
export function outcome(status, body = {}, retryAfter = 0) {
  if (status >= 200 && status < 300) return { kind: "done", made: body.updatedAt ?? body.record?.updatedAt };
  if (status === 401) return { kind: "signed-out" };
  // A limit, a hub that is away, a body that came too slowly: the same command may be accepted later.
  if (status === 0 || status === 408 || status === 429 || status === 499 || status >= 500) return { kind: "later", after: retryAfter };
  return { kind: "failed", reason: body.message || `HTTP ${status}` };
}

/** A difference of clocks that is left alone, in milliseconds. */
const TOLERANCE = 60_000;

/**
 * A command with the time that this device noted, by the clock of the house. It is sent like this from then on: the same key has the same
 * message.
 * @param {Waiting} command
 * @param {number} ahead how far the clock of the house is ahead of this device's, in milliseconds
 * @returns {Waiting}
 */
export function corrected(command, ahead) {
  const { noted, ...rest } = command;
  if (!noted || Math.abs(ahead) < TOLERANCE) return rest;
  const message = structuredClone(rest.message);
  const name = noted.at(-1) ?? "";
  const object = noted.slice(0, -1).reduce((inner, step) => inner?.[step], message);
  const at = Date.parse(object?.[name]);
  if (!Number.isNaN(at)) object[name] = new Date(at + ahead).toISOString();
  return { ...rest, message };
}

/**
 * A correction that was made on top of another one, once that has arrived: it corrects what that made, and nothing that somebody else
 * changed since.
 * @param {Waiting} command
 * @param {string} made the time of the record that the other one made
 * @returns {Waiting}
 */
export function based({ after, ...command }, made) {
  return { ...command, message: { ...command.message, ifUpdatedAt: made } };
}

/** The fields of commands in which people write, or which name what they made. */
const WRITTEN = ["firstName", "lastName", "title", "name", "summary", "content", "transcript", "memo", "body", "note", "description", "data"];

/**
 * What a person wrote in a command, so that it can be read while it waits; empty if nothing.
 * @param {Record<string, any>} message
 */
export function written(message) {
  const parts = [message, message.record, message.message, message.item].filter((part) => typeof part === "object");
  const texts = parts.flatMap((part) => WRITTEN.map((name) => part[name])).filter((text) => typeof text === "string" && text !== "");
  return texts.join(" / ");
}

/**
 * A message that names files which the house has: in its record or, of a command on a record that exists, in itself.
 * @param {Record<string, any>} message
 * @param {{sha256: string, size: string, mediaType: string}[]} attachments
 */
export function attached(message, attachments) {
  return message.record ? { ...message, record: { ...message.record, attachments } } : { ...message, attachments };
}

/**
 * Makes work that runs once at a time. A call while it runs makes it run once more: it may have looked before there was anything to do.
 * @param {() => Promise<void>} work
 * @returns {() => Promise<void>} ends when the work was done after the call
 */
export function onceAtATime(work) {
  /** @type {Promise<void> | undefined} */
  let running;
  /** @type {Promise<void> | undefined} */
  let following;
  /** @returns {Promise<void>} */
  function run() {
    following = undefined;
    running = work().finally(() => { running = undefined; });
    return running;
  }
  return () => {
    if (!running) return run();
    following ??= running.then(run, run);
    return following;
  };
}

/**
 * Milliseconds to wait before the next attempt.
 * @param {number} attempts that failed in a row
 * @param {number} after seconds that the hub asked for
 */
export function delay(attempts, after = 0) {
  return Math.max(after * 1000, Math.min(1000 * 2 ** Math.min(attempts, 9), 300_000));
}
