import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { OutgoingRequest } from "../../../core/base/outgoing.ts";
import { hmac, signedRequest, signerOf } from "../../../core/base/signature.ts";

const context = {
  authToken: "12345",
  now: 1_700_000_000_999,
  signal: new AbortController().signal,
};

Deno.test("signedRequest() signs a form as X-Twilio-Signature validators expect", () => {
  // The example of the scheme's public description.
  const request = signedRequest({
    url: "https://mycompany.com/myapp.php?foo=1&bar=2",
    method: "POST",
    params: {
      CallSid: "CA1234567890ABCDE",
      Caller: "+14158675310",
      Digits: "1234",
      From: "+14158675310",
      To: "+18005551212",
    },
  }, context);
  assert.equal(request.headers["x-twilio-signature"], "GvWf1cFY/Q7PnoempGyD5oXAezc=");
});

Deno.test("signedRequest() signs time, method, URL and body", () => {
  const wanted = { url: "https://app.test/v?x=1", method: "POST", params: { A: "1 2" } } as const;
  const request = signedRequest(wanted, context);
  assert.equal(request.body, "A=1+2");
  const signed = "1700000000.POST.https://app.test/v?x=1.A=1+2";
  const mac = createHmac("sha256", "12345").update(signed).digest("hex");
  assert.equal(request.headers["x-switchboard-signature"], `t=1700000000,v1=${mac}`);
});

Deno.test("signedRequest() puts the parameters of GET behind the query, credentials in a header", () => {
  const request = signedRequest({
    url: "https://me:p%40ss@app.test/v?x=1",
    method: "GET",
    params: { To: "client:bob", x: "2" },
  }, context);
  assert.equal(request.url.href, "https://app.test/v?x=1&To=client%3Abob&x=2");
  assert.equal(request.headers.authorization, `Basic ${btoa("me:p@ss")}`);
  assert.equal(request.body, "");
});

Deno.test("signerOf() signs a redirected request as one to its new address", () => {
  const wanted = { url: "https://app.test/v", method: "POST", params: { A: "1 2" } } as const;
  const signatures = ({ headers }: OutgoingRequest) =>
    ["x-switchboard-signature", "x-twilio-signature"].map((name) => headers[name]);
  const sign = signerOf(wanted, context);

  for (const method of ["POST", "GET"] as const) {
    const url = new URL("https://app.test/other?x=1");
    const redirected = sign({ ...signedRequest(wanted, context), method, url });
    const params: Record<string, string> = method === "POST" ? wanted.params : {};
    const direct = signedRequest({ url: "https://app.test/other?x=1", method, params }, context);
    assert.deepEqual(signatures(redirected), signatures(direct), method);
  }
});

Deno.test("signedRequest() signs with a key of any length, each time it is used", () => {
  const wanted = { url: "https://app.test/v", method: "POST", params: { A: "grüß" } } as const;
  const signed = "1700000000.POST.https://app.test/v.A=gr%C3%BC%C3%9F";
  for (const authToken of ["", "ü", "k".repeat(64), "k".repeat(65), "ü".repeat(100)]) {
    const mac = createHmac("sha256", authToken).update(signed).digest("hex");
    for (let use = 0; use < 2; use++) {
      const request = signedRequest(wanted, { ...context, authToken });
      assert.equal(request.headers["x-switchboard-signature"], `t=1700000000,v1=${mac}`);
    }
  }
});

Deno.test("hmac() is that of RFC 2202 and 4231, and of node:crypto for any key and text", () => {
  const what = "what do ya want for nothing?";
  assert.equal(hmac("sha1", "Jefe", what, "hex"), "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
  assert.equal(
    hmac("sha256", "Jefe", what, "hex"),
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  );

  for (const length of [0, 1, 31, 63, 64, 65, 200]) {
    for (const character of ["k", "\u00e9", "\u{1f4de}"]) {
      const [key, text] = [character.repeat(length), `${character} ${length}`.repeat(length)];
      for (const [name, encoding] of [["sha1", "base64"], ["sha256", "hex"]] as const) {
        const expected = createHmac(name, key).update(text).digest(encoding);
        assert.equal(hmac(name, key, text, encoding), expected, `${name}, ${key}`);
      }
    }
  }
});
