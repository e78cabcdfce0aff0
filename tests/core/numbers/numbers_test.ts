import assert from "node:assert/strict";
import { cellsOf, linesOf } from "../../../core/model/values/csv.ts";
import { importNumbers } from "../../../core/numbers/import_numbers.ts";
import { e164Of, formsOf, readsAsNumber } from "../../../core/model/values/dialled.ts";
import type { NumberOffer, NumberSearch } from "../../../core/model/values/offer.ts";
import { type NumberKind, parseNumber } from "../../../core/model/values/phone_number.ts";
import { httpNumbers } from "../../../core/numbers/http_provider.ts";
import { openNumbers } from "../../../core/numbers/open_provider.ts";
import { hasPart } from "../../../core/base/filters.ts";
import { money } from "../../../core/usage/summarize.ts";

const real: [text: string, e164: string, country: string | null, kinds: NumberKind[]][] = [
  ["+14155550100", "+14155550100", "US", ["local", "mobile"]],
  ["+1 (416) 555-0100", "+14165550100", "CA", ["local", "mobile"]],
  ["+18005550100", "+18005550100", "US", ["tollFree"]],
  ["+447400123456", "+447400123456", "GB", ["mobile"]],
  ["+442079460123", "+442079460123", "GB", ["local"]],
  ["+498001234567", "+498001234567", "DE", ["tollFree"]],
  ["+80012345678", "+80012345678", null, ["tollFree"]],
  ["+19005550100", "+19005550100", "US", ["local"]],
  ["+15550000001", "+15550000001", null, ["local", "mobile", "tollFree"]],
];

for (const [text, phoneNumber, isoCountry, kinds] of real) {
  Deno.test(`parseNumber() knows ${text}`, () => {
    const { national, ...number } = parseNumber(text)!;
    assert.deepEqual(number, { phoneNumber, isoCountry, kinds });
    assert.match(national, /\d/);
  });
}

Deno.test("parseNumber() refuses what is no possible number", () => {
  const texts = ["", "+", "14155550100", "+1415555010", "+141555501000", "+999123456789", "+1x"]
    .concat(["+1415555010x5", "tel:+14155550100", "+1".padEnd(60, "5"), "+٤١٥", "+1;ext=5"]);
  for (const text of texts) assert.equal(parseNumber(text), null, text);
});

Deno.test("e164Of() reads + and 00, and the numbers of a country", () => {
  const read: [text: string, country: string | null, expected: string | null][] = [
    ["+44 20 7946 0000", null, "+442079460000"],
    ["00442079460000", null, "+442079460000"],
    ["020 7946 0000", null, null],
    ["020 7946 0000", "GB", "+442079460000"],
    ["(415) 555-0101", "US", "+14155550101"],
    ["112", "GB", null],
    ["+1", null, null],
    ["*31#", "GB", null],
    ["alice", "GB", null],
    ["1".repeat(41), null, null],
  ];
  for (const [text, country, expected] of read) assert.equal(e164Of(text, country), expected, text);
});

Deno.test("readsAsNumber() knows numbers without their +, and those of emergency services", () => {
  const numbers = ["+442079460000", "442079460000", "00442079460000", "14155550101", "112", "911"]
    .concat("٤٤٢٠٧٩٤٦٠٠٠٠", "＋４４２０７９４６００００");
  for (const text of numbers) assert.equal(readsAsNumber(text, null), true, text);
  for (const text of ["1000", "12345", "*135#", "alice", "1a", "٤٤ alice", "", "+"]) {
    assert.equal(readsAsNumber(text, null), false, text);
  }
  assert.equal(readsAsNumber("020 7946 0000", null), false);
  assert.equal(readsAsNumber("020 7946 0000", "GB"), true);
});

Deno.test("formsOf() begins with what was dialled", () => {
  assert.deepEqual(formsOf("4155550101", "US"), ["4155550101", "+14155550101", "14155550101"]);
  assert.deepEqual(formsOf("1234", null), ["1234", "+1234"]);
  assert.deepEqual(formsOf("sales", "US"), ["sales"]);
  assert.deepEqual(formsOf("", null), []);
});

