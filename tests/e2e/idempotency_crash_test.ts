import assert from "node:assert/strict";
import { eventually } from "../support/process/eventually.ts";
import { startSystem, type System } from "../support/process/system.ts";
import { startKvConnect } from "../support/service/kv_connect.ts";

const post = (system: System, form: Record<string, string>): Promise<Response> =>
  fetch(`${system.baseUrl}/2012-04-24/Accounts/${system.accountSid}/Clients.json`, {
    method: "POST",
    headers: {
      "Authorization": `Basic ${btoa(`${system.accountSid}:${system.authToken}`)}`,
      "Idempotency-Key": "order-1042",
    },
    body: new URLSearchParams(form),
  });

Deno.test("a retry finds the record of a service that was killed before its response", async () => {
  await using store = startKvConnect();
  await using system = await startSystem({
    env: { KV_URL: store.url, DENO_KV_ACCESS_TOKEN: "test", SECRET_KEY: "a key of this test" },
  });
  const form = { Login: "made-before-the-kill", Password: "secret" };
  const { made } = store.loseWrite(form.Login);
  const first = post(system, form).then(({ status }) => status, () => "no answer");

  await made;
  const [pid] = system.pids("main.ts") as [number];
  Deno.kill(pid, "SIGKILL");
  assert.equal(await first, "no answer");
  await eventually("another service runs", () => {
    const [now] = system.pids("main.ts");
    return now !== undefined && now !== pid;
  });
  await system.ready();
  const retry = await post(system, form);
  const again = await post(system, form);

  const text = await retry.text();
  assert.equal(retry.status, 200, text);
  assert.equal(retry.headers.get("Idempotent-Replayed"), "true");
  assert.equal(await again.text(), text);
  const clients: { login: string; sid: string }[] = await system.get("Clients.json");
  const found = clients.filter(({ login }) => login === form.Login);
  assert.deepEqual(found.map(({ sid }) => sid), [JSON.parse(text).sid]);
});
