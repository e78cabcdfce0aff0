import { resources } from "../core/resources/mod.ts";
import { startApp } from "./support/app.ts";
import { golden } from "./support/golden.ts";
import { makeSample, type ResourceName } from "./support/samples.ts";

for (const name of Object.keys(resources) as ResourceName[]) {
  const { path } = resources[name];

  Deno.test(`${path}: the wire formats are those of tests/golden`, async () => {
    using app = await startApp();
    const sid = await makeSample(app, app.root, { name });
    await makeSample(app, app.root, { name, n: 2 });

    await golden(`${name}_one.json`, (await app.root.get(`${path}/${sid}.json`)).text);
    await golden(`${name}_one.xml`, (await app.root.get(`${path}/${sid}`)).text);
    await golden(`${name}_list.json`, (await app.root.get(`${path}.json?PageSize=1`)).text);
    await golden(`${name}_list.xml`, (await app.root.get(`${path}?PageSize=1`)).text);
  });
}

Deno.test("Accounts: the wire formats are those of tests/golden", async () => {
  using app = await startApp();
  await app.subAccount(app.root, "child");

  const own = `/2012-04-24/Accounts/${app.root.sid}`;
  await golden("accounts_one.json", (await app.root.get(`${own}.json`)).text);
  await golden("accounts_one.xml", (await app.root.get(own)).text);
  await golden("accounts_list.json", (await app.root.get("/2012-04-24/Accounts.json")).text);
  await golden("accounts_list.xml", (await app.root.get("/2012-04-24/Accounts")).text);
});

Deno.test("AvailablePhoneNumbers: the wire formats are those of tests/golden", async () => {
  using app = await startApp();
  const country = "AvailablePhoneNumbers/CA";
  const query = "PageSize=2&AreaCode=416";

  await golden("available_country.json", (await app.root.get(`${country}.json`)).text);
  await golden("available_country.xml", (await app.root.get(country)).text);
  await golden("available_list.json", (await app.root.get(`${country}/Local.json?${query}`)).text);
  await golden("available_list.xml", (await app.root.get(`${country}/Local?${query}`)).text);
});

Deno.test("Usage Records: the wire formats are those of tests/golden", async () => {
  using app = await startApp();
  await app.root.post("IncomingPhoneNumbers", { PhoneNumber: "+14155550100" });

  await golden("usage_list.json", (await app.root.get("Usage/Records.json")).text);
  await golden("usage_list.xml", (await app.root.get("Usage/Records")).text);
});

Deno.test("errors: the wire formats are those of tests/golden", async () => {
  using app = await startApp();

  await golden("error.json", (await app.root.get("Nothing.json")).text);
  await golden("error.xml", (await app.root.get("Nothing")).text);
});
