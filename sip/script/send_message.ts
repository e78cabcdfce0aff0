import { messageLimits, type MessageOrder } from "../../core/protocol/messages.ts";
import { withFlow } from "../base/flow.ts";
import { callerUser } from "../leg/fork_invite.ts";
import { type Binding, type Flows, targetOf } from "../text/location.ts";
import { reopened, someClosed } from "../registrar/path.ts";
import { guard } from "../base/log.ts";
import type { Signalling } from "../contracts/signalling.ts";
import { userUri } from "../text/uri.ts";

const noAnswer = 408;

/**
 * Sends a message to every device of a Client (RFC 3428 §4); resolves with the final status of each,
 * after `messageLimits.deviceMs` at the latest.
 */
export async function sendToDevices(
  signalling: Signalling,
  order: MessageOrder,
): Promise<number[]> {
  const late = new AbortController();
  const stop = signalling.timers.after(messageLimits.deviceMs, () => late.abort());
  const known = signalling.location.devices(order.login);
  const devices = someClosed(known) ? await reopened(signalling, order.login) : known;
  const statuses = await Promise.all(
    devices.map((flows) => sendToDevice(signalling, flows, { order, late: late.signal })),
  );
  stop();
  return statuses;
}

/** By one flow of the device; by the next one when that has failed (RFC 5626 §5.3). */
async function sendToDevice(
  signalling: Signalling,
  flows: Flows,
  { order, late }: { order: MessageOrder; late: AbortSignal },
): Promise<number> {
  for (const binding of flows) {
    const sent = Promise.withResolvers<number>();
    const giveUp = () => sent.resolve(noAnswer);
    late.addEventListener("abort", giveUp);
    send(signalling, binding, { order, onFinal: sent.resolve });
    const status = await sent.promise;
    late.removeEventListener("abort", giveUp);
    const hasFailed = status === noAnswer || status === 430 || binding.flow.closed;
    if (!hasFailed || late.aborted) return status;
  }
  return noAnswer;
}

function send(
  { core, domain, log }: Signalling,
  binding: Binding,
  { order, onFinal }: { order: MessageOrder; onFinal(status: number): void },
): void {
  const { sid, login, from, body } = order;
  const content = {
    contentDisposition: "render",
    contentType: "text/plain;charset=UTF-8",
    content: body,
  };
  // A device that gets the message twice can tell by its Call-ID.
  const ids = {
    callId: sid,
    cseq: 1,
    fromTag: crypto.randomUUID(),
    routeSet: [...binding.path],
  };
  const [caller, called] = [userUri(callerUser(from), domain), userUri(login, domain)];
  const final = ({ message }: { message: { statusCode: number | undefined } }) =>
    onFinal(message.statusCode ?? 500);
  guard((line, fields) => (log(line, fields), onFinal(500)), () =>
    withFlow(binding.flow, () => {
      const uri = targetOf(binding);
      const request = core.makeOutgoingRequestMessage(
        "MESSAGE",
        uri,
        caller,
        called,
        ids,
        [],
        content,
      );
      core.message(request, { onAccept: final, onReject: final, onRedirect: final });
    }))();
}
