import assert from "node:assert/strict";
import { cookiesOf } from "../../../core/documents/cookies.ts";

/** Whether the texts of a sender have cookies, which the next text of the sender gets. */
function areKept(from: string): boolean {
  const subject = { accountSid: "AC1", from, to: "+14155550150", callSid: null };
  return cookiesOf(subject, "AC1", {} as Parameters<typeof cookiesOf>[2]) !== null;
}

Deno.test("texts of withheld senders have no cookies", () => {
  const nobody = [
    "",
    "anonymous",
    "Restricted",
    "sip:Restricted@carrier.test",
    "sips:unavailable@carrier.test:5061",
    "sip:unknown@anonymous.invalid",
    "sip:4711@anonymous.invalid",
    "sip:@carrier.test",
  ];
  assert.deepEqual(nobody.filter(areKept), []);
  const somebody = [
    "+14155550123",
    "client:alice",
    "sip:private.line@carrier.test",
    "sip:bob@a.test",
  ];
  assert.deepEqual(somebody.filter((from) => !areKept(from)), []);
});
