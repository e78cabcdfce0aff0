import assert from "node:assert/strict";
import { parsePhoneNumberFromString } from "libphonenumber-js/max";
import { placeOf } from "../../../../core/model/values/place.ts";

Deno.test("placeOf() knows the country of a number, and the state of one of North America", () => {
  for (
    const [text, country, state] of [
      ["+12125550123", "US", "NY"],
      ["+1 (404) 555-0177", "US", "GA"],
      ["+14165550123", "CA", "ON"],
      ["+15145550123", "CA", "QC"],
      ["+19025550123", "CA", ""], // Nova Scotia and Prince Edward Island.
      ["+18005550123", "US", ""],
      ["+17875550123", "PR", ""],
      ["+442079460123", "GB", ""],
      ["+4930123456", "DE", ""],
      ["+5215562000000", "MX", ""],
      ["+80012345678", "", ""],
      ["12345", "", ""],
      ["client:alice", "", ""],
      ["sip:+12125550123@carrier.test", "", ""],
      ["anonymous", "", ""],
    ] as const
  ) assert.deepEqual(placeOf(text), { city: "", zip: "", country, state }, text);
});

Deno.test("every area code of the United States that is in use has one state", () => {
  for (let area = 201; area < 1_000; area++) {
    const number = `+1${area}2345678`;
    const parsed = parsePhoneNumberFromString(number);
    if (parsed?.country !== "US" || parsed.getType() !== "FIXED_LINE_OR_MOBILE") continue;
    assert.match(placeOf(number).state, /^[A-Z]{2}$/, number);
    assert.equal(placeOf(number).country, "US", number);
  }
});

Deno.test("every area code of Canada that is in use has one province, but those of several", () => {
  const ofSeveral = ["902", "782", "867", "273"]; // 273 is not in service yet.
  for (let area = 201; area < 1_000; area++) {
    const number = `+1${area}2345678`;
    const parsed = parsePhoneNumberFromString(number);
    if (parsed?.country !== "CA" || parsed.getType() !== "FIXED_LINE_OR_MOBILE") continue;
    assert.equal(placeOf(number).state === "", ofSeveral.includes(String(area)), number);
    assert.equal(placeOf(number).country, "CA", number);
  }
});

Deno.test("placeOf() reads a number once, and remembers a bounded number of them", () => {
  const first = placeOf("+14155550123");
  assert.equal(placeOf("+14155550123"), first);
  for (let n = 0; n < 2_500; n++) placeOf(`+1212555${String(n).padStart(4, "0")}`);
  const again = placeOf("+14155550123");
  assert.notEqual(again, first, "it was forgotten");
  assert.deepEqual(again, first);
  assert.deepEqual(again, { city: "", state: "CA", zip: "", country: "US" });
});
