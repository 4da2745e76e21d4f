// The page without the network: pages and files come from the house if it answers in time, else as they were last seen. A page names the
// scripts of its version, which never change: they are kept before the page is, all of them or none, and go with the last page of theirs.

/** What is shown in the place of a page that was not seen, and what a browser asks for by itself. */
const FILES = ["/files/icon.svg", "/files/offline.html", "/files/page.css", "/manifest.webmanifest"];
/** What the door's pages name: these are shown only while the house answers. */
const DOOR = ["/files/door.css", "/files/pair.js"];
/** A script of a version, and the folder of that version: `/files/0123456789abcdef/app.js`. */
const SCRIPT = /"((\/files\/[0-9a-f]{16}\/)[\w-]+\.js)"/g;
/** How many milliseconds the house has for what was seen and for files, and for other pages. */
const PATIENCE = [3000, 20_000];
const MOST_PAGES = 200;
const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

worker.addEventListener("install", (event) => {
  event.waitUntil(Promise.all([keepAll("files", FILES), keepScripts()]).then(() => worker.skipWaiting()));
});

/** Keeps the scripts of now, which the house lists: the page that is open is the first one to be kept when it is opened again. */
async function keepScripts() {
  const { folder, files } = scripts(await (await whole("/files/")).text());
  if (folder) await keepAll(folder, files);
}

/**
 * What the house has there, once all of it has come. Throws if something on the way to the house answers.
 * @param {string} address
 */
async function whole(address) {
  const answer = await fetch(address);
  if (!answer.ok || !isHouse(answer)) throw new TypeError(address);
  await answer.clone().arrayBuffer();
  return answer;
}

/**
 * Keeps files once all have come.
 * @param {string} name of the cache
 * @param {string[]} files
 */
async function keepAll(name, files) {
  const answers = await Promise.all(files.map(whole));
  const cache = await caches.open(name);
  await Promise.all(answers.map((answer, index) => cache.put(files[index], answer)));
}

/**
 * Whether the house gave an answer, and nothing on the way to it, such as the login page of a network.
 * @param {Response} answer
 */
const isHouse = (answer) => answer.headers.has("Kith-House");

worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  // Files to take away are not pages that were seen.
  if (event.request.method !== "GET" || url.origin !== location.origin || url.pathname.startsWith("/blobs/")) return;
  const folder = scripts(`"${url.pathname}"`).folder;
  if (folder) {
    event.respondWith(asKept(event.request, folder));
  } else if (FILES.includes(url.pathname)) {
    event.respondWith(fromHouse(event, "files"));
  } else if (url.pathname.startsWith("/files/") && !DOOR.includes(url.pathname)) {
    // Pages from before scripts had versions name these.
    event.respondWith(asKept(event.request, "files"));
  } else if (event.request.mode === "navigate" || event.request.headers.get("accept") === "text/html") {
    event.respondWith(fromHouse(event, "pages"));
  }
});

/** @param {Request} request @param {string} name of the cache */
async function asKept(request, name) {
  return await caches.match(request.url, { cacheName: name }) ?? await fetch(request);
}

/** @typedef {{ folder?: string, files: string[] }} Scripts */

/**
 * The scripts that a page names, and their folder, which is also the name of their cache.
 * @param {string} page
 * @returns {Scripts}
 */
function scripts(page) {
  const found = [...page.matchAll(SCRIPT)];
  return { folder: found[0]?.[2], files: [...new Set(found.map(([, file]) => file))] };
}

