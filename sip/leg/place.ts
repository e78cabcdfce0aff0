import type { LegTarget } from "../../core/protocol/peers.ts";
import type { NumberTarget } from "../../core/protocol/trunks.ts";
import { byService } from "../contracts/outcome.ts";
import { createFork } from "./create_fork.ts";
import { forkInvite, secured } from "./fork_invite.ts";
import { openInnerFlow } from "./inner_flow.ts";
import { closeMedia, finish, type OutboundState } from "./outbound_state.ts";
import { createPeerFork } from "./peer_fork.ts";
import { offerTo, ring, sendTo } from "./ring.ts";
import { ringTrunk } from "./ring_trunk.ts";
import { userUri } from "../text/uri.ts";

/** Calls the target of a leg: every device of a Client, a trunk, or a number of this service. */
export async function place(state: OutboundState): Promise<void> {
  const { target, ussd } = state.call.invitation;
  const refusal = await state.call.admit?.(state.callId);
  if (state.over.signal.aborted) return;
  if (refusal !== undefined) {
    const { status: sipStatus, text } = refusal;
    return finish(state, { outcome: "failed", sipStatus, ...byService("limit", text) });
  }
  if (ussd !== undefined && target.kind !== "trunk") {
    return finish(state, { outcome: "failed", sipStatus: 488, ...byService("unreachable") });
  }
  if (target.kind === "client") await ring(state, target);
  else if (target.kind === "trunk") await ringTrunk(state, target);
  else if (target.kind === "leg") await ringLeg(state, target);
  else await ringNumber(state, target);
}

/** Calls another companion, to take the place of a leg there (RFC 3891). */
async function ringLeg(state: OutboundState, target: LegTarget): Promise<void> {
  const { signalling, call, callId, over } = state;
  const { invitation } = call;
  call.onInviting(callId);
  const headers = [...call.headers, `Replaces: ${signalling.legNames.write(target)}`];
  const invite = forkInvite(signalling.domain, { ...call, headers }, callId);
  const { leg, accountSid } = invitation;
  const fork = createPeerFork(signalling, invite, {
    peer: target.peer,
    login: target.leg,
    demands: call.demands,
    leg: { leg, accountSid },
    ...await offerTo(call, "webrtc"),
  });
  state.forks = [fork];
  if (over.signal.aborted) return closeMedia(state);
  sendTo(state, fork);
}

/** Calls a number of this service: an INVITE that never leaves it (see `inner_flow.ts`). */
async function ringNumber(state: OutboundState, target: NumberTarget): Promise<void> {
  const { signalling, call, callId, over } = state;
  call.onInviting(callId);
  const invite = forkInvite(signalling.domain, call, callId);
  const flow = openInnerFlow(signalling, target);
  const fork = createFork(signalling, invite, {
    flow,
    uri: secured(userUri(target.dialled, signalling.domain), call.demands),
    routeSet: [],
    ...await offerTo(call, "rtp"),
  });
  state.forks = [fork];
  if (over.signal.aborted) return closeMedia(state);
  sendTo(state, fork);
}
