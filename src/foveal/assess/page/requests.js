// How acts travel: requests, batches, and what the answers mean.

export const MOST_EVENTS = 100;
export const MOST_BYTES = 500_000;
// A request that outlives its page: browsers allow 64 KiB.
const MOST_BYTES_WHEN_LEAVING = 60_000;
const PATIENCE = 20_000;

/** A function that sends events, or asks for news if there are none; see `Outbox`. */
export function sender(address) {
  return async (events, after) => {
    const options = { credentials: "same-origin", signal: AbortSignal.timeout(PATIENCE) };
    const response = events.length
      ? await fetch(address, { ...options, ...posted(JSON.stringify({ events, after })) })
      : await fetch(`${address}?after=${after}`, options);
    const text = await response.text();
    return { status: response.status, body: asObject(text) };
  };
}

function posted(body) {
  const leaving = document.visibilityState === "hidden" && byteLength(body) < MOST_BYTES_WHEN_LEAVING;
  const headers = { "content-type": "application/json" };
  return { method: "POST", headers, body, keepalive: leaving };
}

/** As many of the first events as one request may carry, and at least one. */
export function batchOf(events, most = MOST_EVENTS) {
  let bytes = 0;
  let count = 0;
  for (const event of events.slice(0, most)) {
    bytes += byteLength(JSON.stringify(event)) + 1;
    if (count && bytes > MOST_BYTES) break;
    count += 1;
  }
  return events.slice(0, count);
}

/** What became of a request: delivered, too-large, ended, full or broken; the words are for people. */
export function outcomeOf({ status, body }) {
  // Single refusals set the status too, but then the answer lists what was stored.
  if (Array.isArray(body.acknowledged) || (status === 200 && Array.isArray(body.events))) {
    return { kind: "delivered", words: "" };
  }
  if (status === 401 || status === 403) {
    return { kind: "ended", words: "your link has ended: ask the organiser for a new one" };
  }
  if (status === 413) return { kind: "too-large", words: "the act is too large" };
  if (status === 507) return { kind: "full", words: "the server's disk is full" };
  const reason = typeof body.error === "string" ? body.error : `status ${status}`;
  return { kind: "broken", words: `the server has a problem (${reason})` };
}

/** "1 act is kept in this browser", "2 acts are kept in this browser". */
export function keptWords(count, endangered) {
  const acts = count === 1 ? "1 act is" : `${count} acts are`;
  if (!endangered) return `${acts} kept in this browser`;
  return `${acts} kept only in this page, because the browser stores nothing; do not close it`;
}

function byteLength(text) {
  return new TextEncoder().encode(text).length;
}

function asObject(text) {
  try {
    const found = JSON.parse(text);
    return found !== null && typeof found === "object" ? found : {};
  } catch {
    return {};
  }
}
