import type { MeetingPlace } from "../../core/bridge_peers.ts";
import type { PickupStep } from "../../core/bridge_rooms.ts";
import { unlessAborted } from "../abort.ts";
import type { MediaLeg } from "../media/port.ts";
import { callPeer } from "../peer/call_peer.ts";
import type { Performance } from "./performance.ts";
import type { Talked } from "./queue.ts";
import { untilEnough } from "./room_stay.ts";

/** Takes a leg that waits at another companion, and talks to it, by a call to that one. */
export async function talkElsewhere(
  performance: Performance,
  { leg, at, media, timeLimitS, hangupOnStar, onJoined }:
    & Pick<PickupStep, "leg" | "timeLimitS" | "hangupOnStar">
    & { at: MeetingPlace; media: MediaLeg; onJoined(one: MediaLeg, other: MediaLeg): void },
): Promise<Talked> {
  const { calls, live, signal } = performance;
  const meeting = callPeer(calls, {
    at,
    order: { type: "pickup", leg, runId: at.runId },
    onNews(news, theirs) {
      if (signal.aborted) return;
      if (news.type === "run") live.run(() => news.script);
      if (news.type !== "talks") return;
      media.join(theirs);
      onJoined(media, theirs);
    },
  });
  const first = await unlessAborted(meeting.first, signal);
  if (first?.type === "talks") {
    const startedAt = Date.now();
    live.runOther = (script) => meeting.say({ type: "run", script });
    await untilEnough(performance, { media, over: meeting.ended, timeLimitS, hangupOnStar });
    live.runOther = undefined;
    meeting.hangup();
    return { sipCallId: first.sipCallId, lastedMs: Date.now() - startedAt };
  }
  meeting.hangup();
  return first === undefined ? "unreached" : "gone";
}
