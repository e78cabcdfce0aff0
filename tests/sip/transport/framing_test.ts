import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { sipLimits } from "../../../sip/base/limits.ts";
import { createFramer, FramingError } from "../../../sip/transport/framing.ts";

const message = (body: string, name = "Content-Length") =>
  `MESSAGE sip:a@b SIP/2.0\r\n${name}: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

Deno.test("createFramer() cuts several messages out of one chunk, by bytes", () => {
  const [first, second] = [message("zwölf"), message("", "l")];

  const frames = createFramer().push(Buffer.from(`${first}${second}\r\n${first}`));

  assert.deepEqual(frames, [{ message: first }, { message: second }, { message: first }]);
});

Deno.test("createFramer() puts a message together that comes byte by byte", () => {
  const framer = createFramer();
  const bytes = Buffer.from(`\r\n${message("zwölf")}`);

  const frames = [...bytes].map((byte) => ({ found: framer.push(Buffer.of(byte)), framer }));

  const found = frames.flatMap(({ found }) => found);
  assert.deepEqual(found, [{ message: message("zwölf") }]);
  assert.deepEqual(frames.at(-1)?.found, found);
  assert.equal(framer.partial, false);
});

Deno.test("createFramer() tells keep-alives from messages that began", () => {
  const framer = createFramer();

  assert.deepEqual(framer.push(Buffer.from("\r\n\r\n\r\n")), ["ping"]);
  assert.equal(framer.partial, false);
  assert.deepEqual(framer.push(Buffer.from("\r\n")), ["ping"]);
  assert.deepEqual(framer.push(Buffer.from("\r\nM")), []);
  assert.equal(framer.partial, true);
});

Deno.test("createFramer() takes a message without Content-Length as one without a body", () => {
  const text = "OPTIONS sip:a@b SIP/2.0\r\n\r\n";

  assert.deepEqual(createFramer().push(Buffer.from(text)), [{ message: text }]);
});

const unreadable: Record<string, string> = {
  "a head without end": "x".repeat(sipLimits.messageBytes + 1),
  "too long a body": `A b SIP/2.0\r\nContent-Length: ${sipLimits.messageBytes}\r\n\r\n`,
  "two lengths": "A b SIP/2.0\r\nContent-Length: 3\r\nl: 4\r\n\r\nabcd",
  "a length that is no number": "A b SIP/2.0\r\nContent-Length: -1\r\n\r\n",
};

for (const [what, text] of Object.entries(unreadable)) {
  Deno.test(`createFramer() gives up a stream with ${what}`, () => {
    assert.throws(() => createFramer().push(Buffer.from(text)), FramingError);
  });
}
