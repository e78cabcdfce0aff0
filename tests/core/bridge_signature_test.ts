import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { signBridge, verifyBridge } from "../../core/bridge_signature.ts";

const request = { method: "POST", path: "/bridge/report", body: '{"name":"Zoë"}' };

for (const secret of ["secret", "s".repeat(64), "s".repeat(65), "ключ ".repeat(20), ""]) {
  Deno.test(`signBridge() is HMAC-SHA256 under a secret of ${secret.length} characters`, () => {
    const signature = signBridge(secret, { ...request, at: 17 });

    const text = `17.POST./bridge/report.${request.body}`;
    const mac = createHmac("sha256", secret).update(text).digest("hex");
    assert.equal(signature, `t=17,v1=${mac}`);
    assert.equal(verifyBridge(secret, signature, { ...request, now: 17 }), true);
    assert.equal(verifyBridge(`${secret}?`, signature, { ...request, now: 17 }), false);
    assert.equal(verifyBridge(secret, signature, { ...request, path: "/run", now: 17 }), false);
  });
}