Deno.test("hasPart() finds a part anywhere, * being any one digit", () => {
  for (const part of ["", "+1415", "5501", "4155550100", "5*501*0", "**********"]) {
    assert.equal(hasPart("+14155550100", part), true, part);
  }
  for (const part of ["*1415", "0101", "************", "5 5"]) {
    assert.equal(hasPart("+14155550100", part), false, part);
  }
});

async function searched(wanted: NumberSearch): Promise<string[]> {
  const offers = await Array.fromAsync(openNumbers.search(wanted));
  return offers.map(({ phoneNumber }) => phoneNumber);
}

Deno.test("openNumbers offers fictional numbers of area codes that exist, in order", async () => {
  const bay = await searched({ areaCode: "415" });
  assert.equal(bay.length, 100);
  assert.deepEqual([bay[0], bay[99]], ["+14155550100", "+14155550199"]);
  for (const areaCode of ["000", "199", "211", "311", "555", "900", "999"]) {
    assert.deepEqual(await searched({ areaCode }), [], areaCode);
  }
  assert.deepEqual(await searched({ isoCountry: "GB" }), []);
  assert.deepEqual(await searched({ areaCode: "416", isoCountry: "US" }), []);

  const tollFree = await searched({ isoCountry: "US", kind: "tollFree" });
  assert.equal(tollFree.length, 700);
  assert.ok(tollFree.every((number) => /^\+18(?:00|33|44|55|66|77|88)55501\d\d$/.test(number)));
  const mobile = await searched({ isoCountry: "CA", kind: "mobile", contains: "5550142" });
  assert.ok(mobile.length > 20 && mobile.every((number) => number.endsWith("5550142")));
  assert.deepEqual(mobile, mobile.toSorted());
});

Deno.test("openNumbers lets any possible number be had, and no other", async () => {
  assert.equal((await openNumbers.offer("+33612345678"))?.kinds[0], "mobile");
  assert.equal(await openNumbers.offer("+3361"), null);
  assert.ok((await openNumbers.countries()).includes("CA"));
});

/** The provider with an endpoint that answers from a table, and what it was asked. */
function endpoint(answers: Record<string, [status: number, body: string]>) {
  const asked: Request[] = [];
  const numbers = httpNumbers({
    url: "http://numbers.test/v1",
    token: "secret",
    fetch: (request) => {
      asked.push(request);
      const { pathname } = new URL(request.url);
      const [status, body] = answers[pathname] ?? [404, ""];
      return Promise.resolve(new Response(body, { status }));
    },
  });
  return { numbers, asked };
}

Deno.test("httpNumbers asks the endpoint, and takes what is no number for no offer", async () => {
  const offers = [
    {
      phoneNumber: "+33612345678",
      region: "75",
      latitude: 48.85,
      capabilities: { smsCapable: false },
    },
    { phoneNumber: "nonsense" },
    { phoneNumber: "+14155550123", kind: "mobile" },
  ];
  const { numbers, asked } = endpoint({
    "/v1/numbers": [200, JSON.stringify(offers)],
    "/v1/numbers/%2B14155550123": [200, JSON.stringify(offers[2])],
    "/v1/numbers/%2B14155550124": [200, JSON.stringify(offers[2])],
    "/v1/countries": [200, '["FR","US"]'],
    "/v1/events": [200, ""],
  });

  const found = await Array.fromAsync(numbers.search({ isoCountry: "FR", contains: "6*2" }));
  assert.deepEqual(
    found.map(({ phoneNumber, kinds, region, latitude, capabilities }) => [
      phoneNumber,
      kinds,
      region,
      latitude,
      capabilities.smsCapable,
    ]),
    [
      ["+33612345678", ["mobile"], "75", "48.85", false],
      ["+14155550123", ["mobile"], null, null, true],
    ],
  );
  assert.equal((await numbers.offer("+14155550123"))?.isoCountry, "US");
  assert.equal(await numbers.offer("+14155550124"), null); // It spoke of another number.
  assert.equal(await numbers.offer("+14155550125"), null);
  assert.deepEqual(await numbers.countries(), ["FR", "US"]);
  const event = { event: "released", phoneNumber: "+1", accountSid: "AC", sid: "PN" } as const;
  await numbers.notify(event);

  assert.equal(
    asked[0]!.url,
    "http://numbers.test/v1/numbers?isoCountry=FR&contains=6*2&limit=250",
  );
  assert.equal(asked[0]!.headers.get("Authorization"), "Bearer secret");
  assert.deepEqual(await asked.at(-1)!.json(), event);
});

