import type { Script } from "../../core/protocol/script.ts";
import type { Leg } from "../contracts/leg.ts";
import type { LiveLeg } from "../contracts/live_leg.ts";
import { type CompanionCallEvent, readEvent, writeEvent } from "./companion_call.ts";

/** Runs the scripts that the companion at the other end of a leg sends, on the connected leg. */
export function takeOrders(live: LiveLeg): void {
  live.leg.onContent = (body) => {
    const news = readEvent(body);
    if (news === undefined) return undefined;
    return news.type === "run" && runPartner(live, news.script) ? 200 : 400;
  };
}

/** Runs a script on the connected leg, wherever that is; false when there is none. */
export function runPartner({ partner }: LiveLeg, script: Script): boolean {
  if (partner === undefined) return false;
  if (partner.isOfPeer) sayTo(partner.leg, { type: "run", script });
  else partner.run(() => script);
  return true;
}

/** Sends an event to the other companion by INFO, and does not wait for the response. */
export function sayTo(leg: Pick<Leg, "dialog" | "signal">, news: CompanionCallEvent): void {
  if (!leg.signal.aborted) void leg.dialog?.request("info", { body: writeEvent(news) });
}
