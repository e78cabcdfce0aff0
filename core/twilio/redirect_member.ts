import { Fault } from "../base/faults.ts";
import type { Ports } from "../model/ports/ports.ts";
import { modifyCall, type ModifyParams } from "../reports/modify_call.ts";
import type { Queue, QueueMember } from "../model/resources/queues.ts";
import { isLive } from "../model/values/status.ts";
import { claimed, dequeued, released, requestTaker } from "../conferences/queue_membership.ts";

/**
 * Takes a waiting call out of its queue and redirects it: that of a Sid, or the one that waits
 * longest and that no request has claimed. The claim is a commit of its own before the redirection, so that each call is
 * given to one request or one `Dial`. It lapses where the service dies in between. Calls that have ended
 * are passed over. Throws `notFound` where no such call waits.
 */
export async function redirectMember(
  { accountSid, sid }: Pick<Queue, "accountSid" | "sid">,
  { callSid, markup }: { callSid?: string | undefined; markup: ModifyParams },
  ports: Ports,
): Promise<{ queue: Queue; member: QueueMember }> {
  const { queues, calls } = ports.records;
  const leave = (gone: string) => queues.update(accountSid, sid, (queue) => dequeued(queue, gone));
  const by = requestTaker(crypto.randomUUID());
  while (true) {
    let member: QueueMember | undefined;
    const queue = await queues.update(accountSid, sid, (now) => {
      const claim = claimed(now, { by, at: ports.steadyNow(), callSid });
      member = claim.member;
      return claim.change;
    });
    if (member === undefined) throw new Fault("notFound", callSid ?? "Front");
    const call = await calls.get(accountSid, member.callSid);
    const waits = call !== null && isLive(call.status);
    try {
      if (waits) await modifyCall({ accountSid, callSid: member.callSid }, markup, ports);
    } catch (error) {
      // The caller hung up between the claim and the redirection: the next one is taken.
      const hasLeft = error instanceof Fault && ["callEnded", "notFound"].includes(error.fault);
      if (hasLeft) {
        await leave(member.callSid);
        continue;
      }
      await queues.update(accountSid, sid, (now) => released(now, by));
      throw error;
    }
    await leave(member.callSid);
    if (waits) return { queue, member };
  }
}
