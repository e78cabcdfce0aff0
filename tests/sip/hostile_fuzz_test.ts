import assert from "node:assert/strict";
import type { Script } from "../../core/bridge_script.ts";
import { sipLimits } from "../../sip/limits.ts";
import { type Connection, openReceiveLab, type ReceiveLab } from "../support/receive_lab.ts";
import { mutate, pick, seeded } from "../support/sip_mutations.ts";
import { invite } from "../support/sip_lab.ts";
import { branchOf, readSip, valueOf } from "../support/sip_text.ts";
import { conversationOn } from "../support/sip_conversation.ts";

/** `FUZZ_SEED` repeats a run, or makes another one. */
const seed = Number(Deno.env.get("FUZZ_SEED") ?? 4475);
const messages = Deno.env.get("CI") === undefined ? 5_000 : 200_000;
const perConnection = 100;

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
  const seen = new Set<number>();

  for (let broken = 0; broken < messages;) {
    // Another address each time, or all would soon be locked out.
    const connection = lab.connect(`192.0.${random(256)}.${random(256)}`);
    const conversation = conversationOn(lab, connection, random);
    for (let n = 0; n < perConnection; n++) {
      const whole = random(10) === 0 ? pick(random, texts) : conversation.next();
      // Whole ones keep the conversation going, for the broken ones to hit something.
      const kept = random(4) === 0;
      if (!kept) broken++;
      receiveOne(lab, connection, kept ? whole : mutate(whole, random));
      if (random(4) === 0) await lab.time.settle();
    }
    for (const status of connection.statuses()) seen.add(status);
    await assertNothingKept(lab, connection);
  }

  const expected = [200, 400, 401, 403, 407, 416, 420, 481, 483, 486, 488, 501, 505, 603];
  assert.deepEqual(expected.filter((status) => !seen.has(status)), []);
});

/** Takes in one message and looks at what it costs and what it brings. */
function receiveOne(lab: ReceiveLab, connection: Connection, text: string): void {
  const [sent, lookups] = [connection.sent.length, lab.lookups.length];

  connection.receive(text);

  const answers = connection.sent.slice(sent).filter((message) => isAnswer(message, text));
  const defect = defectOf(lab) ??
    (mustBeDropped(text) && answers.length > 0 ? "it was answered" : undefined) ??
    (answers.length > 2 ? "it was answered more than twice" : undefined) ??
    (answers.every(isWellFormed) ? undefined : "the answer is malformed") ??
    (lab.lookups.length > lookups + 1 ? "it made more than one look-up" : undefined);
  if (defect !== undefined) {
    assert.fail(`${defect} (FUZZ_SEED=${seed}): ${JSON.stringify({ text, answers })}`);
  }
}

/** Whether a message is a response to this text, and not relayed to the other side of a call. */
function isAnswer(message: string, text: string): boolean {
  if (!message.startsWith("SIP/2.0 ")) return false;
  const response = readSip(message);
  return [branchOf(response), valueOf(response, "call-id")].some((id) =>
    id !== "" && text.includes(id)
  );
}

/** What was logged, but for SDP with no codec of ours, or none that both sides have. */
const defectOf = ({ logged }: ReceiveLab): string | undefined =>
  logged.splice(0).find((line) =>
    !/^Cannot (join two legs|take the answer to a call|follow an answer) .*no ?common ?codec/i
      .test(line)
  );

/** Responses, ACKs, and what is no SIP at all. */
function mustBeDropped(text: string): boolean {
  const [first = ""] = text.split("\r\n", 1);
  return /^SIP\//i.test(first) || /^ACK /.test(first) || !/ SIP\/\d+\.\d+ *$/i.test(first);
}

/** Nothing of a request may begin a line of its own in an answer. */
function isWellFormed(answer: string): boolean {
  const [head = ""] = answer.split("\r\n\r\n", 1);
  const [start = "", ...headers] = head.split("\r\n");
  return /^SIP\/2\.0 [1-6]\d\d [^\r\n]*$/.test(start) &&
    headers.every((line) => /^[A-Za-z-]+: [^\r\n]*$/.test(line));
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
  assert.deepEqual([defectOf(lab), kept], [undefined, []], `FUZZ_SEED=${seed}`);
}
