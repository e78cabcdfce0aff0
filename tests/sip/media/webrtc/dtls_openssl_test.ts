import assert from "node:assert/strict";
import { createHash, X509Certificate } from "node:crypto";
import { newCertificate } from "../../../../sip/media/webrtc/certificate.ts";
import { type DtlsOptions, startDtls } from "../../../../sip/media/webrtc/dtls.ts";
import type { Address } from "../../../../sip/media/rtp/latch.ts";
import { bindDatagrams } from "../../../../sip/media/rtp/rtp_sockets.ts";
import { systemClock } from "../../../../sip/media/base/ticker.ts";
import { endChild } from "../../../support/process/end_child.ts";
import { needs } from "../../../support/process/programs.ts";

/** DTLS with OpenSSL, whose packets hold 300 bytes: every certificate comes in fragments. */

const EXPORT = ["-keymatexport", "EXTRACTOR-dtls_srtp", "-keymatexportlen", "60"];
const SRTP = ["-use_srtp", "SRTP_AES128_CM_SHA1_80"];

interface Identity {
  args: string[];
  fingerprint: string;
}

/** A certificate of OpenSSL's, kept in a folder. */
async function makeIdentity(folder: string, kind: string[]): Promise<Identity> {
  const [key, certificate] = [`${folder}/key.pem`, `${folder}/certificate.pem`];
  const { success } = await new Deno.Command("openssl", {
    args: [
      ...["req", "-x509", "-nodes", "-subj", "/CN=peer", "-keyout", key, "-out", certificate],
      ...["-newkey", ...kind],
    ],
    stderr: "null",
  }).output();
  assert.ok(success);
  const { raw } = new X509Certificate(await Deno.readTextFile(certificate));
  const digest = createHash("sha384").update(raw).digest("hex").match(/../g)!.join(":");
  return {
    args: ["-cert", certificate, "-key", key, "-mtu", "300"],
    fingerprint: `SHA-384 ${digest}`,
  };
}

/** OpenSSL's own program, and what it says. */
function startOpenssl(args: string[]) {
  const child = new Deno.Command("openssl", {
    args,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const said = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    async untilSays(pattern: RegExp): Promise<string> {
      for (;;) {
        const found = pattern.exec(text)?.[1];
        if (found !== undefined) return found;
        const { value, done } = await said.read();
        assert.ok(!done, `openssl ended: ${text}`);
        text += value;
      }
    },
    async end() {
      await child.stdin.close().catch(() => {});
      await endChild(child, "SIGKILL");
      await said.cancel();
    },
  };
}

type Keys = Parameters<DtlsOptions["onKeys"]>[0];

/** Our side, at a port of its own, of whoever sends there. */
async function ourSide(role: DtlsOptions["role"], fingerprint: string, to?: Address) {
  const socket = await bindDatagrams("127.0.0.1", 0);
  const { promise, resolve, reject } = Promise.withResolvers<Keys>();
  let peer = to;
  const dtls = startDtls({
    role,
    fingerprint,
    certificate: newCertificate(),
    clock: systemClock,
    send: (datagram) => peer && socket.send(datagram, peer),
    onKeys: resolve,
    onEnd: (why) => reject(new Error(why)),
  });
  socket.onMessage = (bytes, from) => {
    peer = from;
    dtls.receive(bytes);
  };
  const close = async () => {
    dtls.close();
    await socket.close();
  };
  return { port: socket.port, keys: promise, close };
}

/** Keys in the order of RFC 5764 §4.2, as OpenSSL tells them. */
const inHex = (client: Keys["ours"], server: Keys["ours"]) =>
  [client.key, server.key, client.salt, server.salt]
    .map((bytes) => bytes.toHex().toUpperCase()).join("");

const kinds = {
  ECDSA: ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
  RSA: ["rsa:2048"],
};

for (const [name, kind] of Object.entries(kinds)) {
  Deno.test({
    name: `OpenSSL has the same keys as a client with a certificate of ${name}`,
    ...needs("openssl"),
    timeout: 60_000,
    async fn() {
      const folder = await Deno.makeTempDir();
      const { args, fingerprint } = await makeIdentity(folder, kind);
      const ours = await ourSide("server", fingerprint);
      const connect = ["s_client", "-dtls1_2", "-connect", `127.0.0.1:${ours.port}`];
      const openssl = startOpenssl([...connect, ...args, ...SRTP, ...EXPORT]);
      const keys = await ours.keys;
      const theirs = await openssl.untilSays(/Keying material: (\w{120})/);
      assert.equal(inHex(keys.theirs, keys.ours), theirs);
      await ours.close();
      await openssl.end();
      await Deno.remove(folder, { recursive: true });
    },
  });

  Deno.test({
    name: `OpenSSL has the same keys as a server with a cookie and a certificate of ${name}`,
    ...needs("openssl"),
    timeout: 60_000,
    async fn() {
      const folder = await Deno.makeTempDir();
      const { args, fingerprint } = await makeIdentity(folder, kind);
      const listen = ["s_server", "-dtls1_2", "-listen", "-accept", "127.0.0.1:0", "-Verify", "1"];
      const openssl = startOpenssl([...listen, ...args, ...SRTP, ...EXPORT]);
      const port = Number(await openssl.untilSays(/ACCEPT 127.0.0.1:(\d+)/));
      const ours = await ourSide("client", fingerprint, { address: "127.0.0.1", port });
      const keys = await ours.keys;
      const theirs = await openssl.untilSays(/Keying material: (\w{120})/);
      assert.equal(inHex(keys.ours, keys.theirs), theirs);
      await ours.close();
      await openssl.end();
      await Deno.remove(folder, { recursive: true });
    },
  });
}

Deno.test({
  name: "a client without SRTP is refused",
  ...needs("openssl"),
  timeout: 60_000,
  async fn() {
    const folder = await Deno.makeTempDir();
    const { args, fingerprint } = await makeIdentity(folder, kinds.ECDSA);
    const ours = await ourSide("server", fingerprint);
    const connect = ["s_client", "-dtls1_2", "-connect", `127.0.0.1:${ours.port}`];
    const openssl = startOpenssl([...connect, ...args]);
    await assert.rejects(ours.keys, /it has no SRTP with AES128_CM_HMAC_SHA1_80/);
    await ours.close();
    await openssl.end();
    await Deno.remove(folder, { recursive: true });
  },
});
