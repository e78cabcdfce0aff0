import assert from "node:assert/strict";
import { sipLimits } from "../../../sip/base/limits.ts";
import { connectStream, upgradeStream } from "../../../sip/transport/connect.ts";
import { sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { eventually } from "../../support/process/eventually.ts";
import { certificateFiles } from "../../support/process/test_certificates.ts";
import { openWebSocketLab } from "../../support/sip/web_socket_lab.ts";

const headers = {
  "Host": "sip.test",
  "Upgrade": "websocket",
  "Connection": "keep-alive, Upgrade",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Protocol": "xmpp, SIP",
};

/** A request, with headers changed; undefined leaves one out. */
function request(changes: Record<string, string | undefined> = {}, first = "GET / HTTP/1.1") {
  const lines = Object.entries<string | undefined>({ ...headers, ...changes })
    .flatMap(([name, value]) => value === undefined ? [] : [`${name}: ${value}`]);
  return [first, ...lines, "", ""].join("\r\n");
}

/** Ends a WebSocket once it is open: reserved bits are set in it. */
const noFrame = "no frame";

const statusOf = (answer: string) => Number(answer.split(" ")[1]);

sipTest("acceptHandshake() proves that it read the key, also when it comes in pieces", async () => {
  await using lab = await openWebSocketLab();

  const whole = await lab.ask(request(), noFrame);
  const pieces = await lab.ask(...request(), noFrame);

  for (const answer of [whole, pieces]) {
    assert.equal(statusOf(answer), 101);
    // The example of RFC 6455 §1.3.
    assert.match(answer, /\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=\r\n/);
    assert.match(answer, /\r\nSec-WebSocket-Protocol: sip\r\n/);
  }
});

const taken: Record<string, string> = {
  "an Upgrade that lists more than websocket": request({ Upgrade: "h2c, websocket" }),
  "a subprotocol that is listed twice": request({ "Sec-WebSocket-Protocol": "sip, sip" }),
  "a subprotocol that is no token": request({ "Sec-WebSocket-Protocol": "sip, b@d" }),
};

for (const [what, text] of Object.entries(taken)) {
  sipTest(`acceptHandshake() answers 101 to ${what}`, async () => {
    await using lab = await openWebSocketLab();

    assert.equal(statusOf(await lab.ask(text, noFrame)), 101);
  });
}

const refused: Record<string, [status: number, text: string]> = {
  "any other request": [426, request({ Upgrade: undefined })],
  "a request with a body": [426, "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"],
  "another version": [426, request({ "Sec-WebSocket-Version": "8" })],
  "no version": [426, request({ "Sec-WebSocket-Version": undefined })],
  "no key": [400, request({ "Sec-WebSocket-Key": undefined })],
  "a key that is too short": [400, request({ "Sec-WebSocket-Key": "c2hvcnQ=" })],
  "no Host": [400, request({ Host: undefined })],
  "a Connection that only closes": [400, request({ Connection: "close" })],
  "no subprotocol": [400, request({ "Sec-WebSocket-Protocol": undefined })],
  "another subprotocol": [400, request({ "Sec-WebSocket-Protocol": "sips" })],
  "another method": [400, request({}, "PUT / HTTP/1.1")],
  "HTTP/1.0": [400, request({}, "GET / HTTP/1.0")],
  "no HTTP": [400, "OPTIONS sip:a@b SIP/2.0\r\nVia: x\r\n\r\n"],
  "a header that is none": [400, request({ "X y": "z" })],
  "an endless head": [431, `GET / HTTP/1.1\r\nX: ${"y".repeat(sipLimits.httpHeadBytes)}`],
};

for (const [what, [status, text]] of Object.entries(refused)) {
  sipTest(`acceptHandshake() answers ${status} to ${what}, and lets go`, async () => {
    await using lab = await openWebSocketLab();

    const answer = await lab.ask(text);

    const [head = "", body = ""] = answer.split("\r\n\r\n");
    assert.equal(statusOf(answer), status);
    assert.match(head, new RegExp(`\r\nContent-Length: ${body.length}(\r\n|$)`));
    assert.match(head, /\r\nX-Content-Type-Options: nosniff\r\n/);
    assert.match(head, /\r\nContent-Security-Policy: frame-ancestors 'none'\r\n/);
    assert.match(head, /\r\nConnection: (Upgrade, )?close(\r\n|$)/);
    assert.equal(/\r\nUpgrade: websocket/.test(head), status === 426);
    await eventually("its place is free", () => lab.places() === 0);
    assert.equal(lab.clock.waiting(), 0);
  });
}

sipTest("acceptHandshake() answers 408 to a head that takes too long", async () => {
  await using lab = await openWebSocketLab();

  const answered = lab.ask(request().slice(0, -2));
  await eventually("it is taken", () => (lab.sockets[0]?.bytesRead ?? 0) > 100);
  assert.equal(lab.places(), 1);
  lab.clock.advance(sipLimits.connectTimeoutMs);

  assert.equal(statusOf(await answered), 408);
});

sipTest("acceptWebSocket() counts connections that ask for nothing", async () => {
  await using lab = await startSipLab({ admission: { connectionsPerAddress: 1 } });
  const { port } = new URL(lab.companion.sipUrl);
  using silent = await Deno.connect({ port: Number(port) });
  using second = await Deno.connect({ port: Number(port) });

  const answer = await new Response(second.readable).text();

  assert.ok(silent.remoteAddr);
  assert.equal(statusOf(answer), 503);
  assert.match(answer, /\r\nRetry-After: 10\r\n/);
});

for (const protocol of ["TCP", "TLS", "WSS"] as const) {
  sipTest(`listenSip() counts connections of ${protocol} that ask for nothing`, async () => {
    await using files = await certificateFiles();
    await using lab = await startSipLab({
      admission: { connectionsPerAddress: 1 },
      transports: { ports: { [protocol]: 0 }, certificate: files.certificate },
    });
    const { port } = lab.companion.sipAddresses.get(protocol)!;
    using silent = await Deno.connect({ port });
    using second = await Deno.connect({ port });

    const end = (name: string, { readable }: Deno.Conn) =>
      new Response(readable).text().then((text) => [name, text]);
    const first = await Promise.race([end("silent", silent), end("second", second)]);

    assert.deepEqual(first, ["second", ""]);
  });
}

const upgraded = [
  "HTTP/1.1 101 Switching Protocols",
  "Upgrade: websocket",
  "Connection: Upgrade",
  "Sec-WebSocket-Protocol: sip",
];
const answers: Record<string, [answer: string[], why: RegExp]> = {
  "another status": [["HTTP/1.1 404 Not Found"], /404/],
  "no proof of the key": [upgraded, /Sec-WebSocket-Accept/],
  "no HTTP": [["SIP/2.0", "x"], /Cannot connect to 127\.0\.0\.1:\d+ by WS: ./],
  "its end": [[], /Cannot connect to 127\.0\.0\.1:\d+ by WS: ./],
};

for (const [what, [answer, why]] of Object.entries(answers)) {
  sipTest(`upgradeStream() rejects when the server answers with ${what}`, async () => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr as Deno.NetAddr;
    const target = { protocol: "WS", address: "127.0.0.1", port, name: "sip.test" } as const;
    const socket = await connectStream(target);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    const server = await listener.accept();

    const asked = upgradeStream(socket, target);
    const rejected = assert.rejects(asked, why);
    const request = new Uint8Array(1_000);
    const length = await server.read(request) ?? 0;
    if (answer.length > 0) {
      await server.write(new TextEncoder().encode([...answer, "", ""].join("\r\n")));
    }
    server.close();

    await rejected;
    await closed;
    listener.close();
    const head = new TextDecoder().decode(request.subarray(0, length));
    assert.match(head, /^GET \/ HTTP\/1\.1\r\n/);
    assert.match(head, new RegExp(`^Host: sip\\.test:${port}\r$`, "im"));
    assert.match(head, /^Sec-WebSocket-Protocol: sip\r$/im);
  });
}
