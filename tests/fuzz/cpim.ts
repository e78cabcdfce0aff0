import assert from "node:assert/strict";
import * as page from "../../routes/softphone/cpim.js";
import { readCpim, readImdn, writeCpim, writeImdn } from "../../sip/text/cpim.ts";
import { mutate } from "../support/sip/sip_mutations.ts";
import { once, pick, type Random } from "./generator.ts";
import type { Target } from "./target.ts";

/**
 * Messages in CPIM form and their notifications, as the companion and the softphone page write and
 * read them. Each reads the messages of the other, and no text makes them disagree.
 */

const parts = ["a", "34jk324j", "&", "<", ">", "&lt;", "&amp;", "&quot;", '"', "'", ";", ":", "é"]
  .concat(["漢", "\u{1f4de}", "</message-id>", "<status><failed/>", "x".repeat(9)]);
const lines = ["Hello", "", "\r\n", "\r\n\r\n", "\n\n", "From: x", "<imdn>", ":", "漢字", "&amp;"];
const dispositions = ["display", "positive-delivery", "negative-delivery", "processing"];
const statuses = ["delivered", "failed", "displayed", "processed"] as const;
/** The words of the page for each. */
const shown = { delivered: "delivered", failed: "failed", displayed: "read", processed: "sent" };
const uris = { from: "sip:alice@sip.test", to: "sip:bob@sip.test" };

const some = (random: Random, from: readonly string[], most: number): string =>
  Array.from({ length: 1 + random(most) }, () => pick(random, from)).join("");

function checkMessage(random: Random): string {
  const [id, body] = [some(random, parts, 4), some(random, lines, 6)];
  const wants = dispositions.filter(() => once(random, 2));
  const entity = ["Content-Type: text/plain;charset=UTF-8"];
  const text = once(random, 2)
    ? page.writeText({ ...uris, id, body })
    : writeCpim({ ...uris, at: random(2 ** 31), messageId: id, wants, entity, body });
  const [read, onPage] = [readCpim(text), page.readCpim(text)];
  assert.deepEqual([read?.messageId, read?.body], [id, body], JSON.stringify(text));
  assert.equal(onPage === undefined, body === "", JSON.stringify(text));
  if (onPage !== undefined) {
    assert.deepEqual(onPage, { text: body, id, asksDisplay: read!.wants.includes("display") });
  }
  return text;
}

function checkNotification(random: Random): string {
  const [messageId, status] = [some(random, parts, 4), pick(random, statuses)];
  const reason = once(random, 2) ? some(random, parts, 4) : undefined;
  const at = random(2 ** 31);
  const body = writeImdn({ messageId, status, at, ...reason !== undefined && { reason } });
  assert.deepEqual(readImdn(body), { messageId, status }, body);
  const entity = ["Content-Type: message/imdn+xml"];
  const text = writeCpim({ ...uris, at, messageId: "n", entity, body });
  const expected = { notification: { id: messageId, state: shown[status], why: reason } };
  assert.deepEqual(page.readCpim(text), expected, body);

  const displayed = page.writeDisplayed({ ...uris, id: messageId });
  const told = readImdn(readCpim(displayed)?.body ?? "");
  assert.deepEqual(told, { messageId, status: "displayed" }, displayed);
  return text;
}

/** Broken text is refused, or read alike by both. */
function checkBroken(text: string): void {
  const [read, onPage] = [readCpim(text), page.readCpim(text)];
  if (read === undefined) return;
  assert.ok(text.endsWith(read.body), JSON.stringify(text));
  for (const wanted of read.wants) assert.match(wanted, /^[^,;\s][^,;]*$/, JSON.stringify(text));
  if (onPage !== undefined && "text" in onPage) {
    assert.equal(onPage.text, read.body, JSON.stringify(text));
  }
  const imdn = readImdn(read.body);
  if (imdn !== undefined) assert.match(imdn.status, /^[a-z]{1,20}$/);
}

export const target: Target = {
  run(random) {
    for (let i = 0; i < 20; i++) {
      checkBroken(mutate(checkMessage(random), random).toWellFormed());
      checkBroken(mutate(checkNotification(random), random).toWellFormed());
      checkBroken(some(random, [...parts, ...lines], 12));
    }
  },
};
