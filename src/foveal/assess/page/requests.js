// Requests to the server: batches of acts, and the outcome of each request.

export const MOST_EVENTS = 100;
export const MOST_BYTES = 500_000;
// For a request that continues after the page is closed, browsers allow 64 KiB.
const MOST_BYTES_WHEN_LEAVING = 60_000;
const TIMEOUT = 20_000;

/** A function that sends events, or asks for new ones if there are none; see `Outbox`. */
export function sender(address) {
  return async (events, after) => {
    const options = { credentials: "same-origin", signal: AbortSignal.timeout(TIMEOUT) };
    const response = events.length
      ? await fetch(address, { ...options, ...postOptions(JSON.stringify({ events, after })) })
      : await fetch(`${address}?after=${after}`, options);
    const text = await response.text();
    return { status: response.status, body: asObject(text) };
  };
}

function postOptions(body) {
  const isLeaving = document.visibilityState === "hidden" && byteLength(body) < MOST_BYTES_WHEN_LEAVING;
  const headers = { "content-type": "application/json" };
  return { method: "POST", headers, body, keepalive: isLeaving };
}

/** The first events, as many as one request may have, and at least one. */
export function batchOf(events, maximum = MOST_EVENTS) {
  let bytes = 0;
  let count = 0;
  for (const event of events.slice(0, maximum)) {
    bytes += byteLength(JSON.stringify(event)) + 1;
    if (count && bytes > MOST_BYTES) break;
    count += 1;
  }
  return events.slice(0, count);
}

/** Outcome of a request: delivered, too-large, ended, full or broken, with a text for people. */
export function outcomeOf({ status, body }) {
  // Refused events set the status as well, but then the response lists the stored ones.
  if (Array.isArray(body.acknowledged) || (status === 200 && Array.isArray(body.events))) {
    return { kind: "delivered", text: "" };
  }
  if (status === 401 || status === 403) {
    return { kind: "ended", text: "your link has ended: ask the organiser for a new one" };
  }
  if (status === 413) return { kind: "too-large", text: "the act is too large" };
  if (status === 507) return { kind: "full", text: "the server's disk is full" };
  const reason = typeof body.error === "string" ? body.error : `status ${status}`;
  return { kind: "broken", text: `the server has a problem (${reason})` };
}

/** "1 act is kept in this browser", "2 acts are kept in this browser". */
export function keptText(count, endangered) {
  const acts = count === 1 ? "1 act is" : `${count} acts are`;
  if (!endangered) return `${acts} kept in this browser`;
  return `${acts} kept only in this page, because the browser stores nothing; do not close it`;
}

function byteLength(text) {
  return new TextEncoder().encode(text).length;
}

function asObject(text) {
  try {
    const value = JSON.parse(text);
    return value !== null && typeof value === "object" ? value : {};
  } catch {
    return {};
  }
}
