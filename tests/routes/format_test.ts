import assert from "node:assert/strict";
import { XMLParser } from "fast-xml-parser";
import { startApp } from "../support/service/app.ts";

Deno.test("formatOf() gives JSON when Accept prefers it, XML otherwise", async () => {
  using app = await startApp();
  const cases: [accept: string, format: "json" | "xml"][] = [
    ["application/json", "json"],
    ["APPLICATION/JSON; charset=utf-8", "json"],
    ["application/json, */*", "json"],
    ["application/json, application/xml", "json"],
    ["application/xml;q=0.5, application/json;q=0.9", "json"],
    ["*/*", "xml"],
    ["", "xml"],
    ["text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8", "xml"],
    ["application/xml, application/json", "xml"],
    ["application/json;q=0.5, text/xml", "xml"],
    ["application/json;q=0", "xml"],
    ["application/problem+json", "xml"],
  ];

  for (const [accept, format] of cases) {
    const { headers } = await app.root.get("Clients", { Accept: accept });
    assert.equal(headers.get("Content-Type"), `application/${format}; charset=utf-8`, accept);
  }
  const suffixed = await app.root.get("Clients.json", { Accept: "application/xml" });
  assert.deepEqual(suffixed.json(), []);
});

Deno.test("XML carries every text unharmed, but for the characters that it forbids", async () => {
  using app = await startApp();
  const texts: [sent: string, read: string][] = [
    [`<a href="b">&amp; 'c' ]]></a>`, `<a href="b">&amp; 'c' ]]></a>`],
    ["line\r\nfeed\ttab", "line\r\nfeed\ttab"],
    ["ü € 😀", "ü € 😀"],
  ];
  const parser = new XMLParser({ parseTagValue: false, trimValues: false, htmlEntities: true });

  for (const [FriendlyName, read] of texts) {
    const { sid } = (await app.root.post("Applications.json", { FriendlyName })).json();
    const { text } = await app.root.get(`Applications/${sid}`);
    assert.equal(parser.parse(text).ServiceResponse.Application.FriendlyName, read);
    const json = (await app.root.get(`Applications/${sid}.json`)).json();
    assert.equal(json.friendly_name, read);
  }
});

Deno.test("XML leaves out characters that it forbids, where a peer brought them", async () => {
  using app = await startApp();
  const { sid } = (await app.root.post("Applications.json", { FriendlyName: "x" })).json();
  const friendlyName = "bell\x07 null\x00 end\x1f\ufffe\uffff.";
  await app.ports.records.applications.update(
    app.root.sid,
    sid,
    (record) => ({ record: { ...record, friendlyName } }),
  );

  const { text } = await app.root.get(`Applications/${sid}`);
  assert.match(text, /<FriendlyName>bell null end\.<\/FriendlyName>/);
});

Deno.test("a path of either interface with empty segments is the path without them", async () => {
  using app = await startApp();
  const { sid } = (await app.root.post("Applications.json", { FriendlyName: "x" })).json();
  const Authorization = `Basic ${btoa(`${app.root.sid}:${app.root.token}`)}`;
  const send = (path: string, init: RequestInit = {}) =>
    app.http.fetch(new Request(`http://api.test${path}`, { ...init, headers: { Authorization } }));
  for (const version of ["2012-04-24", "2010-04-01"]) {
    const accounts = `/${version}/Accounts`;
    for (
      const [path, status] of [
        [`${accounts}/${app.root.sid}/Applications/`, 200],
        [`${accounts}/${app.root.sid}/Applications.json/`, 200],
        [`${accounts}/${app.root.sid}//Applications/${sid}.json`, 200],
        [`/${accounts}/${app.root.sid}/Applications/${sid}.json//`, 200],
        [`//${version}///Accounts.json`, 200],
        [`${accounts}/${app.root.sid}/Applications/${sid}/x/`, 404],
      ] as const
    ) {
      const answer = await send(path);
      assert.equal(answer.status, status, path);
      const isJson = path.includes(".json");
      assert.match(answer.headers.get("Content-Type")!, isJson ? /json/ : /xml/, path);
    }
    const made = await send(`${accounts}/${app.root.sid}/Applications.json/`, {
      method: "POST",
      body: new URLSearchParams({ FriendlyName: "y" }),
    });
    assert.ok(made.ok, await made.text());
  }
});

Deno.test("HEAD answers as GET does, without the body", async () => {
  using app = await startApp();

  const answer = await app.root.request("HEAD", "Clients.json");

  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("Content-Type"), "application/json; charset=utf-8");
  assert.equal((await app.root.request("HEAD", "Nothing")).status, 404);
});