Deno.test("httpNumbers is unavailable when the endpoint fails or is not understood", async () => {
  for (const answer of [[500, ""], [200, "<html>"], [200, '{"a":1}'], [302, ""]]) {
    const { numbers } = endpoint({ "/v1/numbers/%2B1": answer as [number, string] });
    await assert.rejects(numbers.offer("+1"), { fault: "unavailable" }, String(answer));
  }
  const { numbers } = endpoint({ "/v1/events": [500, ""] });
  const event = { event: "released", phoneNumber: "+1", accountSid: "AC", sid: "PN" } as const;
  await assert.rejects(numbers.notify(event), /Cannot tell the numbers endpoint: 500/);
  const dead = httpNumbers({ url: "http://x.test", token: "", fetch: () => Promise.reject() });
  await assert.rejects(dead.countries(), { fault: "unavailable" });
});

Deno.test("cellsOf() and linesOf() read CSV, in whatever pieces it comes", async () => {
  assert.deepEqual(cellsOf('a, b ,"c, ""d""",,e'), ["a", "b", 'c, "d"', "", "e"]);
  assert.deepEqual(cellsOf(""), [""]);
  assert.deepEqual(cellsOf(","), ["", ""]);
  const pieces = (async function* () {
    yield* ["a\r", "\nb\n", "", "\nc"];
  })();
  assert.deepEqual(await Array.fromAsync(linesOf(pieces)), ["a", "b", "", "c"]);
});

async function imported(lines: string[]) {
  const stock = new Map<string, NumberOffer>();
  const text = (async function* () {
    yield lines.join("\n");
  })();
  const put = (offers: NumberOffer[]) => {
    const fresh = offers.filter(({ phoneNumber }) => !stock.has(phoneNumber)).length;
    for (const offer of offers) stock.set(offer.phoneNumber, offer);
    return Promise.resolve(fresh);
  };
  const progress: number[] = [];
  const result = await importNumbers(text, { put }, ({ read }) => progress.push(read));
  return { result, progress, stock };
}

Deno.test("importNumbers() loads what is right, tells what is not, and shows progress", async () => {
  const many = Array.from({ length: 1_500 }, (_, n) => `+1415555${String(n).padStart(4, "0")},,,,`);
  const { result, progress, stock } = await imported([
    "\ufeffPhone Number,Kind,RateCenter,SMS,Postal_Code",
    '+14165550100,Toll-Free,"Toronto, ON",FALSE,M5V',
    "",
    "+1416555,,,,",
    "+14165550101,satellite,,,",
    "+14165550102,,,maybe,",
    "+14165550103,,,,,,",
    ...many,
    many[0]!,
  ]);

  assert.deepEqual([result.read, result.added, result.refused], [1_502, 1_501, 4]);
  assert.deepEqual(progress, [1_000, 1_502]);
  assert.deepEqual(result.problems, [
    'line 4: "+1416555" is no possible number in E.164 form',
    'line 5: "satellite" is no kind of number',
    "line 6: sms must be true or false",
    "line 7: there are more cells than columns",
  ]);
  const { kinds, rateCenter, capabilities, postalCode, region } = stock.get("+14165550100")!;
  assert.deepEqual([kinds, rateCenter, capabilities.smsCapable, postalCode, region], [
    ["tollFree"],
    "Toronto, ON",
    false,
    "M5V",
    null,
  ]);
});

Deno.test("importNumbers() refuses a file without the right columns", async () => {
  await assert.rejects(imported([""]), /the file is empty/);
  await assert.rejects(imported(["Kind"]), /no column PhoneNumber/);
  await assert.rejects(imported(["PhoneNumber,Colour"]), /unknown column "Colour"/);
});

Deno.test("money() has two decimals at least and drops no millionth", () => {
  const cases: [number, string][] = [
    [0, "0.00"],
    [1_150_000, "1.15"],
    [1, "0.000001"],
    [7_500, "0.0075"],
    [10_000_000, "10.00"],
  ];
  for (const [micros, text] of cases) assert.equal(money(micros), text);
});
