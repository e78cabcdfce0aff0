import { behaviourOf, refusalOf } from "../model/values/test_calls.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Message } from "../model/resources/messages.ts";
import { failMessage } from "./fail_message.ts";
import { settle } from "./settle.ts";

/** Ends the sending of a message of a test account as its recipient's number says, free of charge. */
export async function sendSimulated(message: Message, ports: Ports): Promise<void> {
  const { accountSid, sid, to } = message;
  if (refusalOf(to) !== null) {
    const detail = `no route to ${to} is configured`;
    return await failMessage(message, { fault: "noMessageRoute", detail }, ports);
  }
  const { outcome } = behaviourOf(to);
  if (outcome === "failed") {
    const fault = { fault: "messageRefused", detail: `${to} refuses texts of tests` } as const;
    return await failMessage(message, fault, ports);
  }
  if (outcome !== "answered") {
    const detail = "the carrier reports that the recipient cannot be reached";
    return await failMessage(message, { fault: "messageUndelivered", detail }, ports);
  }
  const receipt = { at: ports.now(), priceMicros: 0 };
  await ports.records.messages.update(
    accountSid,
    sid,
    (now) => settle({ ...now, carrierId: sid }, receipt),
  );
}
