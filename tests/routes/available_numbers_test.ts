import assert from "node:assert/strict";
import { startApp } from "../support/service/app.ts";

Deno.test("AvailablePhoneNumbers lists countries, each with addresses that answer", async () => {
  using app = await startApp();

  const countries = (await app.root.get("AvailablePhoneNumbers.json")).json();
  const canada = countries.find((one: { iso_country: string }) => one.iso_country === "CA");

  assert.equal(canada.country, "Canada");
  assert.deepEqual((await app.root.get(canada.uri)).json(), canada);
  assert.deepEqual(Object.keys(canada.subresource_uris), ["local", "toll_free", "mobile"]);
  const paged = await app.root.get("AvailablePhoneNumbers.json?PageSize=1&Page=1");
  assert.deepEqual(paged.json(), countries.slice(1, 2));
  assert.match(paged.headers.get("Link")!, /rel="next"/);
  for (const uri of Object.values(canada.subresource_uris)) {
    assert.equal((await app.root.get(String(uri))).status, 200);
  }
});

Deno.test("AvailablePhoneNumbers narrows by its filters and leaves out provisioned numbers", async () => {
  using app = await startApp();
  const found = async (path: string) => {
    const answer = await app.root.get(`AvailablePhoneNumbers/${path}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.json().map((one: { phone_number: string }) => one.phone_number) as string[];
  };

  assert.equal((await found("US/Local.json")).length, 50);
  assert.equal((await found("US/Local.json?PageSize=1000&AreaCode=415")).length, 100);
  assert.deepEqual(await found("US/Local.json?Contains=4155550*42"), ["+14155550142"]);
  assert.deepEqual(await found("US/Local.json?AreaCode=415&MmsEnabled=true"), []);
  const able = "AreaCode=415&Contains=0142&SmsEnabled=true&VoiceEnabled=true&MmsEnabled=false";
  assert.deepEqual(await found(`US/Mobile.json?${able}`), ["+14155550142"]);
  assert.deepEqual(await found("US/Local.json?AreaCode=555"), []);
  assert.deepEqual(await found("us/tollfree.json".replace("tollfree", "TollFree")), [
    ...Array.from({ length: 50 }, (_, n) => `+180055501${String(n).padStart(2, "0")}`),
  ]);
  assert.deepEqual(await found("GB/Local.json"), []);

  await app.root.post("IncomingPhoneNumbers", { PhoneNumber: "+14155550142" });
  assert.deepEqual(await found("US/Local.json?Contains=4155550142"), []);
});

Deno.test("AvailablePhoneNumbers is walked to its end by Link, and what it offers may be had", async () => {
  using app = await startApp();
  const walked: string[] = [];
  let address = "AvailablePhoneNumbers/US/Local.json?AreaCode=415&PageSize=40";
  while (address !== "") {
    const answer = await app.root.get(address);
    walked.push(...answer.json().map((one: { phone_number: string }) => one.phone_number));
    address = /<([^>]+)>; rel="next"/.exec(answer.headers.get("Link") ?? "")?.[1] ?? "";
  }

  assert.equal(new Set(walked).size, 100);
  const form = { PhoneNumber: walked[99]! };
  assert.equal((await app.root.post("IncomingPhoneNumbers/Local", form)).status, 200);
});

Deno.test("AvailablePhoneNumbers refuses unknown countries, kinds and filters", async () => {
  using app = await startApp();

  for (const path of ["XX", "XX/Local", "USA", "US/Fax", "%00", "US/Local/415"]) {
    assert.equal((await app.root.get(`AvailablePhoneNumbers/${path}.json`)).status, 404, path);
  }
  const wrong = await app.root.get("AvailablePhoneNumbers/US/Local.json?SmsEnabled=maybe&Page=-1");
  assert.match(wrong.json().message, /SmsEnabled must be one of true, false; Page must be/);
  assert.equal((await app.root.post("AvailablePhoneNumbers/US/Local.json")).status, 405);
});

Deno.test("Usage/Records sums charges by day and category, latest first", async () => {
  using app = await startApp();
  const provision = (PhoneNumber: string) => app.root.post("IncomingPhoneNumbers", { PhoneNumber });
  await provision("+14155550100");
  await provision("+14155550101");
  await provision("+14155550101"); // Refused, and so free of charge.
  app.clock.now += 86_400_000;
  await provision("+14155550102");

  const records = (await app.root.get("Usage/Records.json")).json();
  assert.deepEqual(
    records.map((one: Record<string, string>) => [
      one.start_date,
      one.category,
      one.count,
      one.price,
    ]),
    [
      ["2024-02-01", "phonenumbers", "1", "1.15"],
      ["2024-02-01", "totalprice", "1", "1.15"],
      ["2024-01-31", "phonenumbers", "2", "2.30"],
      ["2024-01-31", "totalprice", "2", "2.30"],
    ],
  );
  for (const record of records) {
    assert.deepEqual((await app.root.get(record.uri)).json(), record);
  }

  const found = async (query: string) =>
    (await app.root.get(`Usage/Records.json?${query}`)).json().length;
  assert.equal(await found("Category=totalprice"), 2);
  assert.equal(await found("StartTime=2024-01-31"), 2);
  assert.equal(await found("StartTime=2024-01-31&EndTime=2024-02-01&Category=phonenumbers"), 2);
  assert.equal(await found("StartTime>=2024-02-02"), 0);
  assert.equal((await app.root.get("Usage/Records.json?Category=fax")).status, 400);
  assert.equal((await app.root.get("Usage/Records/2024-01-30/calls.json")).status, 404);
  assert.equal((await app.root.delete("Usage/Records.json")).status, 405);

  const other = await app.subAccount(app.root, "other");
  assert.deepEqual((await other.get("Usage/Records.json")).json(), []);
  assert.equal((await other.with({ sid: app.root.sid }).get("Usage/Records.json")).status, 403);
});
