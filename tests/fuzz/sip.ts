import type { Script } from "../../core/protocol/script.ts";
import { assertNothingKept, receiveOne } from "../support/sip/hostile_sip.ts";
import { openReceiveLab } from "../support/service/receive_lab.ts";
import { conversationOn } from "../support/sip/sip_conversation.ts";
import { invite } from "../support/sip/sip_lab.ts";
import { mutate } from "../support/sip/sip_mutations.ts";
import { once, pick } from "./generator.ts";
import type { Target } from "./target.ts";

/** Broken messages in the conversations of a peer, and those of RFC 4475. */

const torture = new URL("../sip/interop/torture/", import.meta.url);
const texts = await Promise.all(
  (await Array.fromAsync(Deno.readDir(torture))).map(({ name }) => name)
    .filter((name) => name.endsWith(".dat")).sort()
    .map((name) => Deno.readTextFile(new URL(name, torture))),
);

const scripts: (() => Script)[] = [
  () => [],
  () => [{ type: "answer" }, { type: "silence", seconds: 5 }],
  () => [{ type: "reject", status: 486 }],
  () => [{ type: "dial", legs: [invite("bob")], media: "proxied", timeoutS: 20, timeLimitS: 20 }],
  () => [{ type: "dial", legs: [invite("bob")], media: "anchored", timeoutS: 20, timeLimitS: 20 }],
];

export const target: Target = {
  async run(random) {
    using lab = openReceiveLab("example.com");
    lab.answer = () => pick(random, scripts)();
    const connection = lab.connect(`192.0.2.${random(256)}`);
    const conversation = conversationOn(lab, connection, random);
    for (let n = 0; n < 60; n++) {
      const whole = once(random, 10) ? pick(random, texts) : conversation.next();
      // Whole ones continue the conversation, so that the broken ones hit a dialog. Text of
      // transports was decoded as UTF-8, so it has no half of a surrogate pair.
      const sent = once(random, 4) ? whole : mutate(whole, random).toWellFormed();
      receiveOne(lab, connection, sent);
      if (once(random, 4)) await lab.time.settle();
    }
    await assertNothingKept(lab, connection);
  },
};
