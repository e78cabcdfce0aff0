import assert from "node:assert/strict";
import { XMLBuilder, XMLParser } from "fast-xml-parser";
import { pageOf } from "../../core/model/rest/paging.ts";
import { calls } from "../../core/model/resources/calls.ts";
import { accountAddress, shapeOf } from "../../routes/http/represent.ts";
import { xmlDocument } from "../../routes/http/xml.ts";
import { storeLab } from "../support/service/store_lab.ts";

/**
 * `deno task bench:xml`: a page of 50 calls written as XML by the service, from its records, and by
 * fast-xml-parser's XMLBuilder, from objects with the finished texts. Both write the same bytes,
 * which are made from the text as a response does: an engine may hold a text in pieces until then.
 * The rounds of the two take turns, so that other load of the machine meets both.
 */

const rounds = 200;
const pagesARound = 10;

using lab = await storeLab();
const items = Array.from({ length: 50 }, () => {
  lab.clock.now += 61_000;
  return lab.call({
    from: "+15550000001",
    to: "sip:R&D@example.org",
    status: "completed",
    startTime: lab.clock.now,
    endTime: lab.clock.now + 60_000,
    duration: 60,
  });
});
const address = `${accountAddress(lab.accountSid)}/Calls`;
const query = { where: [], page: 3, pageSize: items.length, kept: [], unknown: [] };
const { page } = pageOf({ items, total: 1_000 }, query, address);
const shape = shapeOf(calls);
const { open, close } = shape.xmlFrame(page);
const ours = () => xmlDocument(open + items.map(shape.xmlText).join("") + close, "ServiceResponse");

const syntax = { ignoreAttributes: false, parseTagValue: false, parseAttributeValue: false };
const parsed = new XMLParser(syntax).parse(ours());
const builder = new XMLBuilder({ ...syntax, suppressEmptyNode: true });
const theirs = (): string => builder.build(parsed);
assert.equal(theirs(), ours());

const encoder = new TextEncoder();

/** ms a page. */
function time(write: () => string): number {
  const startedAt = performance.now();
  for (let count = 0; count < pagesARound; count++) encoder.encode(write());
  return (performance.now() - startedAt) / pagesARound;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;

const taken = Array.from({ length: rounds }, () => ({ ours: time(ours), theirs: time(theirs) }));
const own = median(taken.map(({ ours }) => ours));
const builders = median(taken.map(({ theirs }) => theirs));
const ratio = median(taken.map(({ ours, theirs }) => theirs / ours));
const text = [
  `a page of ${items.length} calls, ${ours().length} bytes; median of ${rounds} rounds`,
  `service      ${own.toFixed(3)} ms`,
  `XMLBuilder   ${builders.toFixed(3)} ms`,
  `ratio        ${ratio.toFixed(1)}`,
];
Deno.stdout.writeSync(new TextEncoder().encode(text.join("\n") + "\n"));
