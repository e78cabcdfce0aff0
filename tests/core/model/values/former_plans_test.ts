import assert from "node:assert/strict";
import { parsePhoneNumberFromString } from "libphonenumber-js/max";
import { e164Of } from "../../../../core/model/values/dialled.ts";
import { currentNumber } from "../../../../core/model/values/former_plans.ts";
import { parseNumber } from "../../../../core/model/values/phone_number.ts";

/** Former numbers, and what they became. */
const moved: [former: string, now: string][] = [
  ["+5215562000000", "+525562000000"],
  ["+520445562000000", "+525562000000"],
  ["+52015562000000", "+525562000000"],
  ["+553188887777", "+5531988887777"],
  ["+551199991234", "+5511999991234"],
  ["+5718889999", "+576018889999"],
  ["+841201234567", "+84701234567"],
  ["+841211234567", "+84791234567"],
  ["+841221234567", "+84771234567"],
  ["+841231234567", "+84831234567"],
  ["+841271234567", "+84811234567"],
  ["+841291234567", "+84821234567"],
  ["+841681234567", "+84381234567"],
  ["+841861234567", "+84561234567"],
  ["+841991234567", "+84591234567"],
  ["+22501234567", "+2250101234567"],
  ["+22541234567", "+2250141234567"],
  ["+22505123456", "+2250505123456"],
  ["+22566123456", "+2250566123456"],
  ["+22507123456", "+2250707123456"],
  ["+22597123456", "+2250797123456"],
  ["+22520812345", "+2252120812345"],
  ["+22530012345", "+2252530012345"],
  ["+22520212345", "+2252720212345"],
  ["+22524412345", "+2252724412345"],
  ["+22990123456", "+2290190123456"],
  ["+22920212345", "+2290120212345"],
  ["+24107123456", "+24177123456"],
  ["+24106123456", "+24166123456"],
  ["+24101712345", "+24111712345"],
];

Deno.test("a former number is one of today's plan, however it is written", () => {
  for (const [former, now] of moved) {
    assert.equal(currentNumber(former), now, former);
    assert.equal(parsePhoneNumberFromString(now)?.isValid(), true, `${now} is in use`);
    const written = former.replace(/^\+(\d\d)(\d+)(\d{4})$/, "00$1 ($2) $3");
    for (const text of [former, written]) assert.equal(e164Of(text, null), now, text);
    assert.equal(parseNumber(former)?.phoneNumber, now, former);
    assert.equal(currentNumber(now), now, "a number of today stays");
  }
});

Deno.test("a former number is understood where it is dialled within its country", () => {
  for (
    const [text, country, number] of [
      ["044 55 6200 0000", "MX", "+525562000000"],
      ["07 12 34 56", "CI", "+2250707123456"],
      ["90 12 34 56", "BJ", "+2290190123456"],
      ["(031) 8888-7777", "BR", "+5531988887777"],
      ["0120 1234567", "VN", "+84701234567"],
    ] as const
  ) assert.equal(e164Of(text, country), number, text);
});

Deno.test("currentNumber() keeps numbers in use, and numbers whose digits do not fix the new form", () => {
  for (
    const number of ["+525562000000", "+551123456789", "+553178887777", "+576018889999"]
      .concat("+573001234567", "+5746123456", "+84241234567", "+22580012345", "+2250707123456")
      .concat("+2290190123456", "+24177123456", "+6327123456", "+14155550101", "+541115234567")
  ) assert.equal(currentNumber(number), number, number);
});

Deno.test("no number that is in use has a former form", () => {
  const digit = (seed: number, at: number) => (seed * 7_919 + at * 104_729) % 9_973 % 10;
  for (const [code, length] of [["52", 11], ["55", 10], ["57", 8], ["84", 10]] as const) {
    for (let seed = 0; seed < 3_000; seed++) {
      const digits = Array.from({ length }, (_, at) => digit(seed, at + 1)).join("");
      const number = `+${code}${digits}`;
      if (parsePhoneNumberFromString(number)?.isValid() !== true) continue;
      assert.equal(currentNumber(number), number, number);
    }
  }
});
