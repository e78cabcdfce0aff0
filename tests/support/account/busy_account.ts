import type { App } from "../service/app.ts";
import { dice } from "../service/store_lab.ts";
import { brokenCall, refusedCall, wholeCall } from "./ended_calls.ts";
import { goingOn } from "./live_calls.ts";
import { dayMs, hourMs, minuteMs } from "./records.ts";
import { build } from "./settings.ts";
import { chargedMonth, ordinaryCall } from "./usual_calls.ts";

/** Service and records with which tests look at pages of a busy account. */
export interface BusyAccount {
  /** A call that lasts, and calls that ended: answered with everything, refused, without markup. */
  live: string;
  whole: string;
  refused: string;
  broken: string;
  /** A record of each kind that has a page, by the path of its resource. */
  sids: Record<string, string>;
  team: { sid: string };
}

/** Everything at the console that is made from calls, with the dates of a real week. */
export async function fillAccount(app: App): Promise<BusyAccount> {
  const roll = dice(11);
  const now = app.clock.now;
  const built = await build(app);
  app.clock.now = now - 6.9 * dayMs;
  for (
    let at = now - 6.9 * dayMs;
    at < now - 2 * minuteMs;
    at += hourMs / 2 + roll(40) * minuteMs
  ) {
    app.clock.now = at;
    await ordinaryCall(app, roll);
  }
  for (let minute = 55; minute > 2; minute -= 2 + roll(4)) {
    app.clock.now = now - minute * minuteMs;
    await ordinaryCall(app, roll);
  }
  app.clock.now = now - dayMs - 2 * hourMs;
  const broken = await brokenCall(app);
  app.clock.now = now - 26 * minuteMs;
  const refused = await refusedCall(app);
  app.clock.now = now - 12 * minuteMs;
  const whole = await wholeCall(app);
  app.clock.now = now;
  const live = await goingOn(app);
  await chargedMonth(app, roll);
  app.clock.now = now;
  return {
    live,
    whole: whole.sid,
    refused,
    broken,
    ...built,
    sids: { ...built.sids, ...whole.sids },
  };
}
