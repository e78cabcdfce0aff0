import type { IncomingInviteRequest } from "sip.js/lib/core/index.js";
import { mintCallSid } from "../leg/call_sid.ts";
import { headerLines } from "../leg/fork_invite.ts";
import { createInboundLeg } from "../leg/inbound_leg.ts";
import type { InboundLeg, OutboundLeg } from "../leg/leg.ts";
import type { MediaEngine } from "../media/port.ts";
import { bestStatus, outcomeOf } from "../leg/outcome.ts";
import { hostPeer, type MeetingHost } from "./host_peer.ts";
import { readOrder } from "./meeting.ts";
import { orderHeader, peerHeader, peerLogin } from "./peers.ts";
import { passThrough } from "../script/proxy.ts";
import { unavailable } from "../refusal.ts";
import { refuseStranger } from "../leg/forget_transaction.ts";
import { relayTransfers } from "./relay_transfer.ts";
import { firstAnswer, ringDevices } from "./ring_devices.ts";
import { failureOf } from "../leg/ring_all.ts";
import { guard, originOf, type Signalling } from "../signalling.ts";
import { parseSipUri, userOf } from "../text/uri.ts";

/** The calls that other companions hold, and that pass to devices, rooms and queues here. */
export interface Relays {
  /** Takes an INVITE of another companion; false when it says of itself that it is none. */
  takes(request: IncomingInviteRequest): boolean;
  /** Hangs up; resolves when all devices and companions were told. */
  endAll(): Promise<void>;
}

export interface RelayOptions extends MeetingHost {
  signalling: Signalling;
  media: MediaEngine;
  /** Whether new calls are still taken. */
  accepting(): boolean;
}

export function createRelays(options: RelayOptions): Relays {
  const open = new Set<InboundLeg>();
  return {
    takes(request) {
      if (!request.message.hasHeader(peerHeader)) return false;
      const leg = admit(options, request);
      if (leg === undefined) return true;
      open.add(leg);
      void leg.released.then(() => open.delete(leg));
      return true;
    },
    async endAll() {
      const legs = [...open];
      for (const leg of legs) leg.hangup({ status: 503 });
      await Promise.all(legs.map(({ released }) => released));
    },
  };
}

/** The leg of an INVITE that proves where it comes from; undefined when it is refused. */
function admit(options: RelayOptions, request: IncomingInviteRequest): InboundLeg | undefined {
  const { signalling, media, accepting } = options;
  const { message } = request;
  const { flow, target } = originOf(message);
  const uri = parseSipUri(target);
  const login = uri === undefined ? "" : userOf(uri);
  if (!signalling.peers.accepts(message, login)) {
    return void refuseStranger(request, { statusCode: 403 });
  }
  flow.logins.add(peerLogin);
  if (!accepting()) return void request.reject(unavailable);
  const header = message.getHeader(orderHeader);
  const order = header === undefined ? undefined : readOrder(header);
  if (header !== undefined && order === undefined) {
    return void request.reject({ statusCode: 400 });
  }
  request.trying();
  const call = { id: mintCallSid(), accountSid: "", login: peerLogin, flow, request, media };
  const caller = createInboundLeg(signalling, call);
  const passing = order === undefined
    ? relay(options, { caller, request, login })
    : hostPeer(options, caller, order);
  void passing.catch((error) => {
    signalling.log("Cannot relay a call", { leg: caller.id, error: String(error) });
    caller.hangup({ status: 500 });
  });
  return caller;
}

/** Rings the devices here; whatever one side says goes to the other, until either is done. */
async function relay(
  { signalling, media }: RelayOptions,
  { caller, request, login }: {
    caller: InboundLeg;
    request: IncomingInviteRequest;
    login: string;
  },
): Promise<void> {
  const isElsewhere = reasonOfCancel(signalling, request);
  const callees = ringDevices(signalling, { caller, message: request.message, login, media });
  void caller.ended.then(() => hangUpAll(callees, isElsewhere()));
  const callee = await firstAnswer(callees);
  if (callee === undefined) return caller.hangup(await refusalOf(callees));
  hangUpAll(callees.filter((one) => one !== callee), true);
  relayTransfers(signalling, caller, callee);
  void callee.ended.then(() => caller.hangup());
  if (!caller.signal.aborted) await connect(caller, callee);
}

/** Passes the answer on; one with media of ours is joined with other media of ours. */
async function connect(caller: InboundLeg, callee: OutboundLeg): Promise<void> {
  const headers = headerLines(callee.responseHeaders);
  if (callee.media === undefined) return passThrough(caller, callee, headers);
  await caller.answer(headers);
  if (caller.media !== undefined) callee.media.join(caller.media);
}

function hangUpAll(legs: OutboundLeg[], elsewhere: boolean): void {
  for (const leg of legs) leg.hangup({ elsewhere });
}

/** What the caller is told when nobody answered. */
async function refusalOf(callees: OutboundLeg[]): Promise<{ status: number; headers: string[] }> {
  const endings = await Promise.all(callees.map(({ ended }) => ended));
  const sipStatus = bestStatus(endings.map((ending) => ending.sipStatus ?? 480));
  const refuser = callees[endings.findIndex((ending) => ending.sipStatus === sipStatus)];
  const outcome = outcomeOf(sipStatus);
  return {
    status: failureOf({ outcome, sipStatus }),
    headers: headerLines(refuser?.responseHeaders ?? {}),
  };
}

/** Whether a CANCEL came because another device answered (RFC 3326). */
function reasonOfCancel({ log }: Signalling, request: IncomingInviteRequest): () => boolean {
  let isElsewhere = false;
  const { onCancel } = request.delegate ?? {};
  request.delegate = {
    onCancel: guard(log, (message) => {
      isElsewhere = /;\s*cause=200\b/i.test(message.getHeader("reason") ?? "");
      onCancel?.(message);
    }),
  };
  return () => isElsewhere;
}
