import assert from "node:assert/strict";
import {
  readUserPart,
  splitUserParameters,
  userParameter,
  withoutParameter,
} from "../../../core/base/user_part.ts";

Deno.test("readUserPart() takes the parameters of telephone numbers off, and none of a name", () => {
  for (
    const [text, user, parameters] of [
      ["+12125550123", "+12125550123", ""],
      ["+12125550123;npdi", "+12125550123", "npdi"],
      ["+1-212-555-0123;rn=+14045550000;npdi=yes", "+1-212-555-0123", "rn=+14045550000;npdi=yes"],
      ["%2B12125550123;CPC=payphone", "%2B12125550123", "CPC=payphone"],
      ["1000;anything=1", "1000", "anything=1"],
      ["*21%23;isub=5", "*21%23", "isub=5"],
      ["alice", "alice", ""],
      ["alice;day=tuesday", "alice;day=tuesday", ""],
      ["anonymous;verstat=No-TN-Validation", "anonymous", "verstat=No-TN-Validation"],
      ["Restricted; Cpc=unknown", "Restricted", " Cpc=unknown"],
      ["+1212%3Bnpdi%3brn%3D+1404", "+1212", "npdi;rn=+1404"],
      ["alice%3Bday=tuesday", "alice%3Bday=tuesday", ""],
      [";npdi", "", "npdi"],
      ["", "", ""],
    ] as const
  ) assert.deepEqual(readUserPart(text), { user, parameters }, text);
});

Deno.test("readUserPart() puts the country code of a phone-context before a local number", () => {
  for (
    const [text, user] of [
      ["2125550123;phone-context=+1", "+12125550123"],
      ["5550123;phone-context=+1-212", "+12125550123"],
      ["02079460123;phone-context=+44", "+4402079460123"], // The trunk prefix falls later.
      ["863-1234;phone-context=+1-914-555", "863-1234"], // RFC 3966 §3: a context, no prefix.
      ["7042;phone-context=+1", "7042"],
      ["7042;phone-context=example.com", "7042"],
      ["+442079460123;phone-context=+1", "+442079460123"],
      ["*21;phone-context=+49", "*21"],
      ["1234567890123456;phone-context=+49", "1234567890123456"],
    ] as const
  ) assert.equal(readUserPart(text).user, user, text);
});

Deno.test("userParameter() and withoutParameter() know a parameter by its name in any case", () => {
  const part = readUserPart("+14045550100;VerStat=TN-Validation-Passed;npdi");
  assert.equal(userParameter(part, "verstat"), "TN-Validation-Passed");
  assert.equal(userParameter(part, "rn"), undefined);
  assert.equal(withoutParameter(part.parameters, "verstat"), "npdi");
  assert.equal(withoutParameter("verstat=A", "verstat"), "");
});

Deno.test("splitUserParameters() takes them out of SIP and tel URIs, and leaves other texts", () => {
  for (
    const [text, uri, parameters] of [
      ["sip:+1404;npdi@a.test;user=phone", "sip:+1404@a.test;user=phone", "npdi"],
      ["tel:+1404;ext=5", "tel:+1404", "ext=5"],
      ["sip:a.test;lr", "sip:a.test;lr", ""],
      ["client:alice", "client:alice", ""],
      ["+1404", "+1404", ""],
    ] as const
  ) assert.deepEqual(splitUserParameters(text), { uri, parameters }, text);
});