/** @param {FetchEvent} event @param {string} name of the cache */
async function fromHouse(event, name) {
  const { request } = event;
  const cache = await caches.open(name);
  // A page that is open asks for what the house has now: it would take what was seen for that, and not ask again.
  const isOpen = request.mode !== "navigate" && request.cache === "reload";
  const seen = isOpen ? undefined : await cache.match(request.url);
  const patience = /** @type {any} */ (new AbortController());
  const timer = setTimeout(() => patience.abort(), PATIENCE[seen || name === "files" ? 0 : 1]);
  try {
    const answer = await fetch(request, { signal: patience.signal });
    // One that breaks off is no answer, and what was seen before is more than half of this one.
    const text = await answer.clone().text();
    // From here on that would break off what has come, while it is handed over or kept.
    clearTimeout(timer);
    if (!isHouse(answer)) {
      // A login page is shown in the place of a page, so that somebody can log in.
      if (name === "pages" && answer.status < 500) return answer;
      throw new TypeError("an answer of something else");
    }
    if (answer.status === 401 || answer.headers.has("Kith-Forget")) {
      // Signed out: what this device has seen goes. What it has not sent yet is not here.
      await caches.delete("pages");
    } else if (answer.ok) {
      const kept = answer.clone();
      const work = name === "pages" ? keepPage(cache, request.url, kept, scripts(text)) : cache.put(request.url, kept);
      // Nobody waits for it. On a full disk nothing is kept for later, and the answer is shown all the same.
      event.waitUntil(work.catch(() => undefined));
    }
    if (answer.status < 500) return answer;
    return seen ?? answer;
  } catch {
    return seen ?? (name === "pages" && !isOpen ? await caches.match("/files/offline.html") : undefined) ?? Response.error();
  }
}

/** @param {Scripts} scripts */
async function areKept({ folder, files }) {
  const kept = await Promise.all(files.map((file) => caches.match(file, { cacheName: folder })));
  return kept.every((file) => file);
}

/**
 * Keeps a page for times without the network, once its scripts are kept, and forgets those that were seen first.
 * @param {Cache} pages as they were when the page came: what comes after somebody has signed out is kept nowhere
 * @param {string} address
 * @param {Response} answer
 * @param {Scripts} named on it
 */
async function keepPage(pages, address, answer, named) {
  if (named.folder && !await areKept(named)) {
    await Promise.all([keepAll(named.folder, named.files), keepAll("files", FILES)]);
  }
  await alone(async () => {
    // Another page has just forgotten them: this one is kept when it is opened again.
    if (!await areKept(named)) return;
    const before = await (await pages.match(address))?.text();
    await pages.put(address, answer);
    const [seen, gone] = [await pages.keys(), [before]];
    for (const page of seen.slice(0, Math.max(0, seen.length - MOST_PAGES))) {
      gone.push(await (await pages.match(page))?.text());
      await pages.delete(page);
    }
    if (gone.some((text) => text !== undefined && scripts(text).folder !== named.folder)) await forgetScripts(pages);
  });
}

/**
 * Does something with the pages while nobody else does.
 * @param {() => Promise<void>} work
 */
const alone = (work) => navigator.locks ? navigator.locks.request("kith-pages", work) : work();

/**
 * Forgets the scripts that no page has that is kept.
 * @param {Cache} pages
 */
async function forgetScripts(pages) {
  const texts = await Promise.all((await pages.keys()).map(async (page) => await (await pages.match(page))?.text() ?? ""));
  const folders = texts.map((text) => scripts(text).folder);
  for (const name of await caches.keys()) {
    if (name.startsWith("/files/") && !folders.includes(name)) await caches.delete(name);
  }
  // A page from before scripts had versions needs all that are kept without one.
  if (texts.some((text) => text.includes('"/files/app.js"'))) return;
  const files = await caches.open("files");
  for (const { url } of await files.keys()) if (!FILES.includes(new URL(url).pathname)) await files.delete(url);
}

// MARK: - Reminders

worker.addEventListener("push", (event) => event.waitUntil(remind()));

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(worker.clients.openWindow("/"));
});

/** Shows what is due: the message says nothing, so the house is asked. A browser demands that something is shown in any case. */
async function remind() {
  const [title, unknown] = navigator.language.startsWith("ja")
    ? ["お知らせ", "Kithからのお知らせがあります。"] : ["Reminder", "Kith has something for you. Open the page to see it."];
  const due = await dueNow().catch(() => []);
  await worker.registration.showNotification(title, {
    body: due.length > 0 ? due.join("\n") : unknown, tag: "kith-due", renotify: true, icon: "/files/icon.svg" });
}

/**
 * The titles of what is due.
 * @returns {Promise<string[]>}
 */
async function dueNow() {
  const signal = /** @type {any} */ (AbortSignal).timeout(5000);
  const answer = await fetch("/kith.v1.Reminders/Status?message=%7B%7D", { signal, cache: "no-store" });
  if (!answer.ok) return [];
  return ((await answer.json()).due ?? []).map((/** @type {{title?: string}} */ reminder) => reminder.title ?? "");
}
