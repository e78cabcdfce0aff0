import assert from "node:assert/strict";
import { lineOf } from "../../../core/admin/event_lines.ts";
import type { StreamedEvent } from "../../../core/webhooks/event_summary.ts";
import { eventTypes } from "../../../core/model/event_types.ts";

const sid = `CA${"1".repeat(32)}`;
const dates = { date_updated: "Wed, 31 Jan 2024 12:00:05 +0000" };
const call = {
  id: "1",
  type: "call",
  change: "updated",
  sid,
  record: {
    ...dates,
    status: "failed",
    from: "+15550001",
    to: "client:alice",
    direction: "outbound-api",
    duration: null,
  },
} as const satisfies StreamedEvent;
const plain = { isColoured: false, now: 0 };

Deno.test("lineOf() says when, what, how it is and of which call", () => {
  const at = new Date(dates.date_updated);
  const time = at.toTimeString().slice(0, 8);
  assert.equal(
    lineOf(call, plain),
    `${time}  call           failed       +15550001 → client:alice  outbound-api  ${sid}`,
  );
  const notification = {
    ...call,
    type: "notification",
    sid: `NO${"2".repeat(32)}`,
    record: { ...dates, log: 0, error_code: 11200, message_text: "Cannot fetch", call_sid: sid },
  } as const;
  assert.match(
    lineOf(notification, plain),
    /notification {3}error {8}11200 {2}Cannot fetch {2}CA1/,
  );
  assert.match(lineOf({ ...call, change: "deleted", record: null }, plain), /call +deleted {2}CA1/);
});

Deno.test("lineOf() paints failures red on a terminal that has colours, and nothing steers it", () => {
  const [, painted] = lineOf(call, { ...plain, isColoured: true }).split("\x1b[31m");
  assert.match(painted!, /^failed .*alice/);
  const record = { ...call.record, to: "client:\x1b[2Jzoe\n\u202e" };
  assert.doesNotMatch(lineOf({ ...call, record }, plain), /\p{C}/u);
});

Deno.test("lineOf() has one line of bounded length for every type, also where fields are missing", () => {
  for (const type of Object.keys(eventTypes) as StreamedEvent["type"][]) {
    const long = { ...dates, body: "x".repeat(5_000), message_text: "y".repeat(5_000) };
    const line = lineOf({ ...call, type, record: long }, plain);
    assert.ok(line.length < 250, type);
    assert.doesNotMatch(line, /\n/);
  }
});
