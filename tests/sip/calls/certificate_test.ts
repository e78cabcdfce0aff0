import assert from "node:assert/strict";
import { watchCertificate } from "../../../core/machine/net/certificate.ts";
import { handClock } from "../../support/process/hand_clock.ts";
import { queue } from "../../support/service/queue.ts";
import { eventually } from "../../support/process/eventually.ts";
import { testCertificates, weakCertificate } from "../../support/process/test_certificates.ts";

const { first, second } = testCertificates;
const noCertificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

/** What a renewal may leave behind, and what is said of it. */
const broken = [
  ["an empty file", { ...first, cert: "" }, "it holds no certificate"],
  ["a chain cut off", { ...first, cert: first.cert + second.cert.slice(0, 300) }, "it is cut off"],
  [
    "a broken chain",
    { ...first, cert: first.cert + noCertificate },
    "number 2 in it is no certificate",
  ],
  ["the key of another", { ...first, key: second.key }, "it is not the key of"],
  ["a key too small", weakCertificate, "key too small"],
] as const;

for (const [what, files, why] of broken) {
  Deno.test(`watchCertificate() keeps what it has, and says why, where there is ${what}`, async () => {
    const directory = await Deno.makeTempDir();
    const [certFile, keyFile] = [`${directory}/cert.pem`, `${directory}/key.pem`];
    const write = async ({ cert, key }: { cert: string; key: string }) => {
      await Deno.writeTextFile(certFile, cert);
      await Deno.writeTextFile(keyFile, key);
    };
    const logged = queue<string>();
    const clock = handClock();
    const look = async () => {
      await eventually("it waits to look again", () => clock.waiting() === 1);
      clock.advance(10);
    };
    await write(first);
    const options = { certFile, keyFile, clock, pollMs: 10 };
    const watch = await watchCertificate({
      ...options,
      log: (line, fields) => logged.put(`${line}: ${fields?.["error"]}`),
    });
    const renewed: string[] = [];
    watch.onRenewed(({ cert }) => renewed.push(cert));

    await write(files);
    await look();
    await look();
    const line = await logged.take();
    const kept = watch.certificate;
    await assert.rejects(watchCertificate({ ...options, log: () => {} }), new RegExp(why));
    await write(second);
    await look();
    await eventually("the next one is taken up", () => renewed.length > 0);
    watch.close();
    await Deno.remove(directory, { recursive: true });

    assert.match(line, /^Cannot load the renewed TLS certificate: Error: Cannot use /);
    assert.ok(line.includes(why), line);
    assert.deepEqual(kept, first);
    assert.deepEqual(renewed, [second.cert]);
  });
}
