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
    ["bell\x07 null\x00 end\x1f\ufffe\uffff.", "bell null end."],
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

Deno.test("HEAD answers as GET does, without the body", async () => {
  using app = await startApp();

  const answer = await app.root.request("HEAD", "Clients.json");

  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("Content-Type"), "application/json; charset=utf-8");
  assert.equal((await app.root.request("HEAD", "Nothing")).status, 404);
});
