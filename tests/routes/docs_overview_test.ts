import assert from "node:assert/strict";
import { Hono } from "hono";
import { docs } from "../../routes/docs/docs.ts";
import { startApp } from "../support/service/app.ts";

const files = () => Promise.resolve({ pages: new Map(), assets: new Map() });

/** The rows of the table of lists: the path, and what the page says of the JSON. */
async function listRows() {
  const settings = {
    baseUrl: "https://phone.example",
    clientPasswordMin: 4,
    recordingsOpenInS3: false,
  } as Parameters<typeof docs>[1]["settings"];
  const site = new Hono().route("/docs", docs(files, { settings }));
  const page = await (await site.request("/docs/api/overview")).text();
  const rows = page.matchAll(/<th scope="row"><code>([^<]+)<\/code><\/th><td>(.*?)<\/td>/g);
  return [...rows].map(([, path, shape]) => ({ path: path!, shape: shape! }));
}

Deno.test("the overview of the reference says of each list whether JSON is an array or an envelope", async () => {
  using app = await startApp();
  const rows = await listRows();
  let answered = 0;

  for (const { path, shape } of rows) {
    if (/\{Sid\}|^\//.test(path)) continue; // Below a record, or of another version.
    const isAccounts = path === "Accounts.json";
    const list = path.replace("{CountryCode}", "US");
    const answer = await app.root.get(isAccounts ? `/2012-04-24/${list}` : list);
    assert.equal(answer.status, 200, path);
    answered++;
    const json = answer.json();
    if (shape === "array") assert.ok(Array.isArray(json), path);
    else {
      const [, key] = /^envelope, records in <code>(\w+)<\/code>$/.exec(shape)!;
      assert.ok(Array.isArray(json[key!]), path);
      assert.equal(typeof json.next_page_uri, "string", path);
    }
  }
  assert.ok(answered > 15, String(answered));
});
