import assert from "node:assert/strict";
import { test } from "node:test";
import { instant, offset } from "../../Sources/WebFiles/pages/zone.js";

const HOUR = 3_600_000;

test("offsets of a zone on both sides of its changes", () => {
  for (const [at, zone, hours] of [
    ["2026-03-29T00:59:59Z", "Europe/Berlin", 1], ["2026-03-29T01:00:00Z", "Europe/Berlin", 2],
    ["2026-10-25T00:59:59Z", "Europe/Berlin", 2], ["2026-10-25T01:00:00Z", "Europe/Berlin", 1],
    ["2026-11-24T08:10:00Z", "Asia/Tokyo", 9], ["2026-11-24T08:10:00Z", "UTC", 0], ["2026-01-15T12:00:00Z", "Australia/Lord_Howe", 11],
    ["2026-07-15T12:00:00Z", "Australia/Lord_Howe", 10.5], ["2026-01-15T12:00:00Z", "Pacific/Kiritimati", 14],
  ]) assert.equal(offset(Date.parse(at), zone), hours * HOUR, `${at} ${zone}`);
});

test("an offset before 1970, and one within a second", () => {
  assert.equal(offset(Date.parse("1950-07-01T12:00:00.999Z"), "Asia/Tokyo"), 10 * HOUR);
  assert.equal(offset(Date.parse("2026-07-01T12:00:00.001Z"), "Asia/Tokyo"), 9 * HOUR);
});

// The clock of a zone, read from the platform and not from the code that is tried.
const clock = (at, zone) => new Date(at).toLocaleString("sv-SE", { timeZone: zone }).replace(" ", "T").slice(0, 16);

test("in each zone, a time that its clock shows leads back to its first instant", () => {
  let seed = 20_261_124;
  const random = (below) => { seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648; return Math.floor(seed / 2_147_483_648 * below); };
  const zones = Intl.supportedValuesOf("timeZone");
  assert.ok(zones.length > 300);
  for (const zone of zones) {
    for (let number = 0; number < 8; number += 1) {
      const at = Date.UTC(2020 + random(15), random(12), 1 + random(28), random(24), random(60));
      const found = Date.parse(instant(clock(at, zone), zone));
      assert.equal(clock(found, zone), clock(at, zone), zone);
      assert.ok(found <= at, `${zone} ${new Date(at).toISOString()} gave a later instant`);
    }
  }
});

/** The instants at which a zone changes its offset in 2026, to half an hour: offset before, offset after, instant. */
function* changes(zone) {
  for (let day = Date.UTC(2026, 0, 1); day < Date.UTC(2027, 0, 1); day += 24 * HOUR) {
    if (offset(day, zone) === offset(day + 24 * HOUR, zone)) continue;
    let at = day;
    while (offset(at, zone) === offset(day, zone)) at += HOUR / 2;
    yield [offset(day, zone), offset(at, zone), at];
  }
}

test("times around the changes of a year are where the clock says, or at the end of the skip", () => {
  for (const zone of ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Beirut", "America/Santiago", "Africa/Casablanca"]) {
    const found = [...changes(zone)];
    assert.equal(found.length, 2, zone);
    for (const [before, after, end] of found) {
      // From an hour before to two hours after, by the clock that was valid before.
      for (let wall = end + before - HOUR; wall < end + before + 2 * HOUR; wall += 10 * 60_000) {
        const local = new Date(wall).toISOString().slice(0, 16);
        const at = Date.parse(instant(local, zone));
        const isSkipped = wall >= end + before && wall < end + after;
        if (isSkipped) assert.equal(at, end, `${zone} ${local}`); else assert.equal(clock(at, zone), local, `${zone} ${local}`);
      }
    }
  }
});

test("a time that is none is refused", () => {
  for (const text of ["", "now", "2026-11-24", "2026-11-24 08:10", "2026-13-01T08:10", "2026-02-30T08:10", "2026-11-31T08:10",
    "2026-11-24T24:00", "2026-11-24T08:60", "26-11-24T08:10", "+002026-11-24T08:10"]) {
    assert.throws(() => instant(text, "Asia/Tokyo"), RangeError, text);
  }
});

test("an unknown zone is refused", () => assert.throws(() => instant("2026-11-24T08:10", "Mars/Olympus"), RangeError));
