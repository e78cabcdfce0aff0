import assert from "node:assert/strict";
import { takeText } from "../../routes/softphone/texts.js";

/** A MESSAGE as the library hands it over, and the status that it was answered with. */
function messageWith(headers: Record<string, string>, body = "hello") {
  const answers: unknown[] = [];
  const message = {
    request: {
      body,
      callId: "1",
      from: { uri: { user: "bob", host: "sip.test" } },
      getHeader: (name: string) => headers[name.toLowerCase()],
      hasHeader: (name: string) => name.toLowerCase() in headers,
    },
    accept: () => answers.push(200),
    reject: ({ statusCode }: { statusCode: number }) => answers.push(statusCode),
  };
  return { message, answers };
}

for (
  const [what, headers, body, status] of [
    ["plain text", { "content-type": "text/plain;charset=UTF-8" }, "hello", 200],
    ["plain text in upper case", { "content-type": "Text/Plain" }, "hello", 200],
    ["a body without a type", {}, "hello", 200],
    ["HTML", { "content-type": "text/html" }, "<p>hello</p>", 415],
    ["a notice of delivery", { "content-type": "message/imdn+xml" }, "<imdn/>", 415],
    ["compressed text", { "content-type": "text/plain", "content-encoding": "gzip" }, "?", 415],
    ["nothing", { "content-type": "text/plain" }, "", 400],
  ] as const
) {
  Deno.test(`the softphone answers a MESSAGE of ${what} with ${status}`, () => {
    const { message, answers } = messageWith(headers, body);
    const text = takeText(message);
    assert.deepEqual(answers, [status]);
    assert.equal(text?.body, status === 200 ? body : undefined);
  });
}
