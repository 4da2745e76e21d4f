// What this device keeps, in IndexedDB: commands that wait with their pictures, and the sound of recordings. Nothing counts as kept before it is on disk.

/** @type {Promise<IDBDatabase> | undefined} */
let opened;

/** @returns {Promise<IDBDatabase>} */
function database() {
  // An update of the stores only adds to them: a page from before one, which the worker has kept, works with what is there.
  opened ??= open(2).catch((fault) => fault.name === "VersionError" ? open() : Promise.reject(fault));
  opened.catch(() => { opened = undefined; });
  return opened;
}

/**
 * Opens the stores, and makes those that are missing.
 * @param {number} [version] without one, that which they have
 * @returns {Promise<IDBDatabase>}
 */
function open(version) {
  return new Promise((resolve, reject) => {
    // A page of an earlier version gives way: it would send a command without its pictures.
    const request = indexedDB.open("kith", version);
    request.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion < 1) {
        request.result.createObjectStore("queue", { keyPath: "id", autoIncrement: true });
        request.result.createObjectStore("recordings", { keyPath: "key" });
        request.result.createObjectStore("pieces", { keyPath: "id", autoIncrement: true }).createIndex("recording", "recording");
      }
      request.result.createObjectStore("photos", { keyPath: "id", autoIncrement: true }).createIndex("command", "command");
    };
    request.onsuccess = () => {
      const forget = () => { opened = undefined; };
      request.result.onclose = forget;
      request.result.onversionchange = () => {
        request.result.close();
        forget();
      };
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("another tab holds an older version"));
  });
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
  const begin = async () => (await database()).transaction(stores, mode, { durability: "strict" });
  const transaction = await begin().catch(() => {
    // The browser may have closed it meanwhile.
    opened = undefined;
    return begin();
  });
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
 * Keeps a command with its pictures: all or nothing.
 * @param {Waiting} command
 * @param {ArrayBuffer[]} bytes
 */
export const keep = (command, bytes = []) => transact(["queue", "photos"], "readwrite", ([queue, photos]) => {
  for (const picture of bytes) photos.add({ command: command.key, bytes: picture });
  queue.add(command);
});

/**
 * The pictures of a command, in their order.
 * @param {string} key
 * @returns {Promise<{bytes: ArrayBuffer}[]>}
 */
export const photosOf = (key) => transact(["photos"], "readonly", ([photos]) => photos.index("command").getAll(key));

/**
 * Changes a command.
 * @param {Waiting} command
 */
export const change = (command) => transact(["queue"], "readwrite", ([queue]) => queue.put(command));

/**
 * Forgets a command with its sound and its pictures.
 * @param {Waiting} command
 */
export const forget = (command) => transact(["queue", "recordings", "pieces", "photos"], "readwrite", ([queue, recordings, pieces, photos]) => {
  queue.delete(/** @type {number} */ (command.id));
  if (command.hasSound) removeSound(command.key, recordings, pieces);
  if (command.photos) removeAll(photos.index("command"), command.key);
});

/**
 * @typedef {object} Recording
 * @property {string} key
 * @property {string} path
 * @property {Record<string, any>} message
 * @property {string[]} noted the path of its time in the message
 * @property {number} at
 * @property {string} [type] the media type of its pieces; without one they are samples of 16 kHz
 */

/**
 * Begins a recording.
 * @param {Recording} recording
 */
export const begin = (recording) => transact(["recordings"], "readwrite", ([recordings]) => recordings.put(recording));

/**
 * Keeps a piece of sound.
 * @param {string} recording
 * @param {Int16Array | ArrayBuffer} samples
 */
export const addPiece = (recording, samples) =>
  transact(["pieces"], "readwrite", ([pieces]) => pieces.add({ recording, samples }));

/**
 * The pieces of a recording, in their order.
 * @param {string} key
 * @returns {Promise<{samples: Int16Array | ArrayBuffer}[]>}
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
export const wipe = () => transact(["queue", "recordings", "pieces", "photos"], "readwrite", (stores) => {
  for (const store of stores) store.clear();
});

/**
 * @param {string} key
 * @param {IDBObjectStore} recordings
 * @param {IDBObjectStore} pieces
 */
function removeSound(key, recordings, pieces) {
  recordings.delete(key);
  removeAll(pieces.index("recording"), key);
}

/**
 * Removes what an index has under a key.
 * @param {IDBIndex} index
 * @param {string} key
 */
function removeAll(index, key) {
  const cursor = index.openKeyCursor(IDBKeyRange.only(key));
  cursor.onsuccess = () => {
    if (!cursor.result) return;
    index.objectStore.delete(cursor.result.primaryKey);
    cursor.result.continue();
  };
}
