import {
  messageLimits,
  type MessageOrder,
  type NotificationOrder,
} from "../../core/protocol/messages.ts";
import { withFlow } from "../base/flow.ts";
import { callerUser } from "../leg/fork_invite.ts";
import { type Binding, type Flows, targetOf } from "../text/location.ts";
import { reopened, someClosed } from "../registrar/path.ts";
import { guard } from "../base/log.ts";
import type { Signalling } from "../contracts/signalling.ts";
import { cpimType, imdnType, writeCpim, writeImdn } from "../text/cpim.ts";
import { userUri } from "../text/uri.ts";

const noAnswer = 408;
const unsupportedType = 415;

/** A MESSAGE to a Client. */
interface Outgoing {
  callId: string;
  login: string;
  /** `client:LOGIN`, or a number. */
  from: string;
  /** Forms of the content, best first: a device that refuses the type (415) gets the next one. */
  contents(binding: Binding): Content[];
}

interface Content {
  type: string;
  text: string;
}

/**
 * Sends a message to every device of a Client (RFC 3428 §4); resolves with the final status of each,
 * after `messageLimits.deviceMs` at the latest. Devices that know IMDN get it in CPIM where its sender
 * wants to know that it was displayed (RFC 5438 §6.3), all others as plain text.
 */
export function sendToDevices(signalling: Signalling, order: MessageOrder): Promise<number[]> {
  const { sid, login, from, body, wantsDisplay = false } = order;
  const plain = { type: "text/plain;charset=UTF-8", text: body };
  const withNotification = () => ({
    type: cpimType,
    text: writeCpim({
      ...addressesOf(signalling, order),
      at: Date.now(),
      messageId: sid,
      wants: ["display"],
      entity: [`Content-Type: ${plain.type}`],
      body,
    }),
  });
  return sendToEach(signalling, {
    callId: sid,
    login,
    from,
    contents: (binding) =>
      wantsDisplay && knowsImdn(login, binding) ? [withNotification(), plain] : [plain],
  });
}

/**
 * Notifies the devices of a Client that know IMDN of what became of its message (RFC 5438 §7.2); the
 * final status of each.
 */
export function notifyDevices(signalling: Signalling, order: NotificationOrder): Promise<number[]> {
  const { id, login, from, messageId, disposition: status, at, reason } = order;
  const text = writeCpim({
    ...addressesOf(signalling, order),
    at,
    messageId: id,
    entity: [`Content-Type: ${imdnType}`, "Content-Disposition: notification"],
    body: writeImdn({ messageId, status, at, ...reason !== undefined && { reason } }),
  });
  return sendToEach(signalling, {
    callId: id,
    login,
    from,
    contents: (binding) => knowsImdn(login, binding) ? [{ type: cpimType, text }] : [],
  });
}

/**
 * True when a device supports IMDN: it sent CPIM itself, or its Contact has the feature tag of the standard
 * that demands both (3GPP TS 24.247, OMA CPM: pager mode messages). Others are not tried: some accept
 * any type and show the headers as text. One flow of a proxy may lead to devices of many Clients.
 */
const knowsImdn = (login: string, { flow, contact }: Binding): boolean =>
  flow.cpimLogins?.has(login) === true ||
  contact.toLowerCase().includes("ims.icsi.oma.cpm.msg");

const addressesOf = (
  { domain }: Signalling,
  { login, from }: { login: string; from: string },
): { from: string; to: string } => ({
  from: userUri(callerUser(from), domain).toString(),
  to: userUri(login, domain).toString(),
});

async function sendToEach(signalling: Signalling, outgoing: Outgoing): Promise<number[]> {
  const late = new AbortController();
  const stop = signalling.timers.after(messageLimits.deviceMs, () => late.abort());
  const known = signalling.location.devices(outgoing.login);
  const devices = someClosed(known) ? await reopened(signalling, outgoing.login) : known;
  const statuses = await Promise.all(
    devices.filter(([newest]) => outgoing.contents(newest).length > 0)
      .map((flows) => sendToDevice(signalling, flows, { outgoing, late: late.signal })),
  );
  stop();
  return statuses;
}

/** By one flow of the device; by the next one when that has failed (RFC 5626 §5.3). */
async function sendToDevice(
  signalling: Signalling,
  flows: Flows,
  { outgoing, late }: { outgoing: Outgoing; late: AbortSignal },
): Promise<number> {
  for (const binding of flows) {
    let status = noAnswer;
    for (const [at, content] of outgoing.contents(binding).entries()) {
      const sent = Promise.withResolvers<number>();
      const giveUp = () => sent.resolve(noAnswer);
      late.addEventListener("abort", giveUp);
      send(signalling, binding, { outgoing, content, cseq: at + 1, onFinal: sent.resolve });
      status = await sent.promise;
      late.removeEventListener("abort", giveUp);
      if (status !== unsupportedType) break;
    }
    const hasFailed = status === noAnswer || status === 430 || binding.flow.closed;
    if (!hasFailed || late.aborted) return status;
  }
  return noAnswer;
}

function send(
  { core, domain, log }: Signalling,
  binding: Binding,
  { outgoing: { callId, login, from }, content, cseq, onFinal }: {
    outgoing: Outgoing;
    content: Content;
    cseq: number;
    onFinal(status: number): void;
  },
): void {
  const body = {
    contentDisposition: "render",
    contentType: content.type,
    content: content.text,
  };
  // A device recognises a repeated message by its Call-ID.
  const ids = { callId, cseq, fromTag: crypto.randomUUID(), routeSet: [...binding.path] };
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
        body,
      );
      core.message(request, { onAccept: final, onReject: final, onRedirect: final });
    }))();
}
