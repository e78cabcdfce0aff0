import { faults } from "../../../core/base/faults.ts";
import type { Call } from "../../../core/model/resources/calls.ts";
import type { Notification } from "../../../core/model/resources/notifications.ts";
import type { App } from "../service/app.ts";
import { agents } from "./settings.ts";
import { dayMs, deliver, insertCall, notice, server } from "./records.ts";

/** A call of a usual day: most are answered. */
export async function ordinaryCall(app: App, roll: (below: number) => number): Promise<void> {
  const startTime = app.clock.now;
  const status = ([
    ...Array(14).fill("completed"),
    "busy",
    "no-answer",
    "no-answer",
    "canceled",
    "failed",
  ] as Call["status"][])[roll(19)]!;
  const isIn = roll(3) > 0;
  const outside = `+1${212 + roll(7) * 101}555${String(roll(10_000)).padStart(4, "0")}`;
  const inside = roll(2) ? "+12125550100" : `client:${agents[roll(4)]}`;
  const duration = status === "completed" ? 8 + roll(900) : null;
  const call = await insertCall(app, {
    from: isIn ? outside : "+12125550100",
    to: isIn ? inside : outside,
    status,
    startTime,
    answeredAt: duration === null ? null : startTime + 700 + roll(9_000),
    endTime: startTime + (duration ?? 25) * 1_000,
    duration,
    price: duration === null ? null : (Math.ceil(duration / 60) * 0.0085).toFixed(4),
    direction: isIn ? "inbound" : "outbound-api",
  });
  if (roll(3) === 0) await deliver(app, call, roll(12) === 0 ? "failed" : "delivered");
  if (status === "failed" || roll(9) === 0) {
    await notice(app, { callSid: call.sid, ...troubles[roll(troubles.length)] });
  }
}

/** Problems of a usual day. */
const troubles: readonly Partial<Notification>[] = [
  {
    errorCode: faults.documentUnreachable.code,
    messageText: "Cannot fetch the markup document: the server answered 502",
    requestUrl: `${server}/ivr/main-menu`,
  },
  {
    errorCode: faults.documentInvalid.code,
    messageText:
      "Cannot read the markup document: Cannot parse XML at line 3: the element Gather is not closed",
    requestUrl:
      `${server}/ivr/opening-hours?locale=en-GB&department=customer-success&return=%2Fivr%2Fmain-menu`,
  },
  {
    errorCode: 13224,
    messageText:
      "Cannot route the call: the address has no destination: no Gateway takes +99912345",
  },
];

/** Calls of each day of the last month, with their charges. */
export async function chargedMonth(app: App, roll: (below: number) => number): Promise<void> {
  const now = app.clock.now;
  for (let day = 25; day >= 0; day--) {
    app.clock.now = now - day * dayMs;
    for (let at = 0; at < 3; at++) {
      await insertCall(app, {
        from: "+12125550100",
        to: "+13105550123",
        status: "completed",
        startTime: app.clock.now,
        answeredAt: app.clock.now + 900,
        endTime: app.clock.now + 60_000 * (1 + roll(20)),
        duration: 60 * (1 + roll(20)),
        price: (0.0085 * (1 + roll(20))).toFixed(4),
        direction: "outbound-api",
      });
    }
  }
}
