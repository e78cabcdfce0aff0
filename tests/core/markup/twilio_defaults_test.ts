import assert from "node:assert/strict";
import { limits } from "../../../core/base/limits.ts";
import { voiceNamed } from "../../../core/markup/voices.ts";
import { compiled, inbound, stepOf } from "../../support/service/compile_lab.ts";
import { helperTypes } from "../../support/service/twilio_markup.ts";

const here = { ...inbound, apiVersion: limits.apiVersion };
const there = { ...inbound, apiVersion: limits.twilioApiVersion };
const types = (script: { type: string }[]) => script.map(({ type }) => type);

Deno.test("compile(): the interface of a call decides whether Dial answers it at once", async () => {
  const body = "<Dial>client:bob</Dial>";

  assert.deepEqual(types((await compiled(body, here)).script), ["dial", "hangup"]);
  assert.deepEqual(types((await compiled(body, there)).script), ["answer", "dial", "hangup"]);
  const bridged = '<Dial answerOnBridge="true">client:bob</Dial>';
  assert.deepEqual(types((await compiled(bridged, there)).script), ["dial", "hangup"]);
});

Deno.test("compile(): a leg that Dial calls has the interface of its call", async () => {
  const [leg] = stepOf(await compiled("<Dial>client:bob</Dial>", there), "dial").legs;

  assert.equal(leg!.serviceContext?.apiVersion, limits.twilioApiVersion);
});

for (const verb of ["Gather", "Record"] as const) {
  Deno.test(`compile(): without an action ${verb} asks for its document again, or goes on`, async () => {
    const type = verb === "Gather" ? "gather" : "record";

    assert.equal(stepOf(await compiled(`<${verb}/>`, here), type).action, undefined);
    const { action } = stepOf(await compiled(`<${verb} method="GET"/>`, there), type);
    assert.deepEqual(action, {
      url: "https://app.test/voice/start?x=1",
      method: "GET",
      hops: 1,
    });
  });
}

Deno.test("compile(): Record trims and Say has its voice as the interface of the call says", async () => {
  assert.equal(stepOf(await compiled("<Record/>", here), "record").trim, true);
  assert.equal(stepOf(await compiled("<Record/>", there), "record").trim, false);
  assert.equal(stepOf(await compiled("<Say>x</Say>", here), "say").voice, "woman");
  assert.equal(stepOf(await compiled("<Say>x</Say>", there), "say").voice, "man");
});

Deno.test("every voice that Twilio's helper library names stands for a voice and a language", async () => {
  const named = helperTypes("SayVoice").filter((name) => name !== "man" && name !== "woman");

  assert.ok(named.length > 500, String(named.length));
  assert.deepEqual(named.filter((name) => voiceNamed(name) === undefined), []);
  const { script, skipped } = await compiled('<Say voice="Polly.Vicki-Neural">Guten Tag</Say>');
  const [step] = script;
  assert.ok(step?.type === "say");
  assert.deepEqual([step.voice, step.language, step.namedVoice, skipped], [
    "woman",
    "de-DE",
    "Polly.Vicki-Neural",
    [],
  ]);
  assert.deepEqual(voiceNamed("Google.en-GB-Chirp3-HD-Puck"), { voice: "man", language: "en-GB" });
  assert.deepEqual(voiceNamed("alice"), { voice: "woman", language: null });
  assert.equal(voiceNamed("Polly.Nobody"), undefined);
});
