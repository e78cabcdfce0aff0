import type { NumberTarget } from "../../core/protocol/trunks.ts";
import { createFork } from "./create_fork.ts";
import { forkInvite } from "./fork_invite.ts";
import { openInnerFlow } from "./inner_flow.ts";
import { closeMedia, type OutboundState } from "./outbound_state.ts";
import { secured } from "./fork_invite.ts";
import { offerTo, sendTo } from "./ring.ts";
import { userUri } from "../text/uri.ts";

/** Calls a number of this service: an INVITE that never leaves it (see `inner_flow.ts`). */
export async function ringNumber(state: OutboundState, target: NumberTarget): Promise<void> {
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
