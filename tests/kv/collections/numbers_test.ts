import assert from "node:assert/strict";
import {
  type NumberOffer,
  type NumberSearch,
  unknownPlace,
  usualCapabilities,
} from "../../../core/model/values/offer.ts";
import { parseNumber } from "../../../core/model/values/phone_number.ts";
import type { Charge } from "../../../core/model/store.ts";
import { openStore } from "../../../kv/open_store.ts";
import { startApp } from "../../support/service/app.ts";

const offer = (phoneNumber: string, changes: Partial<NumberOffer> = {}): NumberOffer => ({
  ...unknownPlace,
  ...parseNumber(phoneNumber)!,
  capabilities: usualCapabilities,
  ...changes,
});

Deno.test("the number inventory stores a number once, and finds it by country, kind and area, in order", async () => {
  const store = await openStore({ location: ":memory:", secretKey: "s", now: () => 0 });
  const { stock } = store;
  const many = Array.from(
    { length: 120 },
    (_, n) => offer(`+1415555${String(1_000 + n)}`, { kinds: ["local"] }),
  );
  const others = ["+12125550100", "+18005550100", "+14165550100", "+442079460123", "+80012345678"];
  const found = async (wanted: NumberSearch) =>
    (await Array.fromAsync(stock.search(wanted))).map(({ phoneNumber }) => phoneNumber);

  assert.equal(await stock.put([...many, ...others.map((one) => offer(one))]), 125);
  assert.equal(await stock.put([...many.slice(0, 60), offer("+447400123456")]), 1);

  assert.deepEqual(await stock.countries(), ["CA", "GB", "US"]);
  const us = await found({ isoCountry: "US", kind: "local" });
  assert.deepEqual(us, ["+12125550100", ...many.map(({ phoneNumber }) => phoneNumber)]);
  assert.equal((await found({ isoCountry: "US", kind: "local", areaCode: "415" })).length, 120);
  assert.deepEqual(await found({ areaCode: "212" }), ["+12125550100"]);
  assert.deepEqual(await found({ isoCountry: "US", kind: "mobile" }), ["+12125550100"]);
  assert.deepEqual(await found({ isoCountry: "GB", kind: "tollFree" }), []);
  assert.equal((await found({})).length, 126);

  await stock.put([offer("+12125550100", { kinds: ["mobile"], region: "NY" })]);
  assert.deepEqual(await found({ isoCountry: "US", kind: "local", areaCode: "212" }), []);
  assert.equal((await stock.get("+12125550100"))?.region, "NY");
  assert.equal(await stock.get("+12125550101"), null);
  store.close();
});

Deno.test("the ledger sums the charges of many writers, and of none that failed", async () => {
  using app = await startApp();
  const { records, ledger } = app.ports;
  const { sid } = (await app.root.post("Applications.json", { FriendlyName: "x" })).json();
  const midnight = Date.UTC(2024, 1, 1);
  const always = { from: -Infinity, before: Infinity };
  const charge = (changes: Partial<Charge>): Charge => ({
    category: "calls",
    priceMicros: 7_500,
    usage: 2,
    at: midnight - 1,
    ...changes,
  });

  await Promise.all(
    Array.from(
      { length: 20 },
      (_, n) =>
        records.applications.update(app.root.sid, sid, (record) => ({
          record: { ...record, friendlyName: String(n) },
          charges: [charge({}), charge({ category: "sms", at: midnight })],
        })),
    ),
  );
  const failed = records.applications.update(app.root.sid, sid, () => {
    throw new Error("Cannot");
  });
  await assert.rejects(failed);
  const taken = { PhoneNumber: "+14155550100" };
  await app.root.post("IncomingPhoneNumbers", taken);
  await app.root.post("IncomingPhoneNumbers", taken);

  assert.deepEqual(await ledger.days(app.root.sid, always), [
    {
      day: midnight,
      sums: [{ category: "sms", count: 20, usage: 40, priceMicros: 150_000 }],
    },
    {
      day: midnight - 86_400_000,
      sums: [
        { category: "phonenumbers", count: 1, usage: 1, priceMicros: 1_150_000 },
        { category: "calls", count: 20, usage: 40, priceMicros: 150_000 },
      ],
    },
  ]);
  assert.deepEqual(await ledger.days("AC0", always), []);
  const inOne = await ledger.days(app.root.sid, { from: midnight - 1, before: midnight });
  assert.deepEqual(inOne.map(({ day }) => day), [midnight - 86_400_000]);
});
