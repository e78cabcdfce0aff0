import assert from "node:assert/strict";
import {
  base32,
  codeAt,
  fromBase32,
  otpauthUrl,
  stepAt,
  stepOf,
} from "../../../core/accounts/totp.ts";

const secret = base32(new TextEncoder().encode("12345678901234567890"));

Deno.test("codeAt() has the last six digits of the values of RFC 6238 appendix B", async () => {
  const values: [seconds: number, code: string][] = [
    [59, "94287082"],
    [1_111_111_109, "07081804"],
    [1_111_111_111, "14050471"],
    [1_234_567_890, "89005924"],
    [2_000_000_000, "69279037"],
    [20_000_000_000, "65353130"],
  ];
  for (const [seconds, code] of values) {
    assert.equal(await codeAt(secret, stepAt(seconds * 1_000)), code.slice(-6), String(seconds));
  }
});

Deno.test("stepOf() takes a code of 30 seconds around, once", async () => {
  const now = 1_111_111_111_000;
  const step = stepAt(now);
  for (const near of [-1, 0, 1]) {
    const code = await codeAt(secret, step + near);
    assert.equal(await stepOf(code, { secret, lastStep: 0, now }), step + near);
    assert.equal(await stepOf(code, { secret, lastStep: step + near, now }), null);
  }
  for (const far of [-2, 2]) {
    const code = await codeAt(secret, step + far);
    assert.equal(await stepOf(code, { secret, lastStep: 0, now }), null);
  }
  for (const wrong of ["", "12345", "1234567", "abcdef"]) {
    assert.equal(await stepOf(wrong, { secret, lastStep: 0, now }), null, wrong);
  }
});

Deno.test("base32() has the values of RFC 4648 §10, and fromBase32() reads them", () => {
  const values = { f: "MY", fo: "MZXQ", foo: "MZXW6", foob: "MZXW6YQ", fooba: "MZXW6YTB" };
  for (const [text, coded] of Object.entries(values)) {
    assert.equal(base32(new TextEncoder().encode(text)), coded);
    assert.equal(new TextDecoder().decode(fromBase32(`${coded.toLowerCase()}==`)), text);
  }
  assert.throws(() => fromBase32("A1"), /it has "1"/);
});

Deno.test("otpauthUrl() names the service and the account", () => {
  const url = otpauthUrl(secret, { issuer: "Switchboard", name: "a b@example.com" });
  const begin = "otpauth://totp/Switchboard:a%20b%40example.com";
  assert.equal(url, `${begin}?secret=${secret}&issuer=Switchboard`);
});
