import assert from "node:assert/strict";
import type { Script } from "../../core/protocol/script.ts";
import { type App, startApp } from "../support/service/app.ts";
import { companionOf, made, xml } from "../support/service/hand_companion.ts";

const password = "p:w s3cret";
const authorization = `Basic ${btoa(`us@er:${password}`)}`;
const base = `https://us%40er:${encodeURIComponent(password)}@app.test`;

/** A call whose server requires a password; returns the credentials of each of its requests. */
async function guardedCall(documents: Record<string, string>) {
  const app = await startApp();
  await made(app.root, "Clients", { Login: "alice", Password: "pass" });
  const asked: string[] = [];
  app.answers = (request) => {
    const { host, pathname } = new URL(request.url);
    assert.ok(!request.url.includes("@"));
    const given = request.headers.get("Authorization");
    asked.push(`${host}${pathname} ${given === authorization ? "known" : given}`);
    if (host === "app.test" && given !== authorization) return new Response("", { status: 401 });
    return documents[pathname] === undefined ? xml("") : xml(documents[pathname]);
  };
  const form = { From: "+12025550199", To: "client:alice", Url: `${base}/one` };
  const { sid } = await made(app.root, "Calls", form);
  await app.runJobs();
  const leg = companionOf(app, sid);
  const followed = async (script: Script): Promise<Script> => {
    const [step] = script;
    if (step?.type !== "next") return script;
    return await followed(await leg.report({ type: "next", action: step.action }));
  };
  const script = await followed(await leg.report({ type: "answered" }));
  return { app, asked, leg, script, followed, [Symbol.dispose]: () => app[Symbol.dispose]() };
}

/** Fails where an interface shows the password in any form. */
async function assertHidden(app: App, sid: string): Promise<void> {
  const paths = ["Calls", "Notifications", "Webhooks/Deliveries", "Webhooks/Documents"];
  const shown = await Promise.all(
    [...paths, `Calls/${sid}/Notifications`, `Calls/${sid}/Progress`].map((path) =>
      app.root.get(`${path}.json?PageSize=1000`)
    ),
  );
  for (const { text } of shown) {
    // The Url that a customer sent is the customer's own; URLs derived from it are not shown.
    for (const secret of ["/two", "/three", "/four", "/gone"]) {
      assert.doesNotMatch(text, new RegExp(`us%40er[^"]*${secret}`), text);
    }
    assert.ok(!text.includes(btoa(`us@er:${password}`)));
  }
}

Deno.test("relative addresses of a document inherit its credentials, on its host alone", async () => {
  using call = await guardedCall({
    "/one": "<Redirect>/two</Redirect>",
    "/two": `<Gather action="three" numDigits="1"><Play>sound.wav</Play></Gather>` +
      `<Redirect>//other.test/four</Redirect>`,
    "/three": `<Redirect>https://app.test/gone</Redirect>`,
  });
  const { app, asked, leg, script, followed } = call;
  assert.deepEqual(asked, ["app.test/one known", "app.test/two known"]);
  const gather = script.find((step) => step.type === "gather");
  assert.ok(gather?.type === "gather" && gather.action !== undefined);
  assert.ok(JSON.stringify(gather).includes(`${base}/sound.wav`));

  await followed(await leg.report({ type: "gathered", digits: "1", action: gather.action }));
  assert.deepEqual(asked.slice(2, 4), ["app.test/three known", "app.test/gone null"]);
  await app.runJobs();
  await assertHidden(app, app.scripts.at(-1)!.leg);
});

Deno.test("another host, by a relative address too, gets no credentials of a document", async () => {
  using call = await guardedCall({
    "/one": "<Redirect>//other.test/two</Redirect>",
    "/two": "<Redirect>/three</Redirect>",
  });
  assert.deepEqual(call.asked, [
    "app.test/one known",
    "other.test/two null",
    "other.test/three null",
  ]);
});
