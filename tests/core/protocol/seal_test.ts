import assert from "node:assert/strict";
import { readSealed, writeSealed } from "../../../core/protocol/seal.ts";

const secret = "of service and companion";
const content = {
  script: [{
    type: "invite",
    routes: [{ credentials: { userName: "trunk", password: 'of the trunk "ä' } }],
    note: 'a text that holds "password":"x"',
  }],
  credentials: { ha1: { md5: "0123456789abcdef", sha256: "fedcba9876543210" } },
};

Deno.test("writeSealed() encrypts passwords, hashes and keys, and no other field", () => {
  const [first, second] = [writeSealed(secret, content), writeSealed(secret, content)];

  for (const hidden of ["of the trunk", "0123456789abcdef", "fedcba9876543210"]) {
    assert.equal(first.includes(hidden), false);
  }
  assert.equal(first.includes('"userName":"trunk"'), true);
  assert.notEqual(first, second);
  assert.deepEqual(readSealed(secret, first), content);
  assert.equal(writeSealed(secret, { seq: 1 }), '{"seq":1}');
});

Deno.test("readBridge() takes no secret that is plain, of another key or of another field", () => {
  const sealed = writeSealed(secret, { password: "x" });
  const why = /Cannot open "(password|ha1)": it is not sealed with the BRIDGE_SECRET/;

  assert.throws(() => readSealed(secret, '{"password":"plain"}'), why);
  assert.throws(() => readSealed("another", sealed), why);
  assert.throws(() => readSealed(secret, sealed.replace("password", "ha1")), why);
  assert.throws(() => readSealed(secret, "{"), SyntaxError);
});

Deno.test("readSealed() opens seals of both secrets while the secret changes", () => {
  for (const secret of ["old secret", "new secret", ["old secret", "new secret"]] as const) {
    const sealed = writeSealed(secret, { password: "x" });
    assert.deepEqual(readSealed(["new secret", "old secret"], sealed), { password: "x" });
  }
  const other = writeSealed("another", { password: "x" });
  assert.throws(() => readSealed(["new secret", "old secret"], other), /BRIDGE_SECRET/);
});
