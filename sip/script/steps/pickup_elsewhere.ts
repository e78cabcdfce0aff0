import { steadyNow } from "../../../core/base/steady_clock.ts";
import type { RemoteCompanion } from "../../../core/protocol/peers.ts";
import type { PickupStep } from "../../../core/protocol/conferences.ts";
import { unlessAborted } from "../../base/abort.ts";
import { callCompanion } from "../../leg/call_companion.ts";
import { runPartner } from "../../leg/remote_leg.ts";
import type { ScriptRun } from "./script_run.ts";
import { type ConnectedEnd, connectLegs, type ConnectOptions } from "./connect_legs.ts";

/** Takes a leg that waits at another companion, and talks to it, by a call to that one. */
export async function connectElsewhere(
  run: ScriptRun,
  { leg, at, whisper, timeLimitS, hangupOnStar = false }: PickupStep & { at: RemoteCompanion },
  onJoined: ConnectOptions["onJoined"] & object,
): Promise<ConnectedEnd> {
  const { calls, signal } = run;
  const meeting = callCompanion(calls, {
    at,
    order: { type: "pickup", leg, runId: at.runId, ...whisper && { whisper } },
    onNews: (news) => news.type === "run" && runPartner(other, news.script),
  });
  const other = calls.adopt(meeting.leg);
  const held = other.acquire();
  const first = await unlessAborted(meeting.first, signal);
  if (first?.type === "talks") {
    const startedAt = steadyNow();
    const manner = { proxied: null, timeLimitS, hangupOnStar, onJoined };
    await connectLegs(run, { live: other, held }, manner);
    if (!held.aborted) meeting.hangup();
    return { sipCallId: first.sipCallId, lastedMs: steadyNow() - startedAt };
  }
  meeting.hangup();
  return first === undefined ? "unreached" : "gone";
}
