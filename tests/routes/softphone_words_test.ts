import assert from "node:assert/strict";
import { explained } from "../../routes/softphone/words.js";

const warned = (text: string) => `399 sip.test "${text.replaceAll(/["\\]/g, "\\$&")}"`;

Deno.test("the softphone advises its user about a refusal of the service", () => {
  const of = (text: string) => explained(warned(text), "bob");
  const route = "13224: Cannot route the call: the address has no destination: ";
  assert.deepEqual(of(`${route}+442079460000: there is no Gateway that it could leave by`), {
    text: "No trunk for this number",
    code: "13224",
  });
  assert.equal(of(`${route}+4420 has no VoiceUrl`)?.text, "This number has no application");
  assert.equal(of(`${route}client:bob is disabled`)?.text, "bob is turned off");
  assert.equal(of(`${route}client:nobody`), undefined);
  assert.deepEqual(of("11210: Cannot fetch the markup document"), {
    text: "The application of this number does not answer (11210)",
    code: "11210",
  });
  assert.match(of("12100: Cannot read the markup document")!.text, /no usable answer \(12100\)/);
  assert.equal(of('20430: Cannot place "it"')?.text, 'Cannot place "it" (20430)');
  assert.equal(explained(undefined, "bob"), undefined);
  assert.equal(explained('399 carrier "Sorry"', "bob"), undefined);
});
