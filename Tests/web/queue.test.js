import assert from "node:assert/strict";
import { test } from "node:test";
import { attached, based, corrected, delay, next, onceAtATime, outcome, written } from "../../Sources/WebFiles/pages/queue.js";

const command = (id, state = "waiting") => ({ id, key: `key ${id}`, path: "/kith.v1.Care/Record", message: {}, at: id, state });

test("the first that waits is next, and a refused one holds up nobody", () => {
  assert.equal(next([]), undefined);
  assert.equal(next([command(1), command(2)])?.id, 1);
  assert.equal(next([command(1, "failed"), command(2), command(3)])?.id, 2);
  assert.equal(next([command(1, "failed")]), undefined);
  const [sound, pictures] = [{ ...command(1), hasSound: true }, { ...command(2), photos: 2 }];
  assert.equal(next([sound, pictures, command(3, "failed"), command(4)])?.id, 4, "what was written does not wait for sound and pictures");
  assert.equal(next([sound, pictures, command(3, "failed")])?.id, 1);
});

test("what an answer means", () => {
  for (const status of [200, 201, 204]) assert.deepEqual(outcome(status), { kind: "done", made: undefined });
  for (const body of [{ updatedAt: "10:00" }, { record: { updatedAt: "10:00" } }]) {
    assert.deepEqual(outcome(200, body), { kind: "done", made: "10:00" });
  }
  for (const status of [400, 403, 404, 409, 410, 411, 413, 415, 422]) {
    assert.deepEqual(outcome(status, { message: "category is unknown." }), { kind: "failed", reason: "category is unknown." }, `${status}`);
  }
  assert.deepEqual(outcome(401, { message: "revoked" }), { kind: "signed-out" });
  for (const status of [0, 408, 429, 499, 500, 502, 503, 504]) assert.deepEqual(outcome(status), { kind: "later", after: 0 }, `${status}`);
  assert.deepEqual(outcome(429, {}, 7), { kind: "later", after: 7 });
  assert.deepEqual(outcome(503, { message: "The hub does not answer." }, 1), { kind: "later", after: 1 });
});

test("what a person wrote is read while it waits", () => {
  assert.equal(written({ category: "meal", memo: "Soup" }), "Soup");
  assert.equal(written({ record: { id: "7", transcript: "Two pills", memo: "after lunch" }, fields: ["transcript", "memo"] }), "Two pills / after lunch");
  assert.equal(written({ conversationId: "7", message: { id: "8", content: "Lunch at one" }, ifContent: "Lunch at ten" }), "Lunch at one");
  assert.equal(written({ record: { firstName: "Ann", lastName: "", personId: "7" } }), "Ann");
  assert.equal(written({ id: "7" }), "");
});

test("a time that a wrong clock noted is that of the house, and no other is touched", () => {
  const noted = { ...command(1), noted: ["record", "calledAt"], message: { record: { calledAt: "2026-11-24T08:00:00.000Z", note: "x" } } };
  const hour = 3_600_000;
  assert.deepEqual(corrected(noted, hour).message, { record: { calledAt: "2026-11-24T09:00:00.000Z", note: "x" } });
  assert.deepEqual(corrected(noted, -hour).message.record.calledAt, "2026-11-24T07:00:00.000Z");
  assert.equal(noted.message.record.calledAt, "2026-11-24T08:00:00.000Z");
  for (const ahead of [0, 59_999, -59_999]) assert.deepEqual(corrected(noted, ahead).message, noted.message);
  assert.ok(!("noted" in corrected(noted, hour)) && !("noted" in corrected(noted, 0)));
  assert.deepEqual(corrected({ ...noted, noted: undefined }, hour).message, noted.message);
  assert.deepEqual(corrected({ ...noted, message: {} }, hour).message, {});
});

test("a correction on top of one that has arrived is one of what that made", () => {
  const second = { ...command(2), after: "key 1", message: { record: { memo: "soup and tea" }, ifUpdatedAt: "09:00" } };
  assert.deepEqual(based(second, "10:00"), { ...command(2), message: { record: { memo: "soup and tea" }, ifUpdatedAt: "10:00" } });
  assert.equal(second.message.ifUpdatedAt, "09:00");
});

test("files are named in the record, or in a command on one that exists", () => {
  const files = [{ sha256: "a", size: "1", mediaType: "image/jpeg" }];
  const made = { record: { note: "x" }, clientId: "1" };
  assert.deepEqual(attached(made, files), { record: { note: "x", attachments: files }, clientId: "1" });
  assert.deepEqual(attached({ id: "1" }, files), { id: "1", attachments: files });
  assert.deepEqual(made, { record: { note: "x" }, clientId: "1" });
});

test("a refusal without a sentence has at least its number", () => assert.deepEqual(outcome(403, {}), { kind: "failed", reason: "HTTP 403" }));

test("attempts wait longer and longer, to five minutes, and as long as the hub asks", () => {
  const waits = Array.from({ length: 12 }, (_, index) => delay(index + 1));
  assert.deepEqual(waits.slice(0, 4), [2000, 4000, 8000, 16_000]);
  assert.ok(waits.every((wait, index) => index === 0 || wait >= waits[index - 1]));
  assert.equal(waits.at(-1), 300_000);
  assert.equal(delay(1, 60), 60_000);
  assert.equal(delay(30, 1), 300_000);
  assert.equal(delay(5000), 300_000);
});

/** Work whose end the test decides, and how often it began. */
function held() {
  const ends = [];
  return { ends, work: () => new Promise((resolve, reject) => { ends.push({ resolve, reject }); }) };
}
const settled = () => new Promise((resolve) => { setImmediate(resolve); });

test("work runs once at a time, and once more for all who called meanwhile", async () => {
  const { ends, work } = held();
  const run = onceAtATime(work);
  let done = 0;
  void run().then(() => { done += 1; });
  for (let call = 0; call < 3; call += 1) void run().then(() => { done += 10; });
  await settled();
  assert.equal(ends.length, 1);
  ends[0].resolve();
  await settled();
  assert.deepEqual([ends.length, done], [2, 1]);
  void run().then(() => { done += 100; });
  ends[1].resolve();
  await settled();
  assert.deepEqual([ends.length, done], [3, 31]);
  ends[2].resolve();
  await settled();
  assert.deepEqual([ends.length, done], [3, 131]);
  void run();
  assert.equal(ends.length, 4);
});

test("a command that comes while the work ends is seen by it", async () => {
  const queue = ["one"];
  const sent = [];
  const run = onceAtATime(async () => {
    while (queue.length > 0) sent.push(queue.shift());
    // The lock is given back, which takes a while.
    await settled();
  });
  const first = run();
  await Promise.resolve();
  queue.push("two");
  await Promise.all([first, run()]);
  assert.deepEqual(sent, ["one", "two"]);
});

test("work that fails does not stop the work after it", async () => {
  const { ends, work } = held();
  const run = onceAtATime(work);
  const [first, second] = [run(), run()];
  ends[0].reject(new Error("storage is gone"));
  await assert.rejects(first, /storage is gone/u);
  await settled();
  ends[1].resolve();
  await second;
  assert.equal(ends.length, 2);
});
