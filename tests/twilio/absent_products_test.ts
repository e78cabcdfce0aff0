import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { limits } from "../../core/base/limits.ts";
import { startApp } from "../support/service/app.ts";

/** Folder of npm `twilio`, as it is published. */
const rest = `${dirname(createRequire(import.meta.url).resolve("twilio"))}/rest`;

/** The class of a version: that of `hosted_numbers` is in HostedNumbers.js. */
async function versionSource(product: string, version: string): Promise<string> {
  const wanted = `${version.replaceAll("_", "")}.js`;
  const files = [...Deno.readDirSync(`${rest}/${product}`)];
  const file = files.find(({ name }) => name.toLowerCase() === wanted);
  return file === undefined ? "" : await Deno.readTextFile(`${rest}/${product}/${file.name}`);
}

/** Each path that a product of the library has at its first level. */
async function pathsOfLibrary(): Promise<string[]> {
  const found: string[] = [];
  for (const product of Deno.readDirSync(rest).filter(({ isDirectory }) => isDirectory)) {
    for (const version of Deno.readDirSync(`${rest}/${product.name}`)) {
      if (!version.isDirectory || product.name === "api") continue;
      const folder = `${rest}/${product.name}/${version.name}`;
      const [, shown] =
        /super\(domain, "([^"]+)"\)/.exec(await versionSource(product.name, version.name)) ?? [];
      for (const { name } of Deno.readDirSync(folder).filter(({ name }) => name.endsWith(".js"))) {
        const source = await Deno.readTextFile(`${folder}/${name}`);
        for (const [, uri] of source.matchAll(/_uri = [`"]([^`"]+)/g)) {
          const path = `/${shown ?? version.name}${uri!.replaceAll(/\$\{\w+\}/g, "x1")}`;
          found.push(path);
        }
      }
    }
  }
  return found;
}

Deno.test("each product of Twilio's library that is not here says so, by a code of its own", async () => {
  using app = await startApp();
  const paths = await pathsOfLibrary();
  assert.ok(paths.length > 150, String(paths.length));
  for (const path of paths) {
    if (path.startsWith("/v1/AuthTokens")) continue;
    for (const method of ["GET", "POST"]) {
      const answer = await app.root.request(method, path, {
        headers: { Accept: "application/json" },
      });
      assert.equal(answer.status, 501, `${method} ${path} ${answer.text}`);
      assert.equal(answer.json().code, 20501, path);
      assert.match(answer.json().message, / is not here\. \w/, path);
    }
  }
});

const cases: [path: string, name: string][] = [
  ["/v1/PhoneNumbers/+14155550100", "Lookup"],
  ["/v2/PhoneNumbers/+14155550100?Fields=line_type_intelligence", "Lookup"],
  [`/v2/Services/VA${"0".repeat(32)}/Verifications`, "Verify"],
  [`/v2/Services/VA${"0".repeat(32)}/VerificationCheck`, "Verify"],
  ["/v2/Services", "Verify"],
  [`/v1/Workspaces/WS${"0".repeat(32)}/Tasks`, "TaskRouter"],
  [`/v1/Services/MG${"0".repeat(32)}`, "Messaging Services"],
  ["/v1/Services/default/Documents", "Sync"],
  [`/v1/Conversations/CH${"0".repeat(32)}/Messages`, "Conversations"],
  ["/v2/Flows/FW1/Executions", "Studio"],
  ["/v1/Rooms", "Video"],
  ["/v1/Trunks/", "Elastic SIP Trunking"],
  ["/v1/NoSuchThing", "The product of this path"],
  ["/2010-04-01/Accounts/{}/SIP/Domains.json", "SIP Domains"],
  [`/2010-04-01/Accounts/{}/Calls/CA${"0".repeat(32)}/Siprec.json`, "SIPREC"],
];

Deno.test("the response names the product and its replacement, in JSON and XML", async () => {
  using app = await startApp();
  for (const [path, name] of cases) {
    const asked = path.replace("{}", app.root.sid);
    const json = await app.root.get(asked, { Accept: "application/json" });
    assert.equal(json.status, 501, path);
    assert.ok(json.json().message.includes(`: ${name} is not here. `), json.json().message);
    const xml = await app.root.get(asked.replace(".json", ""), { Accept: "application/xml" });
    assert.match(xml.text, /<Status>501<.*<Code>20501</);
  }
  const named = await app.root.get("/v1/Services/x", { Host: "chat.us1.twilio.com" });
  assert.match(named.text, /Chat is not here/);
});

Deno.test("a product that is not here makes one Notification a day, for its account", async () => {
  using app = await startApp();
  app.clock.now = Date.UTC(2026, 4, 1, 9, 30);
  const other = await app.subAccount(app.root, "other");
  const told = async (client: typeof other) => {
    const list = (await client.get("Notifications.json?ErrorCode=20501")).json().notifications;
    return (list as { message_text: string }[]).map(({ message_text }) =>
      /: (.*) is not here/.exec(message_text)?.[1]
    ).sort();
  };
  const ask = async (client: typeof other) => {
    await Promise.all([
      client.get("/v1/PhoneNumbers/+14155550100"),
      client.get("/v2/PhoneNumbers/+14155550101"),
    ]);
    await client.post(`/v2/Services/VA${"0".repeat(32)}/Verifications`);
  };
  await ask(app.root);
  app.clock.now += 5 * 3_600_000;
  await ask(app.root);
  assert.deepEqual(await told(app.root), ["Lookup", "Verify"]);
  assert.deepEqual(await told(other), []);
  app.clock.now += 12 * 3_600_000;
  await ask(app.root);
  assert.deepEqual(await told(app.root), ["Lookup", "Lookup", "Verify", "Verify"]);
  await ask(other);
  assert.deepEqual(await told(other), ["Lookup", "Verify"]);
});

Deno.test("a path of another product needs credentials, and a wrong version is no product", async () => {
  using app = await startApp();
  const anybody = { Authorization: "none" };
  assert.equal((await app.root.get("/v1/PhoneNumbers/+1415", anybody)).status, 401);
  const version = (await app.root.get(`/v1/Accounts/${app.root.sid}/Calls.json`)).json();
  assert.equal(version.code, 20404);
  assert.match(
    version.message,
    new RegExp(`${limits.twilioApiVersion}/Accounts/${app.root.sid}/Calls`),
  );
});
