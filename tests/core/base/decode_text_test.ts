import assert from "node:assert/strict";
import { decodeText } from "../../../core/base/decode_text.ts";

const xml = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?><Say>Grüße</Say>`;
const utf8 = (text: string) => new TextEncoder().encode(text);
const latin1 = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));

Deno.test("decodeText() takes a declaration of UTF-16 in single bytes for UTF-8", () => {
  for (const encoding of ["utf-16", "UTF-16LE", "ISO-10646-UCS-2"]) {
    assert.equal(decodeText(utf8(xml(encoding)), "application/xml"), xml(encoding));
  }
});

Deno.test("decodeText() uses the declaration when the runtime has no such charset", () => {
  const text = xml("ISO-8859-1");

  assert.equal(decodeText(latin1(text), "text/xml; charset=binary"), text);
  assert.equal(decodeText(utf8(xml("binary")), "text/xml; charset=binary"), xml("binary"));
});

Deno.test("decodeText() takes the charset before the declaration, and the mark before both", () => {
  const text = xml("ISO-8859-1");
  const marked = Uint8Array.of(0xef, 0xbb, 0xbf, ...utf8(text));

  assert.equal(decodeText(utf8(text), "text/xml; charset=utf-8"), text);
  assert.equal(decodeText(marked, "text/xml; charset=iso-8859-1"), text);
});
