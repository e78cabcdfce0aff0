import type { FaultName } from "../base/faults.ts";
import { notification } from "../webhooks/notify.ts";
import { messageRequest } from "../webhooks/own_request.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Message } from "../model/resources/messages.ts";
import { settle } from "./settle.ts";

/** Ends the sending of a message as failed, with its Notification; nothing when it has ended. */
export async function failMessage(
  { accountSid, sid }: Message,
  { fault, detail }: { fault: FaultName; detail: string },
  ports: Ports,
): Promise<void> {
  await ports.records.messages.update(accountSid, sid, (message) => {
    const change = settle(message, { at: ports.now(), fault });
    if (change.record === message) return change;
    const about = `${sid}: ${detail}`;
    const exchange = messageRequest(message, ports);
    const notice = { accountSid, callSid: null, fault, detail: about, level: "error" } as const;
    return { ...change, also: [notification({ ...notice, exchange }, ports)] };
  });
}
