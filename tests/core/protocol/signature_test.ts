import assert from "node:assert/strict";
import type { BridgeSecret } from "../../../core/protocol/bridge_secret.ts";
import { createHash, createHmac } from "node:crypto";
import { protocolLimits } from "../../../core/protocol/companion.ts";
import {
  createSignatureVerifier,
  isSignedBody,
  signRequest,
} from "../../../core/protocol/signature.ts";

const head = { method: "POST", path: "/bridge/report" };
const body = '{"name":"Zoë"}';

for (const secret of ["secret", "s".repeat(64), "s".repeat(65), "ключ ".repeat(20), ""]) {
  Deno.test(`signBridge() is HMAC-SHA256 under a secret of ${secret.length} characters`, () => {
    const signature = signRequest(secret, { ...head, body, at: 17 });

    const digest = createHash("sha256").update(body).digest("hex");
    const nonce = /,n=([0-9a-f]{32}),/.exec(signature)?.[1];
    const text = `17.${nonce}.${digest}.POST./bridge/report`;
    const mac = createHmac("sha256", secret).update(text).digest("hex");
    assert.equal(signature, `t=17,n=${nonce},d=${digest},v1=${mac}`);
    const verifier = (key: string) => createSignatureVerifier(key, () => 17);
    assert.equal(verifier(secret).verify(signature, head), digest);
    assert.equal(verifier(`${secret}?`).verify(signature, head), undefined);
    assert.equal(verifier(secret).verify(signature, { ...head, path: "/run" }), undefined);
    assert.equal(isSignedBody(digest, body), true);
    assert.equal(isSignedBody(digest, `${body} `), false);
  });
}

Deno.test("verify() takes a signature once, for as long as it is fresh", () => {
  const { signatureWindowMs } = protocolLimits;
  let now = 1_000_000;
  const { verify } = createSignatureVerifier("secret", () => now);
  const sign = () => signRequest("secret", { ...head, body, at: 1_000_000 + signatureWindowMs });
  const [captured, signedAnew] = [sign(), sign()];

  assert.notEqual(verify(captured, head), undefined);
  // Signed by a clock that is ahead, it stays fresh for twice the window.
  for (let ms = 0; ms <= 2 * signatureWindowMs; ms += signatureWindowMs / 10) {
    now = 1_000_000 + ms;
    assert.equal(verify(captured, head), undefined);
  }
  assert.notEqual(verify(signedAnew, head), undefined);
});

Deno.test("each side verifies signatures of the other while the secret changes", () => {
  const [before, during, after] = ["old", ["new", "old"], "new"] as const;
  const pairs = [[before, during], [during, before], [during, after], [["old", "new"], during]];
  for (const [signing, verifying] of pairs as [BridgeSecret, BridgeSecret][]) {
    const { verify } = createSignatureVerifier(verifying, () => 17);
    const isVerified = verify(signRequest(signing, { ...head, body, at: 17 }), head) !== undefined;
    // A process that has only the secret before does not know the new one.
    assert.equal(isVerified, !(signing === during && verifying === before));
  }
});
