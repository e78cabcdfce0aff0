import { effectiveStatus } from "../accounts/access.ts";
import type { MessageAnswer, MessageReport } from "../protocol/messages.ts";
import { parseAddress } from "../model/values/address.ts";
import { heard, longest } from "../documents/new_leg.ts";
import { calledAs, clientAt } from "../calls/route.ts";
import { type FaultName, faults } from "../base/faults.ts";
import { sendMessage } from "../model/job_kinds.ts";
import { areOthers, callerId } from "../numbers/caller_id.ts";
import { numberFor } from "../numbers/find_number.ts";
import { notification, notify } from "../webhooks/notify.ts";
import { dialString, e164Of } from "../model/values/dialled.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Change } from "../model/store.ts";
import { newBase, withDefaults } from "../model/resource.ts";
import type { Account } from "../model/resources/accounts.ts";
import { type Message, messages as definition } from "../model/resources/messages.ts";
import { floodNotice } from "./flood_notice.ts";
import { refusedRecipient, reserved } from "./reserve.ts";
import { routesOf } from "./routing.ts";
import { limitFaultOf } from "../model/values/account_limits.ts";

/** Takes a message that a Client sends; resolves with the response to it. */
export type TakeMessage = (report: MessageReport) => Promise<MessageAnswer>;

/**
 * Takes messages of Clients (RFC 3428 §7). A message that has a route is recorded and sent by a job.
 * One that has none is recorded as failed. The SIP status says why: 404 for an unknown address, 480 for
 * a Client without a device or for too many messages at once, 403 for a sender that is not allowed.
 */
export function messageTaker(ports: Ports): TakeMessage {
  return async ({ accountSid, clientSid, login, uri, body, notified, ...said }) => {
    const account = await activeAccountOf({ accountSid, clientSid, login }, ports);
    if (account === null) return { status: 403 };
    const ends = { from: `client:${login}`, to: await recipientOf(uri, account, ports) };
    const retryAfterS = await tooMany(ends, account, ports);
    if (retryAfterS !== undefined) return { status: 480, retryAfterS };
    const sent = { ...ends, body, direction: "outbound-call", ...heard(said), ...asked(notified) };
    const base = newBase(definition, accountSid, ports);
    const message = { ...base, ...withDefaults(definition, sent) } as Message;
    const refusal = await refusalOf(message, ports);
    if (refusal === undefined) {
      const { sid: messageSid } = message;
      const jobs = [sendMessage({ accountSid, messageSid })];
      const record = { ...message, ...reserved(message, ports) };
      const limit = await ports.records.messages.insert({ record, jobs })
        .then(() => null, limitFaultOf);
      if (limit === null) return { status: 202 };
      const { fault, detail = "", retryAfterS } = limit;
      await ports.records.messages.insert(failed(message, { status: 480, fault, detail }, ports));
      return { status: 480, ...retryAfterS !== undefined && { retryAfterS } };
    }
    await ports.records.messages.insert(failed(message, refusal, ports));
    return { status: refusal.status };
  };
}

/** The account of a Client that may send; null of one that may not any more. */
export async function activeAccountOf(
  { accountSid, clientSid, login }: Pick<MessageReport, "accountSid" | "clientSid" | "login">,
  ports: Ports,
): Promise<Account | null> {
  const account = await ports.accounts.get(accountSid);
  const client = await ports.records.clients.get(accountSid, clientSid);
  const isAllowed = client?.login === login && client.status === "1" && account !== null &&
    await effectiveStatus(account, ports.accounts) === "active";
  return isAllowed ? account : null;
}

const asked = (notified: MessageReport["notified"]): Pick<Message, "notified"> => ({
  notified: notified === undefined ? null : { ...notified, isDisplayed: false },
});

/**
 * The recipient of a Request-URI: a Client of our domain, a number, or the URI itself, unknown
 * here.
 */
async function recipientOf(uri: string, account: Account, ports: Ports): Promise<string> {
  const address = parseAddress(uri);
  if (address === null || address.kind === "client") return uri.slice(0, longest);
  const { country } = ports.settings.trunks;
  const numbered = (text: string) => e164Of(text, country) ?? dialString(text);
  if (address.kind === "number") return numbered(address.dialled) ?? address.dialled;
  if (address.host !== ports.settings.sipDomain.toLowerCase()) return uri.slice(0, longest);
  const client = await clientAt(address.user, account, ports);
  if (client !== null) return `client:${client.login}`;
  const found = await numberFor(address.user, account, ports);
  if (found !== null) return calledAs(found.number, found.dialled);
  return numbered(address.user) ?? `client:${address.user}`.slice(0, longest);
}

/** Seconds until the next message between the two; undefined where this one is allowed. */
async function tooMany(
  { from, to }: Pick<Message, "from" | "to">,
  account: Account,
  ports: Ports,
): Promise<number | undefined> {
  const verdict = ports.messagePairs.take(from, to);
  if (verdict === "taken") return undefined;
  if (verdict.isFirst) {
    const { retryAfterS } = verdict;
    await notify(
      floodNotice({ from, to, accountSid: account.sid, retryAfterS }, ports.now()),
      ports,
    );
  }
  return verdict.retryAfterS;
}

interface MessageRefusal {
  status: number;
  fault: FaultName;
  detail: string;
}

/** The refusal of a message; undefined when it can be sent now. */
async function refusalOf(message: Message, ports: Ports): Promise<MessageRefusal | undefined> {
  const { accountSid, from, to } = message;
  const account = await ports.accounts.get(accountSid);
  const limit = account && await refusedRecipient(to, account, ports);
  if (limit) return { status: 403, ...limit };
  const toOthers = async () => account === null || await isOthers(to, account, ports);
  const shown = { account: { sid: accountSid }, call: null, toOthers };
  if (await callerId(from, shown, ports) === null) {
    return { status: 403, fault: "senderNotAllowed", detail: from };
  }
  if ((await routesOf(message, ports)).length === 0) {
    return {
      status: 404,
      fault: "noMessageRoute",
      detail: `no Client or number has the address ${to}`,
    };
  }
  const login = /^client:(.+)$/.exec(to)?.[1];
  if (login === undefined) {
    const isAllowed = !ports.settings.strictSmsFrom;
    return isAllowed ? undefined : { status: 403, fault: "senderNotAllowed", detail: from };
  }
  const holders = await ports.companions.holding(login, await ports.companions.list());
  return holders.length > 0 ? undefined : { status: 480, fault: "notRegistered", detail: to };
}

/** Returns whether a recipient is elsewhere, or a Client or number of another tenant. */
async function isOthers(to: string, account: Account, ports: Ports): Promise<boolean> {
  const login = /^client:(.+)$/.exec(to)?.[1];
  const held = login === undefined
    ? (await numberFor(to, account, ports))?.number
    : await ports.records.clients.holder("login", login);
  return !held || await areOthers(account.sid, held.accountSid, ports);
}

/** The record of a refused message, with the Notification of the reason. */
function failed(
  message: Message,
  { fault, detail: why }: MessageRefusal,
  ports: Ports,
): Change<Message> {
  const { accountSid, sid } = message;
  const detail = `${sid}: ${why}`;
  const notice = { accountSid, callSid: null, fault, detail, level: "error" } as const;
  const record: Message = { ...message, status: "failed", errorCode: faults[fault].code };
  return { record, also: [notification(notice, ports)] };
}
