import assert from "node:assert/strict";
import { getRequest, openRaw } from "../support/raw_http.ts";
import { eventually } from "../support/eventually.ts";
import { startSystem } from "../support/system.ts";

/** Idle connections from many addresses of the loopback, as far as they can be had. */
function flood(port: number, count: number) {
  const idle = Array.from({ length: count }, (_, i) => openRaw(port, `127.0.1.${1 + i % 8}`));
  return { close: () => idle.forEach((client) => client.close()) };
}

const limited = (limit: number): { deno: [string, ...string[]] } => ({
  deno: ["sh", "-c", `ulimit -n ${limit}; exec "$0" "$@"`, Deno.execPath()],
});

/** Resolves with how long a new connection to a port takes to be answered, trying again until then. */
async function untilAnswered(port: number): Promise<number> {
  const since = Date.now();
  await eventually(`port ${port} answers`, async () => {
    const client = openRaw(port, "127.0.0.3");
    client.send(getRequest("/health"));
    const late = setTimeout(client.close, 1_000);
    const text = await client.received("HTTP/1.1 ").catch(() => "");
    clearTimeout(late);
    client.close();
    return text !== "";
  }, 20_000);
  return Date.now() - since;
}

Deno.test({
  name: "with 256 descriptors, floods of idle connections end neither listeners nor clients",
  timeout: 180_000,
  async fn() {
    await using system = await startSystem(limited(256));
    const portOf = (url: string) => Number(new URL(url).port);
    const [rest, sip] = [portOf(system.baseUrl), portOf(system.wsUrl)];
    const phone = await system.phone("alice");
    const client = openRaw(rest, "127.0.0.2");
    client.send(getRequest("/health"));
    await client.received("HTTP/1.1 200");
    const pids = system.pids("main.ts").concat(system.pids("sip/main.ts"));

    const floods = [flood(rest, 400), flood(sip, 400), flood(portOf(system.speechUrl), 400)];
    await eventually("all places are taken", () => {
      return (system.output().match(/Cannot take more connections/g) ?? []).length >= 3;
    });
    client.send(getRequest("/health"));
    const during = await client.received(/200 OK.*200 OK/s);
    const registered = await phone.register();
    for (const { close } of floods) close();
    const took = await Promise.all(
      [rest, sip, portOf(system.speechUrl)].map((port) => untilAnswered(port)),
    );
    client.send(getRequest("/health"));
    const after = await client.received(/200 OK.*200 OK.*200 OK/s);
    client.close();

    assert.ok(during && after);
    assert.equal(registered.status, 200);
    assert.ok(took.every((ms) => ms < 5_000), `took ${took} ms`);
    assert.deepEqual(system.pids("main.ts").concat(system.pids("sip/main.ts")), pids);
  },
});
