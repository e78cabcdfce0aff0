import type { Script } from "../../core/bridge_script.ts";
import type { InboundLeg, Leg, OutboundLeg } from "../leg/leg.ts";
import type { Calls } from "../script/calls.ts";
import { createLiveLeg, type LiveLeg } from "../script/live_leg.ts";
import { type MeetingNews, readNews, writeNews } from "./meeting.ts";

/**
 * A leg of which the other end is a leg of another companion, which has that call with its script and
 * its records: the service hears nothing of it here.
 */
export function createFarLeg<L extends InboundLeg | OutboundLeg>(
  calls: Calls,
  leg: L,
): LiveLeg<L> {
  const unheard = { send: () => Promise.resolve([]), drained: () => Promise.resolve() };
  return createLiveLeg(calls, leg, unheard, { isOfPeer: true });
}

/** Has whom a leg talks to perform what the companion at its other end says. */
export function takeOrders(live: LiveLeg): void {
  live.leg.onContent = (body) => {
    const news = readNews(body);
    if (news === undefined) return undefined;
    return news.type === "run" && runPartner(live, news.script) ? 200 : 400;
  };
}

/** Has whom a leg talks to perform a script, wherever that is; false when it talks to nobody. */
export function runPartner({ partner }: LiveLeg, script: Script): boolean {
  if (partner === undefined) return false;
  if (partner.isOfPeer) sayTo(partner.leg, { type: "run", script });
  else partner.run(() => script);
  return true;
}

/** Tells the other companion; whether that heard it shows in the dialog. */
export function sayTo(leg: Pick<Leg, "dialog" | "signal">, news: MeetingNews): void {
  if (!leg.signal.aborted) void leg.dialog?.request("info", { body: writeNews(news) });
}
