import assert from "node:assert/strict";
import { behaviourOf, refusalOf, senderRefusal } from "../../../../core/model/values/test_calls.ts";

const page = await Deno.readTextFile(
  new URL("../../../../docs/how-to/test-your-application.md", import.meta.url),
);
/** The rows of the page, by the number in the first column. */
const rows = [...page.matchAll(/^\| `(\+1500555\w+)`\s*\| (.*?)\s*\| (.*?)\s*\|$/gm)];
const rowsOf = (list: "To" | "From") => {
  const start = page.indexOf(`| \`${list}\``);
  const end = page.indexOf("\n\n", start);
  return rows.filter(({ index }) => index > start && index < end);
};

/** What a number does, in the words of the page. */
function saidOf(number: string): string {
  const refusal = refusalOf(number);
  if (refusal === "invalid") return "refused with 400, code 21211";
  if (refusal === "noRoute") return "fails: no route (13224)";
  if (refusal === "notAllowed") return "fails: destination not allowed (21215)";
  const { outcome, answeredBy, hangsUpS, presses: [key], says: [word] } = behaviourOf(number);
  if (outcome === "busy") return "is busy";
  if (outcome === "no-answer") return "rings until `Timeout`";
  if (outcome === "failed") return "fails (SIP 503)";
  if (answeredBy === "machine") return "an answering machine answers, and beeps";
  if (hangsUpS === 3) return "is answered, and hangs up after three seconds";
  if (key !== undefined) return "is answered, and presses N at each Gather";
  if (word !== undefined) return `is answered, and says "${word}" at each Gather`;
  return "is answered";
}

Deno.test("behaviourOf() has the behaviours of the page for customers, sped up and in real time", () => {
  const list = rowsOf("To");
  assert.equal(list.length, 12);
  for (const [, number, call] of list) {
    for (const digit of /N$/.test(number!) ? "0123456789" : [""]) {
      const fast = number!.replace(/N$/, digit);
      const real = fast.replace("+15005550", "+15005551");
      assert.equal(saidOf(fast), call, fast);
      assert.equal(saidOf(real), call, real);
      assert.deepEqual([behaviourOf(fast).isReal, behaviourOf(real).isReal], [false, true]);
      if (digit !== "") assert.equal(behaviourOf(fast).presses[0], digit);
    }
  }
});

Deno.test("the senders of the page for customers are refused as it says", () => {
  const list = rowsOf("From");
  assert.equal(list.length, 2);
  for (const [, number, call] of list) {
    const code = senderRefusal(number!) === "invalid" ? 21212 : 21210;
    assert.equal(call, `refused with 400, code ${code}`);
  }
  assert.equal(senderRefusal("+15005550006"), null);
  assert.equal(senderRefusal("alice"), null);
});

Deno.test("behaviourOf() answers any other address, and takes each spelling of a number", () => {
  for (const to of ["+4930123456", "client:bob", "sip:bob@example.com", "+15005552011", ""]) {
    assert.deepEqual(behaviourOf(to).outcome, "answered", to);
    assert.equal(refusalOf(to), null);
  }
  assert.equal(behaviourOf("+1 (500) 555-0011").outcome, "busy");
});

Deno.test("behaviourOf() takes parameters of a SIP address, in any case of their names", () => {
  const to = (query: string) => behaviourOf(`sip:x@example.com?${query}`);

  assert.equal(to("X-Test-Answer=no-answer").outcome, "no-answer");
  assert.equal(to("x-test-answer=machine").answeredBy, "machine");
  assert.deepEqual(to("X-Test-Digits=1,42%23").presses, ["1", "42#"]);
  assert.deepEqual(to("X-Test-Speech=yes,two%20tickets").says, ["yes", "two tickets"]);
  assert.equal(to("X-Test-HangUp=2.5").hangsUpS, 2.5);
  assert.equal(to("X-Test-Pace=real").isReal, true);
  for (const odd of ["X-Test-Answer=constructor", "X-Test-HangUp=-1", "X-Test-HangUp=soon"]) {
    assert.deepEqual(to(odd), to(""), odd);
  }
});
