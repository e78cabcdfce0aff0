import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { inItsCharset } from "../../../sip/text/charset.ts";

const message = (type: string, body: Uint8Array, length: string | null = `${body.length}`) => {
  const lengths = length === null ? "" : `Content-Length: ${length}\r\n`;
  const head = `MESSAGE sip:x@sip.test SIP/2.0\r\nContent-Type: ${type}\r\n${lengths}\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
};

/** The Content-Type, Content-Length and body of a message that came as bytes. */
function read(bytes: Uint8Array): string[] {
  const text = inItsCharset(new TextDecoder().decode(bytes), bytes);
  const header = (name: string) => new RegExp(`^${name}:[ ]*(.*)\r$`, "im").exec(text)?.[1] ?? "";
  return [header("Content-Type"), header("Content-Length"), text.split("\r\n\r\n")[1]!];
}

const latin1 = (text: string) => Buffer.from(text, "latin1");
const utf8Type = "text/plain;charset=UTF-8";

const charsets: [type: string, body: Uint8Array, text: string][] = [
  ["text/plain;charset=ISO-8859-1", latin1("Grüße aus Köln"), "Grüße aus Köln"],
  ['Text/Plain ; format=flowed; CharSet = "iso-8859-1"', latin1("ñ"), "ñ"],
  ["text/plain; charset=latin1", latin1("déjà vu"), "déjà vu"],
  ["text/plain; charset=iso-8859-15", Uint8Array.of(0xa4), "€"],
  ["text/plain; charset=windows-1252", Uint8Array.of(0x80), "€"],
  ["text/plain; charset=koi8-r", Uint8Array.of(0xf0, 0xd2, 0xc9), "При"],
  ["text/plain; charset=Shift_JIS", Uint8Array.of(0x93, 0xfa), "日"],
  ["text/plain; charset=gb2312", Uint8Array.of(0xc4, 0xe3), "你"],
  ["text/plain; charset=utf-16", Uint8Array.of(0xfe, 0xff, 0x00, 0xe4), "ä"],
  ["text/plain; charset=utf-16le", Uint8Array.of(0xe4, 0x00), "ä"],
  ["text/plain", latin1("Grüße"), "Grüße"],
  ["text/plain; charset=us-ascii", latin1("Grüße"), "Grüße"],
];
for (const [type, body, text] of charsets) {
  Deno.test(`inItsCharset() reads a body of ${type}`, () => {
    const length = String(Buffer.byteLength(text));
    assert.deepEqual(read(message(type, body)), [utf8Type, length, text]);
    assert.deepEqual(read(message(type, body, null)), [utf8Type, "", text]);
  });
}

Deno.test("inItsCharset() changes no UTF-8, no other type, and no unknown charset", () => {
  const utf8 = Buffer.from("Grüße");
  for (
    const type of [
      "text/plain",
      "text/plain;charset=UTF-8",
      'text/plain;charset="utf8"',
      "text/plain;charset=us-ascii",
      "text/plain;charset=klingon",
      "text/html;charset=iso-8859-1",
    ]
  ) {
    assert.deepEqual(read(message(type, utf8)), [type, "7", "Grüße"]);
  }
  const invite = message("text/plain;charset=iso-8859-1", utf8).toString().replace(
    "MESSAGE",
    "INVITE",
  );
  assert.equal(inItsCharset(invite, Buffer.from(invite)), invite);
  const headless = "MESSAGE sip:x@sip.test SIP/2.0\r\nContent-Type: text/plain\r\n";
  assert.equal(inItsCharset(headless, Buffer.from(headless)), headless);
});

Deno.test("inItsCharset() reads no further than Content-Length says", () => {
  const bytes = message("text/plain;charset=iso-8859-1", latin1("äöü"), "2");
  assert.deepEqual(read(bytes), [utf8Type, "4", "äö"]);
});

Deno.test("inItsCharset() takes a text as it is, whatever charset it names", () => {
  const text = message("text/plain;charset=iso-8859-1", Buffer.from("ä")).toString();
  assert.equal(inItsCharset(text), text.replace("iso-8859-1", "UTF-8"));
});
