import type { IncomingInviteRequest, IncomingRequestMessage } from "../base/sip_js.ts";
import { mintCallSid } from "../base/call_sid.ts";
import { headerLines } from "../leg/fork_invite.ts";
import { createInboundLeg } from "../leg/inbound_leg.ts";
import type { InboundLeg, Leg, OutboundLeg } from "../contracts/leg.ts";
import { legHeader, type LegName, legNamedBy } from "../text/leg_names.ts";
import { bestStatus, type Ending, refusedEnding } from "../contracts/outcome.ts";
import { takeOrders } from "../leg/remote_leg.ts";
import { acceptCompanionCall, type CompanionCallHost } from "./accept_companion_call.ts";
import { type CompanionCallOrder, readOrder } from "../leg/companion_call.ts";
import { orderHeader, peerHeader, peerLogin } from "../text/peer_proofs.ts";
import type { Relayed } from "../contracts/relayed.ts";
import { replacesHere } from "./relayed_replaces.ts";
import type { Calls } from "../contracts/calls.ts";
import { passThrough } from "./steps/proxy.ts";
import { unavailable } from "../base/refusal.ts";
import { refuseUnauthenticated } from "../stack/forget_transaction.ts";
import { relayTransfers } from "./relay_transfer.ts";
import { firstAnswer, ringDevices } from "./ring_devices.ts";
import { failureOf } from "../leg/ring_all.ts";
import { originOf } from "../text/origin.ts";
import { guard } from "../base/log.ts";
import type { Signalling } from "../contracts/signalling.ts";
import { parseSipUri, userOf } from "../text/uri.ts";

/** The calls that other companions hold, and that pass to devices, conferences and queues here. */
export interface Relays {
  /** Takes an INVITE of another companion; false when it says of itself that it is none. */
  takes(request: IncomingInviteRequest): boolean;
  /** Hangs up; resolves when all devices and companions have the BYE or CANCEL. */
  endAll(): Promise<void>;
}

/** Options of the receiver of calls of other companions. */
export interface RelayOptions extends CompanionCallHost {
  /** True while new calls are accepted. */
  accepting(): boolean;
}

/** Accepts the calls of other companions while `accepting()` is true. */
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
      for (const leg of legs) leg.hangup({ status: 503, cause: "shutdown" });
      await Promise.all(legs.map(({ released }) => released));
    },
  };
}

/** The leg of an INVITE that proves where it comes from; undefined when it is refused. */
function admit(options: RelayOptions, request: IncomingInviteRequest): InboundLeg | undefined {
  const { calls, accepting } = options;
  const { signalling, media } = calls;
  const { message } = request;
  const { flow, target } = originOf(message);
  const uri = parseSipUri(target);
  const login = uri === undefined ? "" : userOf(uri);
  if (!signalling.peers.accepts(message, login)) {
    return void refuseUnauthenticated(request, { statusCode: 403 });
  }
  flow.logins.add(peerLogin);
  if (!accepting()) return void request.reject(unavailable);
  const wanted = wantedOf(signalling, message);
  if (typeof wanted === "number") return void request.reject({ statusCode: wanted });
  request.trying();
  const { order, replaced, replaces } = wanted;
  const { accountSid = "" } = replaced ?? {};
  const call = { id: mintCallSid(), accountSid, login: peerLogin, flow, request, media };
  const caller = createInboundLeg(signalling, call);
  if (replaced !== undefined) {
    takePlace(calls, caller, replaced.leg);
    return caller;
  }
  const passing = order === undefined
    ? relay(calls, { caller, request, login, replaces })
    : acceptCompanionCall(options, caller, order);
  void passing.catch((error) => {
    signalling.log("Cannot relay a call", { leg: caller.id, error: String(error) });
    caller.hangup({ status: 500 });
  });
  return caller;
}

/** Purpose of an INVITE of another companion, beside the devices that it rings. */
interface Wanted {
  /** Conference or queue that it joins. */
  order?: CompanionCallOrder;
  /** Takes the place of a leg here. */
  replaced?: LegName;
  /** Has the devices replace a dialog of theirs (RFC 3891). */
  replaces?: string;
}

