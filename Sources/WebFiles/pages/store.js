// What this device keeps, in IndexedDB: commands that wait, and the sound of recordings. Nothing counts as kept before it is on disk.

/** @type {Promise<IDBDatabase> | undefined} */
let opened;

/** @returns {Promise<IDBDatabase>} */
function database() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open("kith", 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("queue", { keyPath: "id", autoIncrement: true });
      request.result.createObjectStore("recordings", { keyPath: "key" });
      request.result.createObjectStore("pieces", { keyPath: "id", autoIncrement: true }).createIndex("recording", "recording");
    };
    request.onsuccess = () => {
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("another tab holds an older version"));
  });
  opened.catch(() => { opened = undefined; });
  return opened;
}

/**
 * Runs a transaction; ends when it is on disk.
 * @template T
 * @param {string[]} stores
 * @param {IDBTransactionMode} mode
 * @param {(stores: IDBObjectStore[]) => IDBRequest<T> | void} work
 * @returns {Promise<T>}
 */
async function transact(stores, mode, work) {
  const transaction = (await database()).transaction(stores, mode, { durability: "strict" });
  return new Promise((resolve, reject) => {
    const request = work(stores.map((name) => transaction.objectStore(name)));
    transaction.oncomplete = () => resolve(/** @type {T} */ (request?.result));
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error ?? new Error("aborted"));
  });
}

/** @typedef {import("./queue.js").Waiting} Waiting */

/**
 * The commands that wait, in their order.
 * @returns {Promise<Waiting[]>}
 */
export const commands = () => transact(["queue"], "readonly", ([queue]) => queue.getAll());

/**
 * Keeps a command.
 * @param {Waiting} command
 */
export const keep = (command) => transact(["queue"], "readwrite", ([queue]) => queue.add(command));

/**
 * Changes a command.
 * @param {Waiting} command
 */
export const change = (command) => transact(["queue"], "readwrite", ([queue]) => queue.put(command));

/**
 * Forgets a command and its sound.
 * @param {Waiting} command
 */
export const forget = (command) => transact(["queue", "recordings", "pieces"], "readwrite", ([queue, recordings, pieces]) => {
  queue.delete(/** @type {number} */ (command.id));
  if (command.hasSound) removeSound(command.key, recordings, pieces);
});

/**
 * @typedef {object} Recording
 * @property {string} key
 * @property {string} path
 * @property {Record<string, any>} message
 * @property {string[]} noted
 * @property {number} at
 */

/**
 * Begins a recording.
 * @param {Recording} recording
 */
export const begin = (recording) => transact(["recordings"], "readwrite", ([recordings]) => recordings.put(recording));

/**
 * Keeps a piece of sound.
 * @param {string} recording
 * @param {Int16Array} samples
 */
export const addPiece = (recording, samples) =>
  transact(["pieces"], "readwrite", ([pieces]) => pieces.add({ recording, samples }));

/**
 * The pieces of a recording, in their order.
 * @param {string} key
 * @returns {Promise<{samples: Int16Array}[]>}
 */
export const piecesOf = (key) => transact(["pieces"], "readonly", ([pieces]) => pieces.index("recording").getAll(key));

/**
 * Recordings without a command: the page ended while somebody spoke.
 * @returns {Promise<Recording[]>}
 */
export async function interrupted() {
  const known = new Set((await commands()).map((command) => command.key));
  const all = await transact(["recordings"], "readonly", ([recordings]) => recordings.getAll());
  return all.filter((recording) => !known.has(recording.key));
}

/**
 * Forgets a recording of which nothing is sent.
 * @param {string} key
 */
export const discardSound = (key) => transact(["recordings", "pieces"], "readwrite", ([recordings, pieces]) => {
  removeSound(key, recordings, pieces);
});

/** Forgets everything. */
export const wipe = () => transact(["queue", "recordings", "pieces"], "readwrite", (stores) => {
  for (const store of stores) store.clear();
});

/**
 * @param {string} key
 * @param {IDBObjectStore} recordings
 * @param {IDBObjectStore} pieces
 */
function removeSound(key, recordings, pieces) {
  recordings.delete(key);
  const cursor = pieces.index("recording").openKeyCursor(IDBKeyRange.only(key));
  cursor.onsuccess = () => {
    if (!cursor.result) return;
    pieces.delete(cursor.result.primaryKey);
    cursor.result.continue();
  };
}
