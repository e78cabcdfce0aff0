import { byService } from "../contracts/outcome.ts";
import { finish, type OutboundState } from "./outbound_state.ts";
import { ring } from "./ring.ts";
import { ringLeg } from "./ring_leg.ts";
import { ringNumber } from "./ring_number.ts";
import { ringTrunk } from "./ring_trunk.ts";

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
