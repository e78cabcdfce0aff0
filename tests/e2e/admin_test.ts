import assert from "node:assert/strict";
import { eventually } from "../support/process/eventually.ts";
import { freePorts, startSystem, type System } from "../support/process/system.ts";
import { runTask } from "../support/service/backup_lab.ts";

/** The environment of an operator elsewhere: nothing of the service's machine. */
const afar = (system: System, directory: string): Record<string, string> => ({
  SWITCHBOARD_URL: system.baseUrl,
  ACCOUNT_SID: system.accountSid,
  AUTH_TOKEN: system.authToken,
  DATA_DIR: `${directory}/absent`,
});

/** Runs a command; its rows. */
async function rowsOf(words: string[], env: Record<string, string>) {
  const { code, output } = await runTask(["admin", ...words, "--json"], env);
  assert.equal(code, 0, output);
  return JSON.parse(output);
}

Deno.test({
  name: "deno task admin lists and ends calls, lists devices and keeps accounts, from afar",
  timeout: 240_000,
  async fn() {
    await using system = await startSystem();
    const env = afar(system, system.directory);
    const phone = await system.phone("alice");

    const clients = await rowsOf(["clients"], env);
    assert.ok(
      clients.some(({ login, enabled }: { login: string; enabled: string }) =>
        login === "alice" && enabled === "yes"
      ),
    );
    const [device, ...others] = await rowsOf(["clients", "registered"], env);
    assert.deepEqual([device.login, device.transport, others], ["alice", "WS", []]);
    assert.match(device["came from"], /^127\.0\.0\.1:\d+$/);

    const form = { From: "+15550001", To: "client:alice", Url: `${system.baseUrl}/demo/welcome` };
    const { sid } = await system.post("Calls.json", form);
    await phone.nextCall();
    const [call] = await rowsOf(["calls"], env);
    assert.deepEqual([call.sid, call.account, call.to], [sid, system.accountSid, "client:alice"]);
    const shown = await runTask(["admin", "calls"], env);
    assert.match(
      shown.output,
      new RegExp(`^SID +ACCOUNT +STATUS.*\n${sid}  ${system.accountSid}  `),
    );
    await rowsOf(["calls", "end", sid], env);
    await eventually("the call is over", async () => {
      const [first] = await rowsOf(["calls"], env);
      return first === undefined ? true : undefined;
    });
    const facts = await rowsOf(["store"], env);
    const valueOf = (rows: { name: string; value: unknown }[], name: string) =>
      rows.find((row) => row.name === name)?.value;
    assert.deepEqual([valueOf(facts, "kind"), valueOf(facts, "calls")], ["file", 1]);
    assert.ok(Number(valueOf(facts, "bytes")) > 10_000);
    // Three parameters' worth, and a line that is none.
    const file = await Deno.makeTempFile({ suffix: ".csv" });
    const numbers = Array.from(
      { length: 1_500 },
      (_, n) => `+1415555${String(n).padStart(4, "0")}`,
    );
    const lines = ["PhoneNumber,Kind", ...numbers.map((one) => `${one},local`), "nobody,local"];
    await Deno.writeTextFile(file, lines.join("\n"));
    const { code, output } = await runTask(["admin", "numbers", "import", file, "--json"], env);
    await Deno.remove(file);
    const loaded = JSON.parse(output);
    const counts = ["read", "added", "refused"].map((name) => valueOf(loaded, name));
    assert.deepEqual([code, ...counts], [1, 1_500, 1_500, 1]);
    assert.match(String(valueOf(loaded, "left out")), /^line 1502: .*nobody/);

    const again = await runTask(["admin", "calls", "end", sid], env);
    assert.equal(again.code, 1);
    assert.match(
      again.output,
      /^No live call has the Sid CA\w+: `deno task admin calls` lists them/,
    );

    const [made] = await rowsOf(["accounts", "create", "shop@example.test", "--name", "Shop"], env);
    assert.deepEqual([made.name, made.status], ["Shop", "active"]);
    const [rotated] = await rowsOf(["accounts", "rotate", made.sid], env);
    assert.notEqual(rotated.token, made.token);
    const shop = { ...env, ACCOUNT_SID: made.sid, AUTH_TOKEN: rotated.token };
    const refused = await runTask(["admin", "calls"], shop);
    assert.equal(refused.code, 1);
    assert.match(refused.output, /answered 403: .*root account/);
    for (const sid of [made.sid, system.accountSid]) {
      const [reset] = await rowsOf(["accounts", "reset-factor", sid], env);
      assert.deepEqual(reset, { account: sid, "second factor": "off" });
    }
    const [suspended] = await rowsOf(["accounts", "suspend", made.sid], env);
    assert.equal(suspended.status, "suspended");
    await rowsOf(["accounts", "close", made.sid], env);
    const all = await rowsOf(["accounts"], env);
    assert.deepEqual(all.map(({ status }: { status: string }) => status), ["active", "closed"]);
    const key = await system.post("Keys.json", { Role: "Administrator" });
    const { AUTH_TOKEN: _, ...without } = env;
    const byKey = { ...without, API_KEY_SID: key.sid, API_KEY_SECRET: key.secret };
    const create = ["accounts", "create", "ci@example.test", "--test"];
    const [test] = await rowsOf(create, byKey);
    assert.equal(test.type, "Test");
  },
});

