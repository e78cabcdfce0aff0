import assert from "node:assert/strict";
import { createHash, X509Certificate } from "node:crypto";
import { keptCertificate, newCertificate } from "../../../../sip/media/webrtc/certificate.ts";
import { mediaLimits } from "../../../../sip/media/base/limits.ts";
import { handClock } from "../../../support/process/hand_clock.ts";

Deno.test("newCertificate() makes a certificate by its own key, with its fingerprint", () => {
  const { der, key, fingerprint } = newCertificate();
  const certificate = new X509Certificate(der);
  assert.ok(certificate.checkPrivateKey(key));
  assert.ok(certificate.verify(certificate.publicKey));
  assert.ok(certificate.validFromDate.getTime() < Date.now());
  assert.ok(certificate.validToDate.getTime() > Date.now() + mediaLimits.certificateMs);
  const hash = createHash("sha256").update(der).digest("hex").toUpperCase();
  assert.equal(fingerprint, `sha-256 ${hash.match(/../g)!.join(":")}`);
});

Deno.test("keptCertificate() gives one certificate for a day", () => {
  const clock = handClock();
  const certificate = keptCertificate(clock);
  const first = certificate();

  clock.advance(mediaLimits.certificateMs - 1);
  assert.equal(certificate(), first);
  clock.advance(1);
  assert.notEqual(certificate().fingerprint, first.fingerprint);
});
