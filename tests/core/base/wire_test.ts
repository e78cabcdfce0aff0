import assert from "node:assert/strict";
import { iso8601, pascal, rfc2822, snake } from "../../../core/base/wire.ts";

Deno.test("rfc2822() and iso8601() agree with the platform at every hour of four years", () => {
  const start = Date.UTC(2023, 0, 1);
  for (let hour = 0; hour < 4 * 365 * 24; hour++) {
    const ms = start + hour * 3_600_000 + (hour * 7_919) % 3_600_000;
    const date = new Date(ms);
    assert.equal(rfc2822(ms), date.toUTCString().replace("GMT", "+0000"));
    assert.equal(iso8601(ms), date.toISOString());
  }
  for (const ms of [0, 1, 999, 86_399_999, 86_400_000]) {
    assert.equal(iso8601(ms), new Date(ms).toISOString());
  }
});

Deno.test("pascal() and snake() derive wire names from fields", () => {
  const cases: [field: string, pascal: string, snake: string][] = [
    ["sid", "Sid", "sid"],
    ["friendlyName", "FriendlyName", "friendly_name"],
    ["ttl", "TTL", "ttl"],
    ["bcc", "BCC", "bcc"],
    ["smsMessages", "SMSMessages", "sms_messages"],
  ];
  for (const [field, element, key] of cases) {
    assert.equal(pascal(field), element);
    assert.equal(snake(field), key);
  }
});
