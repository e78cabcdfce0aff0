import { cpuUsage } from "node:process";
import { IncomingMessage } from "sip.js/lib/core/index.js";
import { applyPatches } from "../../sip/stack/patches/patches.ts";
import { after } from "../../sip/stack/patches/timers.ts";
import { parseMessage } from "../../sip/text/parse.ts";

/**
 * `deno task bench:patches`: CPU time that the patches of sip.js for speed save. The library's way
 * and ours do the same in turn, in one process: CPU time of one operation in µs, medians of eight
 * rounds. For the saving of a group of patches in a call, beside Kamailio: `WITHOUT=timers
 * ONLY="calls over WS" deno task bench:sip`, one group a run.
 */

const rounds = 12;
const warmUpRounds = 4;
const operations = 20_000;

const invite = [
  "INVITE sip:bob@example.com SIP/2.0",
  "Via: SIP/2.0/WS 192.0.2.1;branch=z9hG4bK1;rport",
  "Max-Forwards: 70",
  'From: "Alice" <sip:alice@example.com>;tag=1',
  "To: <sip:bob@example.com>",
  "Call-ID: 1@192.0.2.1",
  "CSeq: 1 INVITE",
  "Contact: <sip:alice@192.0.2.1;transport=ws>",
  "Allow: INVITE, ACK, BYE, CANCEL",
  "Content-Length: 0",
  "",
  "",
].join("\r\n");
const { message } = parseMessage(invite);

const { prototype } = IncomingMessage;
const library = { ...membersOf() };
applyPatches();
const ours = membersOf();

function membersOf() {
  const { getHeader, getHeaders, hasHeader, parseHeader } = prototype;
  return { getHeader, getHeaders, hasHeader, parseHeader };
}

const cases: [name: string, once: () => unknown][] = [
  ["IncomingMessage.getHeader", () => message.getHeader("contact")],
  ["IncomingMessage.getHeaders", () => message.getHeaders("allow")],
  ["IncomingMessage.hasHeader", () => message.hasHeader("record-route")],
  ["IncomingMessage.parseHeader", () => message.parseHeader("contact")],
];

/** CPU time of an operation in µs, in one round. */
function measure(once: () => unknown): number {
  const before = cpuUsage();
  for (let at = 0; at < operations; at++) once();
  const { user, system } = cpuUsage(before);
  return (user + system) / operations;
}

/** The medians of two ways, driven in turn. */
function compare(theirs: () => number, own: () => number): [number, number] {
  const found: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const both = round % 2 === 0 ? [theirs(), own()] : [own(), theirs()].toReversed();
    if (round >= warmUpRounds) both.forEach((value, at) => found[at]!.push(value));
  }
  return found.map((all) => all.toSorted((a, b) => a - b)[all.length >> 1]!) as [number, number];
}

const log = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));
const row = (name: string, ...cells: string[]) =>
  log(name.padEnd(32) + cells.map((cell) => cell.padStart(10)).join(""));
const compared = (name: string, [theirs, own]: [number, number]) =>
  row(name, theirs.toFixed(3), own.toFixed(3), (theirs - own).toFixed(3));

row("", "library", "ours", "saved");
for (const [name, once] of cases) {
  const way = (members: typeof ours) => () => (Object.assign(prototype, members), measure(once));
  compared(name, compare(way(library), way(ours)));
}
after(32_000, () => {}); // Others wait as long, as under load.
const ofRuntime = () => measure(() => clearTimeout(setTimeout(() => {}, 32_000)));
compared(
  "a timer set and stopped",
  compare(ofRuntime, () => measure(() => after(32_000, () => {})())),
);
Deno.exit(0);