/** The status that refuses it where that cannot be had. */
function wantedOf(signalling: Signalling, message: IncomingRequestMessage): Wanted | number {
  const ordered = message.getHeader(orderHeader);
  if (ordered !== undefined) {
    const order = readOrder(ordered);
    return order === undefined ? 400 : { order };
  }
  const header = message.getHeader("replaces");
  if (header === undefined) return {};
  const replaced = legNamedBy(signalling.legNames, header);
  if (replaced !== undefined) return { replaced };
  const replaces = replacesHere(signalling, header);
  return replaces === undefined ? 481 : { replaces };
}

/** Has another companion's leg take the place of one here, which the service hears nothing more of. */
function takePlace(calls: Calls, caller: InboundLeg, leg: string): void {
  const live = calls.adopt(caller);
  takeOrders(live);
  live.run(() => [{ type: "replace", leg }]);
}

/** Rings the devices here; whatever one side says goes to the other, until either is done. */
async function relay(
  calls: Calls,
  { caller, request, login, replaces }: {
    caller: InboundLeg;
    request: IncomingInviteRequest;
    login: string;
    replaces?: string | undefined;
  },
): Promise<void> {
  const { signalling, media } = calls;
  const { message } = request;
  const isElsewhere = reasonOfCancel(signalling, request);
  const callees = ringDevices(signalling, { caller, message, login, replaces, media });
  void caller.ended.then(() => hangUpAll(callees, isElsewhere()));
  for (const one of callees) void one.ended.then((ending) => heedDecline(callees, ending));
  const callee = await firstAnswer(callees);
  if (callee === undefined) return caller.hangup(await refusalOf(callees));
  hangUpAll(callees.filter((one) => one !== callee), true);
  relayTransfers(calls, caller, callee);
  const named = legNamedBy(signalling.legNames, message.getHeader(legHeader));
  remember(signalling, [caller, callee], { named, callee });
  void callee.ended.then(() => caller.hangup());
  if (!caller.signal.aborted) await connect(caller, callee);
}

/** Says whose call it is, as long as it lasts. */
function remember({ relayed }: Signalling, legs: Leg[], call: Relayed): void {
  for (const { id, signal } of legs) {
    if (signal.aborted) continue;
    relayed.set(id, call);
    signal.addEventListener("abort", () => relayed.delete(id), { once: true });
  }
}

/** Passes the answer on; one with media of ours is joined with other media of ours. */
async function connect(caller: InboundLeg, callee: OutboundLeg): Promise<void> {
  const headers = headerLines(callee.responseHeaders);
  if (callee.media === undefined) return passThrough(caller, callee, headers);
  await caller.answer(headers);
  if (caller.media !== undefined) callee.media.join(caller.media);
}

function hangUpAll(legs: OutboundLeg[], elsewhere: boolean): void {
  for (const leg of legs) leg.hangup(elsewhere ? { cause: "answered-elsewhere" } : {});
}

/** A 6xx is for all devices, of either kind of media (RFC 3261 §16.7 step 5). */
function heedDecline(legs: OutboundLeg[], { sipStatus = 0 }: Ending): void {
  if (sipStatus >= 600) hangUpAll(legs.filter(({ dialog }) => dialog === undefined), false);
}

/** The final response to the caller when no device answered. */
async function refusalOf(callees: OutboundLeg[]): Promise<{ status: number; headers: string[] }> {
  const endings = await Promise.all(callees.map(({ ended }) => ended));
  const sipStatus = bestStatus(endings.map((ending) => ending.sipStatus ?? 480));
  const refuser = callees[endings.findIndex((ending) => ending.sipStatus === sipStatus)];
  return {
    status: failureOf(refusedEnding(sipStatus)),
    headers: headerLines(refuser?.responseHeaders ?? {}),
  };
}

/** Returns true once a CANCEL came because another device answered (RFC 3326). */
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
