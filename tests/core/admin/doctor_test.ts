import assert from "node:assert/strict";
import { createServer } from "node:tls";
import { diagnose, type Local } from "../../../core/admin/doctor.ts";
import { type Machine, machine } from "../../../core/admin/machine.ts";
import type { Service } from "../../../core/admin/service.ts";
import { testCertificates } from "../../support/process/test_certificates.ts";

const now = Date.UTC(2026, 10, 24, 12);
const day = 86_400_000;

const well: Machine = {
  now: () => now,
  fetch: () =>
    Promise.resolve(
      Response.json({ store: "ok", companion: "ok" }, {
        headers: { Date: new Date(now).toUTCString() },
      }),
    ),
  connect: () => Promise.resolve(),
  addresses: () => Promise.resolve(["192.0.2.1"]),
  certificate: () => Promise.resolve({ problem: "", validTo: now + 60 * day }),
  stun: () => Promise.resolve(),
  turn: () => Promise.resolve(),
  options: () => Promise.resolve(),
  webSocket: () => Promise.resolve(),
  isOwn: () => true,
  mode: () => Promise.resolve(0o600),
};
const service = {
  url: "https://pbx.test",
  get: () => Promise.resolve({ Version: "1.0.0" }),
  post: () =>
    Promise.resolve({
      ice_servers: [
        { urls: "stun:turn.test" },
        { urls: "turns:[2001:db8::1]", username: "u", credential: "c" },
      ],
    }),
} as unknown as Service; // The doctor uses no other part.
const local: Local = {
  DATA_DIR: "data",
  SIP_DOMAIN: "sip.test",
  PUBLIC_IP: "",
  RTP_HOST: "192.0.2.1",
  SIP_HOST: "127.0.0.1",
  SIP_WS_HOST: "127.0.0.1",
  SIP_WS_PORT: 8088,
  SIP_WS_URL: "wss://pbx.test/sip",
  SIP_WSS_PORT: 0,
  SIP_UDP_PORT: 5060,
  SIP_TCP_PORT: 5060,
  SIP_TLS_PORT: 0,
};

/** What fails on a machine that is well but for some parts. */
async function failing(parts: Partial<Machine>): Promise<Record<string, string>> {
  const findings = await diagnose(service, local, { ...well, ...parts });
  const failed = findings.filter(({ result }) => result === "failed");
  return Object.fromEntries(failed.map(({ check, finding }) => [check, finding]));
}

Deno.test("doctor finds nothing wrong where all is well", async () => {
  const findings = await diagnose(service, local, well);
  assert.deepEqual(findings.filter(({ result }) => result !== "ok"), []);
  assert.equal(findings.length, 11);
});

Deno.test("doctor names a clock that differs, and by how much", async () => {
  const found = await failing({ now: () => now - 90_000 });
  assert.match(found.clock ?? "", /clock is 9[01] s ahead of the one here: set both by NTP/);
});

Deno.test("doctor names a certificate that is refused, over or nearly over", async () => {
  const shows = (problem: string, validTo: number) =>
    failing({ certificate: () => Promise.resolve({ problem, validTo }) });
  assert.match((await shows("wrong name", now + 60 * day)).certificate ?? "", /refuse.*wrong name/);
  assert.match((await shows("", now - day)).certificate ?? "", /expired 2026-11-23.*renew it/);
  assert.match((await shows("", now + 3 * day)).certificate ?? "", /expires 2026-11-27.*renew it/);
});

Deno.test("doctor names a port, a STUN server and a name that do not answer", async () => {
  const refused = () => Promise.reject(new Error("ECONNREFUSED"));
  const found = await failing({ connect: refused, stun: refused, addresses: refused });
  assert.match(found["sip ports"] ?? "", /nothing answers at SIP_WS_PORT 127.0.0.1:8088/);
  assert.match(found["ice servers"] ?? "", /stun:turn.test does not answer.*ICE_SERVERS/);
  assert.match(found["sip domain"] ?? "", /no address of SIP_DOMAIN sip.test/);
  assert.match(found.addresses ?? "", /RTP_HOST 192.0.2.1 has no address in the DNS/);
  assert.equal(Object.keys(found).length, 4);
});

Deno.test("doctor names a UDP port without SIP, a proxy without WebSockets, and a foreign address", async () => {
  const refused = () => Promise.reject(new Error("timed out"));
  const found = await failing({ options: refused, webSocket: refused, isOwn: () => false });
  assert.match(
    found["sip ports"] ?? "",
    /no SIP answer at SIP_UDP_PORT 127.0.0.1:5060: the server did not/,
  );
  assert.match(found.browsers ?? "", /SIP_WS_URL wss:\/\/pbx.test\/sip: .*reverse-proxy.md/);
  assert.match(found.addresses ?? "", /192.0.2.1, which is no address of this machine.*PUBLIC_IP/);
  assert.equal(Object.keys(found).length, 3);
});

Deno.test("doctor tries a TURN server with the credentials of a Token", async () => {
  const tried: unknown[] = [];
  const turn: Machine["turn"] = (...given) => {
    tried.push(given);
    return Promise.reject(new Error("it refuses the credentials"));
  };
  const found = await failing({ turn });
  const server = { protocol: "tls", host: "2001:db8::1", port: 5349 };
  assert.deepEqual(tried, [[server, { username: "u", credential: "c" }]]);
  assert.match(
    found["ice servers"] ?? "",
    /relays nothing: it refuses the credentials.*TURN_SECRET/,
  );
});

Deno.test("doctor names secrets that others can read", async () => {
  const found = await failing({ mode: () => Promise.resolve(0o644) });
  assert.match(found.data ?? "", /other users can read data\/secret_key: chmod 600/);
});

Deno.test("a STUN server is found by its answer to the transaction", async () => {
  const server = Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 });
  const answering = (async () => {
    const [request, from] = await server.receive();
    await server.send(new Uint8Array(20), from); // Of no transaction.
    await server.send(request.with(0, 1), from);
  })();
  try {
    const { port } = server.addr as Deno.NetAddr;
    await machine.stun({ protocol: "udp", host: "127.0.0.1", port });
    await answering;
  } finally {
    server.close();
  }
});

Deno.test("the certificate of a real server that no client trusts is named", async () => {
  const server = createServer(testCertificates.first);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as { port: number };
    const { problem, validTo } = await machine.certificate("localhost", port);
    assert.notEqual(problem, "");
    assert.equal(new Date(validTo).getUTCFullYear(), 2126);
    await assert.rejects(machine.connect("127.0.0.1", 1));
  } finally {
    server.close();
  }
});
