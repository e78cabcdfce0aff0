import assert from "node:assert/strict";
import { openSoftphone } from "../support/sip/softphone.ts";
import { eventually } from "../support/process/eventually.ts";
import { freePorts, startSystem } from "../support/process/system.ts";
import { serialAt, testAuthority, testCertificates } from "../support/process/test_certificates.ts";

const { first, second } = testCertificates;

/** The files of a certificate as renewals keep them: links to those of the newest one. */
async function linkedFiles() {
  const directory = await Deno.makeTempDir();
  const [certFile, keyFile] = [`${directory}/cert.pem`, `${directory}/key.pem`];
  let renewals = 0;
  const link = async (file: string, text: string) => {
    const kept = `${file}.${renewals}`;
    await Deno.writeTextFile(kept, text);
    await Deno.symlink(kept, `${kept}.link`);
    await Deno.rename(`${kept}.link`, file);
  };
  return {
    env: { SIP_TLS_CERT: certFile, SIP_TLS_KEY: keyFile },
    async renew({ cert, key }: { cert: string; key: string }) {
      renewals++;
      await link(certFile, cert);
      await link(keyFile, key);
    },
    [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }),
  };
}

Deno.test({
  name:
    "a renewed certificate is shown to who connects, calls under way go on, a broken one is not",
  timeout: 240_000,
  async fn() {
    await using files = await linkedFiles();
    await files.renew(first);
    const [tls, wss] = freePorts(2) as [number, number];
    const env = { ...files.env, SIP_TLS_PORT: `${tls}`, SIP_WSS_PORT: `${wss}` };
    await using system = await startSystem({ env });
    const bob = await system.phone("bob");
    await system.post("Clients.json", { Login: "alice", Password: "alice-secret" });
    const alice = await openSoftphone({
      url: `wss://localhost:${wss}`,
      login: "alice",
      password: "alice-secret",
      domain: "localhost",
      authority: testAuthority,
    });
    assert.equal((await alice.register()).status, 200);
    const calling = alice.call("sip:bob@localhost");
    const callee = await (await bob.nextCall()).answer();
    const caller = await calling.answered;
    const shown = () =>
      Promise.all([tls, wss].map((port) => serialAt({ host: "127.0.0.1", port })));
    const before = await shown();

    await files.renew(second);
    const after = await eventually("the renewed certificate is shown", async () => {
      const now = await shown();
      return now.every((serial) => serial !== before[0]) && now;
    });
    await files.renew({ ...first, cert: `${first.cert}-----BEGIN CERTIFICATE-----` });
    await eventually(
      "the broken one is told of",
      () => system.output().includes("Cannot load the renewed TLS certificate"),
    );
    const last = await shown();
    const renewed = await alice.register();
    const bye = await callee.bye();
    await caller.ended;
    await alice.close();

    assert.equal(new Set([...before, ...after]).size, 2);
    assert.deepEqual(last, after);
    assert.match(system.output(), /cert\.pem \(SIP_TLS_CERT\): it is cut off/);
    assert.deepEqual([renewed.status, bye.status], [200, 200]);
  },
});
