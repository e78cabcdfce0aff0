import assert from "node:assert/strict";
import type { Script } from "../../core/bridge.ts";
import { sipLimits } from "../../sip/limits.ts";
import { type Connection, openReceiveLab, type ReceiveLab } from "../support/receive_lab.ts";
import { mutate, pick, type Random, seeded } from "../support/sip_mutations.ts";
import { invite } from "../support/sip_lab.ts";
import { branchOf, readSip } from "../support/sip_text.ts";
import { messagesOf } from "../support/sip_conversation.ts";

/** `FUZZ_SEED` repeats a run, or makes another one. */
const seed = Number(Deno.env.get("FUZZ_SEED") ?? 4475);
const messages = Deno.env.get("CI") === undefined ? 5_000 : 200_000;
const perRound = 100;

const torture = new URL("torture/", import.meta.url);

async function tortureTexts(): Promise<string[]> {
  const files = (await Array.fromAsync(Deno.readDir(torture))).map(({ name }) => name)
    .filter((name) => name.endsWith(".dat")).sort();
  return await Promise.all(files.map((name) => Deno.readTextFile(new URL(name, torture))));
}

/** What the service may say to a call. */
const scripts: (() => Script)[] = [
  () => [],
  () => [{ type: "answer" }, { type: "silence", seconds: 5 }],
  () => [{ type: "reject", status: 486 }],
  () => dial("proxied"),
  () => dial("anchored"),
];

const dial = (media: "proxied" | "anchored"): Script => [
  { type: "dial", legs: [invite("bob")], media, timeoutS: 20, timeLimitS: 20 },
];

Deno.test(`receive() survives ${messages} broken messages (FUZZ_SEED=${seed})`, async () => {
  using lab = openReceiveLab("example.com");
  const random = seeded(seed);
  const texts = await tortureTexts();
  lab.answer = () => pick(random, scripts)();
  const seen = new Map<number, number>();

  for (let round = 0; round * perRound < messages; round++) {
    // Another address each time, or all would soon be locked out.
    const connection = lab.connect(`192.0.${random(256)}.${random(256)}`);
    const conversation = messagesOf(lab, connection, random);
    for (let n = 0; n < perRound; n++) {
      const whole = random(8) === 0 ? pick(random, texts) : conversation.next();
      // Whole ones keep the conversation alive, for the broken ones to hit something.
      const text = random(4) === 0 ? whole : mutate(whole, random);
      receiveOne(lab, connection, text);
      if (random(4) === 0) await lab.time.settle();
    }
    for (const status of connection.statuses()) seen.set(status, (seen.get(status) ?? 0) + 1);
    await assertNothingKept(lab, connection);
  }

  if (Deno.env.get("SHOW")) console.log(seen, lab.reports.length);
  const expected = [100, 180, 200, 400, 401, 403, 407, 415, 416, 420, 481, 483, 486, 487, 501, 505];
  assert.deepEqual(expected.filter((status) => !seen.has(status)), []);
});

/** Takes in one message and looks at what it costs and what it brings. */
function receiveOne(lab: ReceiveLab, connection: Connection, text: string): void {
  const [sent, lookups] = [connection.sent.length, lab.lookups.length];
  const why = () => `FUZZ_SEED=${seed}: ${JSON.stringify(text)}`;

  connection.receive(text);

  // What is relayed to the other side of a call is no answer to this.
  const answers = connection.sent.slice(sent).filter((message) =>
    message.startsWith("SIP/2.0 ") && text.includes(branchOf(readSip(message)))
  );
  if (mustBeDropped(text)) assert.deepEqual(answers, [], why());
  assert.ok(answers.length <= 2, why());
  assert.deepEqual(defects(lab), [], why());
  for (const answer of answers) assertWellFormed(answer, why);
  assert.ok(lab.lookups.length <= lookups + 1, why());
}

/** What was logged, but for a caller and a callee who have no codec in common. */
const defects = ({ logged }: ReceiveLab) =>
  logged.filter((line) => !/^Cannot join two legs .*no common codec/.test(line));

/** Responses, ACKs, and what is no SIP at all. */
function mustBeDropped(text: string): boolean {
  const [first = ""] = text.split("\r\n");
  return /^SIP\//i.test(first) || /^ACK /.test(first) || !/ SIP\/\d+\.\d+ *$/i.test(first);
}

/** Nothing of a request may begin a line of its own in an answer. */
function assertWellFormed(answer: string, why: () => string): void {
  const [head = ""] = answer.split("\r\n\r\n");
  const [start = "", ...headers] = head.split("\r\n");
  assert.match(start, /^SIP\/2\.0 [1-6]\d\d [^\r\n]*$/, why());
  for (const line of headers) assert.match(line, /^[A-Za-z-]+: [^\r\n]*$/, why());
}

/** When the connection is gone and every timer has run out, nothing is left of what came by it. */
async function assertNothingKept(lab: ReceiveLab, connection: Connection): Promise<void> {
  await lab.time.settle();
  connection.close();
  for (let i = 0; i < 4; i++) {
    lab.time.advance(sipLimits.endedLegMs);
    await lab.time.settle();
  }
  const kept = Object.entries(lab.kept()).filter(([, count]) => count > 0);
  assert.deepEqual(kept, [], `FUZZ_SEED=${seed}`);
}
