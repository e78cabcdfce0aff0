import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectTls } from "node:tls";
import { serveHttp } from "../../../../core/machine/net/http_server.ts";
import { createPlaces } from "../../../../core/machine/net/places.ts";
import { getRequest, openRaw, rawHttp } from "../../../support/service/raw_http.ts";
import { testAuthority, testCertificates } from "../../../support/process/test_certificates.ts";

const address = { hostname: "127.0.0.1", port: 0, name: "PORT" };

async function connectedTo(port: number, localAddress?: string) {
  const client = openRaw(port, localAddress);
  await once(client.socket, "connect");
  return client;
}

async function securedTo(port: number) {
  const options = { host: "127.0.0.1", port, servername: "sip.test", ca: testAuthority };
  const socket = connectTls(options);
  await once(socket, "secureConnect");
  return rawHttp(socket);
}

const certificate = { certificate: testCertificates.first, onRenewed() {}, close() {} };

for (
  const [scheme, secure, open] of [
    ["http", {}, connectedTo],
    ["https", { certificate }, securedTo],
  ] as const
) {
  Deno.test(`by ${scheme}, the oldest silent connection makes room for another one`, async () => {
    const lines: string[] = [];
    const log = (line: string) => lines.push(line);
    const options = { address, places: createPlaces(3), log, ...secure };
    const server = await serveHttp(options, () => new Response("hello"));
    const { port } = server.address;
    const patient = await open(port);
    patient.send(getRequest());
    await patient.received("hello");
    const [oldest, second] = [await connectedTo(port), await connectedTo(port)];
    const newest = await open(port);
    newest.send(getRequest());
    await newest.received("hello");

    assert.equal(await oldest.closed, "");
    assert.deepEqual(lines, [
      "No place is left for connections: raise MAX_CONNECTIONS and the descriptor limit",
    ]);
    const last = await open(port);
    assert.equal(await second.closed, "");
    for (const client of [patient, newest, last]) client.send(getRequest());
    await Promise.all([
      patient.received(/hello.*hello/s),
      newest.received(/hello.*hello/s),
      last.received("hello"),
    ]);
    for (const client of [patient, newest, last]) client.close();
    await server.shutdown();
  });
}

Deno.test("an address at its bound ends no silent connection of another one", async () => {
  const options = { address, places: createPlaces(2), perAddress: 1 };
  const server = await serveHttp(options, () => new Response("hello"));
  const { port } = server.address;
  const newcomer = await connectedTo(port, "127.0.0.2");
  const greedy = await connectedTo(port);
  const beyond = openRaw(port);

  assert.equal(await beyond.closed, "");
  for (const client of [newcomer, greedy]) client.send(getRequest());
  await Promise.all([newcomer.received("hello"), greedy.received("hello")]);
  for (const client of [newcomer, greedy]) client.close();
  await server.shutdown();
});

Deno.test("places are shared: a silent connection of one listener makes room for one of another", async () => {
  const places = createPlaces(1);
  const answer = () => new Response("hello");
  const [first, second] = [
    await serveHttp({ address, places }, answer),
    await serveHttp({ address, places }, answer),
  ];
  const silent = await connectedTo(first.address.port);
  const other = openRaw(second.address.port);
  other.send(getRequest());

  await other.received("hello");
  assert.equal(await silent.closed, "");
  other.close();
  await Promise.all([first.shutdown(), second.shutdown()]);
});
