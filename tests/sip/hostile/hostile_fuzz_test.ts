import assert from "node:assert/strict";
import type { Script } from "../../../core/protocol/script.ts";
import { assertNothingKept, receiveOne } from "../../support/sip/hostile_sip.ts";
import { openReceiveLab } from "../../support/service/receive_lab.ts";
import { mutate, pick, seeded } from "../../support/sip/sip_mutations.ts";
import { newSeed } from "../../fuzz/fuzz.ts";
import { invite } from "../../support/sip/sip_lab.ts";
import { conversationOn } from "../../support/sip/sip_conversation.ts";

/** Each run has messages of its own; `FUZZ_SEED` repeats the run that a failed test names. */
const seed = Number(Deno.env.get("FUZZ_SEED") ?? newSeed());
const messages = Deno.env.get("CI") === undefined ? 5_000 : 60_000;
const perConnection = 100;

const torture = new URL("../interop/torture/", import.meta.url);

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

/** Statuses of answers that are to be heard. */
const expected = [200, 400, 401, 403, 407, 416, 420, 481, 483, 486, 488, 501, 505, 603];

Deno.test(`receive() survives ${messages} broken messages (FUZZ_SEED=${seed})`, async () => {
  using lab = openReceiveLab("example.com");
  const random = seeded(seed);
  const texts = await tortureTexts();
  lab.answer = () => pick(random, scripts)();
  const seen = new Set<number>();
  const missing = () => expected.filter((status) => !seen.has(status));

  // Some answers are rare: it goes on for a while until each was heard.
  for (let broken = 0; broken < messages || missing().length > 0 && broken < 10 * messages;) {
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

  assert.deepEqual(missing(), []);
});
