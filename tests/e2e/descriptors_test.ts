import assert from "node:assert/strict";
import { connect as connectTls } from "node:tls";
import { startAppServer } from "../support/service/app_server.ts";
import { plainOffer } from "../support/sip/plain_peer.ts";
import { getRequest, openRaw } from "../support/service/raw_http.ts";
import { connectPeer, peerRequest, streamPeer } from "../support/sip/sip_peer.ts";
import { freePorts } from "../support/process/system.ts";
import { serialAt, testAuthority, testCertificates } from "../support/process/test_certificates.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem } from "../support/process/system.ts";

/** Idle connections from many addresses of the loopback, as far as they can be had. */
function flood(port: number, count: number) {
  const idle = Array.from({ length: count }, (_, i) => openRaw(port, `127.0.1.${1 + i % 8}`));
  return { close: () => idle.forEach((client) => client.close()) };
}

/** Resolves when a connection is served, trying again until then. */
const untilServed = (
  what: string,
  serve: () => Promise<unknown>,
  mostMs: number,
): Promise<unknown> =>
  eventually(`${what} is served`, () => serve().then(() => true, () => false), mostMs);

const limited = (limit: number): { deno: [string, ...string[]] } => ({
  deno: ["sh", "-c", `ulimit -n ${limit}; exec "$0" "$@"`, Deno.execPath()],
});

/** Resolves when a new connection to a port is answered, trying again until then. */
const untilAnswered = (port: number, mostMs = 20_000): Promise<unknown> =>
  eventually(`port ${port} answers`, async () => {
    const client = openRaw(port, "127.0.0.3");
    client.send(getRequest("/health"));
    const late = setTimeout(client.close, 1_000);
    const text = await client.received("HTTP/1.1 ").catch(() => "");
    clearTimeout(late);
    client.close();
    return text !== "";
  }, mostMs);

/**
 * Less than the lifetime of silent connections: a client served by then did not wait for their end.
 */
const duringFloodMs = 10_000;

Deno.test({
  name: "with 256 descriptors, floods of idle connections end neither listeners nor clients",
  timeout: 180_000,
  async fn() {
    await using system = await startSystem(limited(256));
    const portOf = (url: string) => Number(new URL(url).port);
    const [rest, sip] = [portOf(system.baseUrl), portOf(system.wsUrl)];
    await using app = startAppServer();
    app.pages.set("/voice", '<Response><Echo timeLimit="60"/></Response>');
    const phone = await system.phone("alice");
    const [alice] = await system.get("Clients.json?Login=alice");
    await system.post(`Clients/${alice.sid}.json`, { VoiceUrl: `${app.url}/voice` });
    const client = openRaw(rest, "127.0.0.2");
    client.send(getRequest("/health"));
    await client.received("HTTP/1.1 200");
    const pids = system.pids("main.ts").concat(system.pids("sip/main.ts"));

    const floods = [flood(rest, 400), flood(sip, 400), flood(portOf(system.speechUrl), 400)];
    await eventually("all places are taken", () => {
      return (system.output().match(/No place is left for connections/g) ?? []).length >= 3;
    });
    client.send(getRequest("/health"));
    const during = await client.received(/200 OK.*200 OK/s);
    const registered = await phone.register();
    // A listener that ran out of descriptors in the burst is opened again within seconds.
    await Promise.all([
      untilAnswered(rest, duringFloodMs),
      untilServed("a new phone", () => system.phone("bob"), duringFloodMs),
    ]);
    // The descriptors of their legs are reserved: connections do not get them.
    const calls = [1, 2, 3, 4, 5].map(() => phone.call("any", { sdp: plainOffer(40_000) }).final);
    const answers = (await Promise.all(calls)).map(({ status }) => status);
    for (const { close } of floods) close();
    await Promise.all(
      [rest, sip, portOf(system.speechUrl)].map((port) => untilAnswered(port)),
    );
    client.send(getRequest("/health"));
    const after = await client.received(/200 OK.*200 OK.*200 OK/s);
    client.close();

    assert.ok(during && after);
    assert.equal(registered.status, 200);
    assert.deepEqual(answers, [200, 200, 200, 200, 200]);
    assert.deepEqual(system.pids("main.ts").concat(system.pids("sip/main.ts")), pids);
  },
});

Deno.test({
  name: "with 256 descriptors, floods of SIP over TCP and TLS and of the control end no listener",
  timeout: 180_000,
  async fn() {
    const [tcp, tls, control] = freePorts(3) as [number, number, number];
    const directory = await Deno.makeTempDir();
    await using disposal = new AsyncDisposableStack();
    disposal.defer(() => Deno.remove(directory, { recursive: true }));
    const [cert, key] = [`${directory}/cert.pem`, `${directory}/key.pem`];
    await Deno.writeTextFile(cert, testCertificates.first.cert);
    await Deno.writeTextFile(key, testCertificates.first.key);
    const env = {
      SIP_TCP_PORT: String(tcp),
      SIP_TLS_PORT: String(tls),
      SIP_TLS_CERT: cert,
      SIP_TLS_KEY: key,
      BRIDGE_PORT: String(control),
    };
    await using system = await startSystem({ ...limited(256), directory, env });
    const host = "127.0.0.1";
    const pids = system.pids("sip/main.ts");
    const byTcp = await connectPeer({ host, port: tcp });
    const secure = connectTls({ host, port: tls, servername: "sip.test", ca: testAuthority });
    await new Promise<void>((resolve, reject) => {
      secure.once("secureConnect", resolve);
      secure.once("error", reject);
    });
    const byTls = streamPeer(secure);
    const ask = async (call: string) => {
      byTcp.send(peerRequest("OPTIONS", "TCP", byTcp.port, { callId: `tcp-${call}` }));
      byTls.send(peerRequest("OPTIONS", "TLS", byTls.port, { callId: `tls-${call}` }));
      return [(await byTcp.next()).status, (await byTls.next()).status];
    };
    const before = await ask("before");

    const floods = [tcp, tls, control].map((port) => flood(port, 400));
    await eventually("all places are taken", () => {
      return (system.output().match(/No place is left for connections/g) ?? []).length >= 3;
    });
    const during = await ask("during");
    const newcomersAreServed = (mostMs: number) =>
      Promise.all([
        untilServed("SIP over TCP", async () => {
          const peer = await connectPeer({ host, port: tcp });
          peer.send(peerRequest("OPTIONS", "TCP", peer.port, { callId: `again-${peer.port}` }));
          const closed = peer.closed.then(() => Promise.reject(new Error("It was closed")));
          await Promise.race([peer.next(), closed]).finally(() => peer.close());
        }, mostMs),
        untilServed("SIP over TLS", () => serialAt({ host, port: tls }), mostMs),
        untilAnswered(control, mostMs),
      ]);
    await newcomersAreServed(duringFloodMs);
    for (const { close } of floods) close();
    await newcomersAreServed(20_000);
    const after = await ask("after");
    await Promise.all([byTcp.close(), byTls.close()]);

    assert.deepEqual([before, during, after], [[200, 200], [200, 200], [200, 200]]);
    assert.deepEqual(system.pids("sip/main.ts"), pids);
  },
});
