import assert from "node:assert/strict";
import { demoLogin, demoNumbers, makeDemo, moveDemo } from "../../core/trials/demo.ts";
import { parseDocument } from "../../core/markup/parse.ts";
import { demo } from "../../routes/demo.ts";
import { startApp } from "../support/service/app.ts";
import { compiledDocument } from "../support/service/compile_lab.ts";
import { companionOf, xml } from "../support/service/hand_companion.ts";

const dialling = (number: string) =>
  ({
    type: "incoming",
    login: demoLogin,
    clientSid: "",
    uri: `sip:${number}@sip.test`,
    sipCallId: "sip-1",
    headers: {},
  }) as const;

Deno.test("a first start makes a Client and numbers that it can call", async () => {
  using app = await startApp();

  await makeDemo(app.root.sid, "a password", app.ports);
  await makeDemo(app.root.sid, "another", app.ports);

  const [client, ...others] = (await app.root.get("Clients.json")).json();
  assert.deepEqual([client.login, client.password, others.length], ["demo", "a password", 0]);
  const numbers = (await app.root.get("IncomingPhoneNumbers.json")).json();
  assert.deepEqual(
    numbers.map(({ friendly_name, voice_url }: Record<string, string>) => [
      friendly_name,
      voice_url!.replace(app.ports.settings.baseUrl, ""),
    ]),
    [
      ["Echo", "/demo/echo"],
      ["Menu", "/demo/menu"],
      ["Voice mail", "/demo/voicemail"],
      ["Conference", "/demo/conference"],
    ],
  );
  assert.equal(
    (await app.root.get("Usage/Records.json")).json()
      .filter(({ category }: { category: string }) => category === "phonenumbers")
      .every(({ count }: { count: string }) => Number(count) === 0),
    true,
  );

  app.answers = () => xml("<Echo/>");
  const leg = companionOf(app, `CA${"1".repeat(32)}`);
  const script = await leg.report({ ...dialling("+12125550101"), clientSid: client.sid });
  assert.deepEqual(script.map(({ type }) => type), ["answer", "echo", "hangup"]);
  assert.equal(new URL(app.fetched[0]!.url).pathname, "/demo/echo");
});

Deno.test("the numbers to try follow the service; one of another's use does not", async () => {
  using app = await startApp();
  const { ports, root } = app;
  await makeDemo(root.sid, "a password", ports);
  const numbers = (await root.get("IncomingPhoneNumbers.json")).json();
  const [echo, menu] = numbers;
  await root.post(`IncomingPhoneNumbers/${menu.sid}.json`, { VoiceUrl: "https://app.test/own" });
  await root.request("DELETE", `IncomingPhoneNumbers/${numbers[2].sid}.json`);
  const settings = { ...ports.settings, baseUrl: "https://moved.test" };

  await moveDemo(root.sid, { ...ports, settings });

  const read = async (sid: string) => (await root.get(`IncomingPhoneNumbers/${sid}.json`)).json();
  assert.equal((await read(echo.sid)).voice_url, "https://moved.test/demo/echo");
  assert.equal((await read(menu.sid)).voice_url, "https://app.test/own");
  assert.deepEqual(
    (await demoNumbers({ ...ports, settings })).map(({ name }) => name),
    ["Echo", "Conference"],
  );
});

/** The steps of a document, and what of it is not performed. */
async function steps(path: string, form?: Record<string, string>) {
  const answer = await demo().request(path, {
    method: "POST",
    body: new URLSearchParams(form),
  });
  assert.equal(answer.headers.get("content-type"), "application/xml; charset=utf-8");
  const known = { direction: "inbound", status: "in-progress" } as const;
  const { script, skipped } = await compiledDocument(parseDocument(await answer.text()), known);
  assert.deepEqual(skipped, [], path);
  return script;
}

Deno.test("every document of the demo is performed whole", async () => {
  const types = async (path: string, form?: Record<string, string>) =>
    (await steps(path, form)).map(({ type }) => type).join(" ");

  assert.match(await types("/welcome"), /play say hangup/);
  assert.match(await types("/echo"), /say echo hangup/);
  assert.match(await types("/menu"), /gather say hangup/);
  assert.match(await types("/menu/chosen", { Digits: "1" }), /play next/);
  assert.match(await types("/menu/chosen", { Digits: "3" }), /next/);
  assert.match(await types("/voicemail"), /say record say hangup/);
  assert.match(await types("/conference"), /say consult hangup/);
  assert.match(await types("/voicemail/recorded", { Digits: "hangup" }), /^(answer )?hangup$/);
});

Deno.test("the demo's documents take input of callers as text, never as markup", async () => {
  const url = "https://app.test/a?b=1&c=<2>";
  const played = (await steps("/voicemail/recorded", { RecordingUrl: url }))
    .find(({ type }) => type === "play");
  const said = (await steps("/menu/chosen", { Digits: "2", From: '<Hangup/>&"' }))
    .find(({ type }) => type === "say");

  assert.equal(played?.type === "play" && new URL(played.url).search, "?b=1&c=%3C2%3E");
  assert.equal(said?.type === "say" && said.text, 'You are <Hangup/>&".');
});
