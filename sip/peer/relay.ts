import type { IncomingInviteRequest } from "sip.js/lib/core/index.js";
import { mintCallSid } from "../leg/call_sid.ts";
import { headerLines } from "../leg/fork_invite.ts";
import { createInboundLeg } from "../leg/inbound_leg.ts";
import type { InboundLeg, OutboundLeg } from "../leg/leg.ts";
import { sipLimits } from "../limits.ts";
import type { MediaEngine } from "../media/port.ts";
import { createOutboundLeg } from "../leg/outbound_leg.ts";
import { passedHeaders } from "../text/passed_headers.ts";
import { peerHeader, peerLogin } from "./peers.ts";
import { passThrough } from "../script/proxy.ts";
import { unavailable } from "../refusal.ts";
import { refuseStranger } from "../leg/forget_transaction.ts";
import { relayTransfers } from "./relay_transfer.ts";
import { failureOf } from "../leg/ring_all.ts";
import { guard, originOf, type Signalling } from "../signalling.ts";
import { parseSipUri, userOf } from "../text/uri.ts";

/** The calls that other companions hold, and that pass through to devices registered here. */
export interface Relays {
  /** Takes an INVITE of another companion; false when it says of itself that it is none. */
  takes(request: IncomingInviteRequest): boolean;
  /** Hangs up; resolves when all devices and companions were told. */
  endAll(): Promise<void>;
}

export interface RelayOptions {
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
function admit(
  { signalling, media, accepting }: RelayOptions,
  request: IncomingInviteRequest,
): InboundLeg | undefined {
  const { message } = request;
  const { flow, target } = originOf(message);
  const uri = parseSipUri(target);
  const login = uri === undefined ? "" : userOf(uri);
  if (!signalling.peers.accepts(message, login)) {
    return void refuseStranger(request, { statusCode: 403 });
  }
  flow.logins.add(peerLogin);
  if (!accepting()) return void request.reject(unavailable);
  request.trying();
  const call = { id: mintCallSid(), accountSid: "", login: peerLogin, flow, request, media };
  const caller = createInboundLeg(signalling, call);
  relay(signalling, { caller, request, login });
  return caller;
}

/** Rings the devices here; whatever one side says goes to the other, until either is done. */
function relay(
  signalling: Signalling,
  { caller, request, login }: {
    caller: InboundLeg;
    request: IncomingInviteRequest;
    login: string;
  },
): void {
  const isElsewhere = reasonOfCancel(signalling, request);
  const callee = ringDevices(signalling, { caller, request, login });
  relayTransfers(signalling, caller, callee);
  const headers = () => headerLines(callee.responseHeaders);
  void callee.whenAnswered.then((answered) => {
    if (answered && !caller.signal.aborted) passThrough(caller, callee, headers());
  });
  void callee.ended.then((ending) =>
    caller.hangup({ status: failureOf(ending), headers: headers() })
  );
  void caller.ended.then(() => callee.hangup({ elsewhere: isElsewhere() }));
}

function ringDevices(
  signalling: Signalling,
  { caller, request: { message }, login }: {
    caller: InboundLeg;
    request: IncomingInviteRequest;
    login: string;
  },
): OutboundLeg {
  const invitation = {
    leg: mintCallSid(),
    accountSid: "",
    from: userOf(message.from.uri),
    to: `client:${login}`,
    // Without peers: from here the call goes to nobody else.
    target: { kind: "client", login } as const,
    headers: passedHeaders(message),
  };
  return createOutboundLeg(signalling, {
    invitation,
    headers: message.getHeaders("referred-by").map((value) => `Referred-By: ${value}`),
    isChild: false,
    timeoutMs: sipLimits.peerRingMs,
    maxForwards: caller.maxForwards - 1,
    media: { offer: caller.offer },
    onInviting() {},
    onRinging() {},
    onProgress: (status, sdp) => caller.progress(status, sdp),
  });
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
