import assert from "node:assert/strict";
import { environmentOf } from "../../core/machine/start/process_environment.ts";
import { startSystem } from "../support/process/system.ts";

const secrets = {
  SECRET_KEY: "secret-key-of-the-store",
  BRIDGE_SECRET: "secret-of-the-bridge",
  ADMIN_PASSWORD: "secret-of-the-root",
  SPEECH_SECRET: "secret-of-the-speech",
  S3_BUCKET: "recordings",
  S3_ENDPOINT: "http://127.0.0.1:9",
  S3_ACCESS_KEY: "secret-access-key",
  S3_SECRET_KEY: "secret-s3-key",
  SMTP_URL: "smtp://user:secret-of-the-mail@127.0.0.1:9",
};

Deno.test("each process is started with the secrets that it needs, and no others", async () => {
  await using system = await startSystem({ env: secrets });
  const known = (script: Parameters<typeof system.pids>[0]) => {
    const [pid] = system.pids(script);
    const entries = Deno.readTextFileSync(`/proc/${pid}/environ`).split("\0");
    return entries.map((entry) => entry.split("=")[0]!).filter((name) => name in secrets).sort();
  };

  assert.deepEqual(known("main.ts"), Object.keys(secrets).sort());
  assert.deepEqual(known("sip/main.ts"), [
    "BRIDGE_SECRET",
    "S3_BUCKET",
    "S3_ENDPOINT",
    "SPEECH_SECRET",
  ]);
  assert.deepEqual(known("core/machine/adapters/speech/main.ts"), [
    "S3_BUCKET",
    "S3_ENDPOINT",
    "SPEECH_SECRET",
  ]);
});

Deno.test("a secret of a file reaches the processes that need it, and its file no process", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/bridge_secret`;
    await Deno.writeTextFile(path, `${secrets.BRIDGE_SECRET}\n`, { mode: 0o400 });
    await using system = await startSystem({ env: { BRIDGE_SECRET_FILE: path } });
    for (const script of ["main.ts", "sip/main.ts"] as const) {
      const [pid] = system.pids(script);
      const entries = Deno.readTextFileSync(`/proc/${pid}/environ`).split("\0");
      assert.ok(entries.includes(`BRIDGE_SECRET=${secrets.BRIDGE_SECRET}`), script);
      assert.ok(!entries.some((entry) => entry.startsWith("BRIDGE_SECRET_FILE=")), script);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("environmentOf() keeps the token of the store from all but the service", () => {
  const own = { DENO_KV_ACCESS_TOKEN: "secret", PATH: "/bin" };

  assert.deepEqual(environmentOf("service", own), own);
  assert.deepEqual(environmentOf("companion", own), { PATH: "/bin" });
  assert.deepEqual(environmentOf("speech process", own), { PATH: "/bin" });
});

Deno.test("environmentOf() gives NODE_EXTRA_CA_CERTS as DENO_CERT, unless that is set", () => {
  const NODE_EXTRA_CA_CERTS = "/etc/ca.pem";

  assert.deepEqual(environmentOf("service", { NODE_EXTRA_CA_CERTS }), { DENO_CERT: "/etc/ca.pem" });
  assert.deepEqual(environmentOf("service", { NODE_EXTRA_CA_CERTS, DENO_CERT: "/own.pem" }), {
    DENO_CERT: "/own.pem",
  });
});

Deno.test("environmentOf() names each process whose traces are exported", () => {
  const nameOf = (...given: Parameters<typeof environmentOf>) =>
    environmentOf(...given).OTEL_SERVICE_NAME;

  assert.equal(nameOf("service", { OTEL_DENO: "true" }), "switchboard-service");
  const env = { OTEL_DENO: "true", OTEL_SERVICE_NAME: "pbx" };
  assert.equal(nameOf("speech process", env), "pbx-speech");
});