Deno.test({
  name: "deno task admin jobs shows a callback that failed for good, and retries it",
  timeout: 120_000,
  async fn() {
    await using system = await startSystem({ env: { WEBHOOK_MAX_ATTEMPTS: "1" } });
    const env = afar(system, system.directory);
    const [port = 0] = freePorts(1);
    const callback = `http://127.0.0.1:${port}/ended`;
    const Url = `${system.baseUrl}/demo/welcome`;
    const call = { From: "+15550001", To: "client:nobody", Url, StatusCallback: callback };
    await system.post("Calls.json", call);
    const dead = await eventually("the callback failed", async () => {
      return (await rowsOf(["jobs", "dead"], env))[0];
    });
    assert.deepEqual([dead.kind, dead.attempts], ["webhook.deliver", 1]);
    let asked = 0;
    await using server = Deno.serve({ port, hostname: "127.0.0.1", onListen() {} }, () => {
      asked++;
      return new Response();
    });
    assert.ok(server);
    assert.deepEqual(await rowsOf(["jobs", "retry", dead.id], env), [{
      id: dead.id,
      status: "due",
    }]);
    await eventually("the callback came", () => Promise.resolve(asked > 0 ? true : undefined));
    assert.deepEqual(await rowsOf(["jobs", "dead"], env), []);
    const again = await runTask(["admin", "jobs", "retry", dead.id], env);
    assert.equal(again.code, 1);
    assert.match(again.output, /answered 404/);
  },
});

Deno.test({
  name: "deno task admin finds the service of DATA_DIR, and names the remedy if none runs",
  timeout: 120_000,
  async fn() {
    const directory = await Deno.makeTempDir();
    try {
      const [udp = 0] = freePorts(1);
      const system = await startSystem({ directory, env: { SIP_UDP_PORT: String(udp) } });
      const env = { DATA_DIR: directory, PORT: new URL(system.baseUrl).port };
      assert.equal((await rowsOf(["accounts"], env))[0].sid, system.accountSid);
      const ws = { ...env, SIP_WS_PORT: new URL(system.wsUrl).port, SIP_UDP_PORT: String(udp) };
      const healthy = await runTask(["admin", "doctor"], ws);
      assert.equal(healthy.code, 0, healthy.output);
      assert.match(healthy.output, /^data +ok +only the owner reads/m);
      assert.match(healthy.output, /^sip ports +ok +SIP_WS_PORT \d+, SIP_UDP_PORT \d+ answer/m);
      assert.match(healthy.output, /^addresses +ok +127.0.0.1 is advertised: only this machine/m);
      assert.match(healthy.output, /^browsers +ok +a WebSocket opens at ws:/m);
      const [port = 0] = freePorts(1);
      const ill = await runTask(["admin", "doctor"], { ...ws, SIP_TCP_PORT: String(port) });
      assert.equal(ill.code, 1);
      assert.match(ill.output, /^sip ports +failed +nothing answers at SIP_TCP_PORT/m);
      const wrong = await runTask(["admin", "accounts"], { ...afar(system, ""), AUTH_TOKEN: "x" });
      assert.equal(wrong.code, 1);
      assert.match(wrong.output, /refused the credentials: set ACCOUNT_SID and AUTH_TOKEN/);
      await system.stop();
      const stopped = await runTask(["admin", "accounts"], env);
      assert.equal(stopped.code, 1);
      assert.match(stopped.output, /Cannot reach the service .*Start it, or set SWITCHBOARD_URL/);
      const nowhere = await runTask(["admin", "calls"], { DATA_DIR: `${directory}/absent` });
      assert.equal(nowhere.code, 1);
      assert.match(nowhere.output, /Cannot read .*credentials.json.*Set DATA_DIR/);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});
