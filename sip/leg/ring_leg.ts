import type { LegTarget } from "../../core/protocol/peers.ts";
import { forkInvite } from "./fork_invite.ts";
import { closeMedia, type OutboundState } from "./outbound_state.ts";
import { createPeerFork } from "./peer_fork.ts";
import { offerTo, sendTo } from "./ring.ts";

/** Calls another companion, to take the place of a leg there (RFC 3891). */
export async function ringLeg(state: OutboundState, target: LegTarget): Promise<void> {
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
