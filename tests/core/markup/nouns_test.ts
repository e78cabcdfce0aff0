import assert from "node:assert/strict";
import { compiled } from "../../support/service/compile_lab.ts";

for (const verb of ["Start", "Stop", "Connect"]) {
  Deno.test(`${verb} skips a noun that it does not know, and says why where that is known`, async () => {
    const { script, skipped } = await compiled(
      `<${verb}><Siprec name="x"/><Other/></${verb}><Hangup/>`,
    );

    assert.deepEqual(script, [{ type: "hangup" }]);
    assert.equal(skipped.length, 2);
    assert.match(skipped[0]!, RegExp(`^Siprec in ${verb}: recording by SIPREC`));
    assert.equal(skipped[1], `Other in ${verb}`);
  });
}

Deno.test("compile() gives the reason why a verb of Twilio's helpers is not performed", async () => {
  const { skipped } = await compiled("<Pay/><Prompt/><Other/>");

  assert.deepEqual(skipped, [
    "verb Pay: this service takes no payments",
    "verb Prompt: this service takes no payments",
    "verb Other",
  ]);
});

Deno.test("Connect without a noun that is performed goes on at its action", async () => {
  const { script } = await compiled('<Connect action="done" method="get"><Room>x</Room></Connect>');

  const action = { url: "https://app.test/voice/done", method: "GET", hops: 1, params: {} };
  assert.deepEqual(script, [{ type: "next", action }, { type: "hangup", cause: "end-of-markup" }]);
});
