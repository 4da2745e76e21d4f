// Local times of a time zone.

/**
 * How far a zone is ahead of UTC at an instant, in milliseconds.
 * @param {number} at milliseconds since 1970
 * @param {string} zone IANA name
 */
export function offset(at, zone) {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric",
    second: "numeric", era: "short",
  }).formatToParts(at);
  /** @param {string} type */
  const number = (type) => Number(parts.find((part) => part.type === type)?.value);
  const shown = Date.UTC(number("year"), number("month") - 1, number("day"), number("hour"), number("minute"), number("second"));
  return shown - Math.floor(at / 1000) * 1000;
}

/**
 * The first instant at which the clock of a zone shows a time or, if clocks skip it, a later one.
 * @param {string} local such as `2026-11-24T08:10`
 * @param {string} zone IANA name
 * @returns {string} RFC 3339, in UTC
 * @throws {RangeError} if it is no time
 */
export function instant(local, zone) {
  const minute = /^\d{4}-\d\d-\d\dT\d\d:\d\d/u.exec(local)?.[0] ?? "";
  const wall = Date.parse(`${minute}Z`);
  // Some engines read 30 February as 2 March.
  if (Number.isNaN(wall) || !new Date(wall).toISOString().startsWith(minute)) throw new RangeError(local);
  const day = 86_400_000;
  const found = [offset(wall - day, zone), offset(wall + day, zone)].map((ahead) => wall - ahead)
    .filter((at) => at + offset(at, zone) === wall);
  const at = found.length > 0 ? Math.min(...found) : endOfSkip(wall, zone);
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/**
 * The instant at which the clocks skip a local time.
 * @param {number} wall
 * @param {string} zone
 */
function endOfSkip(wall, zone) {
  let [before, after] = [wall - 86_400_000, wall + 86_400_000].map((at) => at - offset(at, zone));
  while (after - before > 1000) {
    const middle = Math.floor((before + after) / 2000) * 1000;
    if (middle + offset(middle, zone) < wall) before = middle; else after = middle;
  }
  return after;
}
