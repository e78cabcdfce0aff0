import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { createServer } from "node:http";
import { iceSettings } from "../../../../core/machine/configuration/reach_variables.ts";
import { isPublicAddress } from "../../../../core/base/public_address.ts";
import { addressNotes } from "../../../../core/machine/configuration/address_notes.ts";
import { retiredWarnings } from "../../../../core/machine/configuration/retired_variables.ts";
import { configLines, readConfig } from "../../../../core/machine/configuration/config.ts";
import type { MachineAddresses } from "../../../../core/machine/configuration/machine_addresses.ts";
import { portRange } from "../../../../core/machine/configuration/media_variables.ts";
import { textOf } from "../../../../core/base/exchange.ts";
import {
  outboundFetch,
  outboundRequests,
} from "../../../../core/machine/adapters/outbound_fetch.ts";
import { ownRequests } from "../../../../core/machine/adapters/own_requests.ts";

const addresses: Record<string, boolean> = {
  "8.8.8.8": true,
  "100.63.255.255": true,
  "172.32.0.1": true,
  "2606:4700:4700::1111": true,
  "::ffff:8.8.8.8": true,
  "0.0.0.0": false,
  "10.1.2.3": false,
  "100.64.0.1": false,
  "127.0.0.1": false,
  "127.255.255.255": false,
  "169.254.169.254": false,
  "172.16.0.1": false,
  "172.31.255.255": false,
  "192.168.1.1": false,
  "198.19.0.1": false,
  "224.0.0.1": false,
  "255.255.255.255": false,
  "::": false,
  "::1": false,
  "::ffff:127.0.0.1": false,
  "64:ff9b::7f00:1": false,
  "64:ff9b::808:808": true,
  "64:ff9b:1::808:808": false,
  "64:ff9b:1:7f00:0:0:808:808": false,
  "2002:7f00:1::": false,
  "2001:db8::1": false,
  "fc00::1": false,
  "fe80::1": false,
  "fe80::1%eth0": false,
  "ff02::1": false,
  "not an address": false,
};

for (const [address, isPublic] of Object.entries(addresses)) {
  Deno.test(`isPublicAddress() of ${address} is ${isPublic}`, () => {
    assert.equal(isPublicAddress(address), isPublic);
  });
}

const none = { mayReach: isPublicAddress, ownOrigin: "" };

Deno.test("outboundFetch() refuses private addresses, by number, by name and in other spellings", async () => {
  const fetchOutside = outboundFetch(none);
  for (
    const host of ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"]
  ) {
    const request = new Request(`http://${host}:9/`, { method: "POST", body: "a=1" });
    await assert.rejects(fetchOutside(request), /is at a private address/, host);
  }
});

Deno.test("outboundFetch() follows redirects as the RFC says, and no further than three", async () => {
  const seen: string[] = [];
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      seen.push(`${request.method} ${pathname} ${await request.text()}`);
      const location: Record<string, [number, string]> = {
        "/see-other": [303, "/end"],
        "/temporary": [307, "/end"],
        "/loop": [302, "/loop"],
      };
      const [status, to] = location[pathname] ?? [200, ""];
      return new Response(status === 200 ? "done" : null, {
        status,
        headers: to ? { location: to } : {},
      });
    },
  );
  const origin = `http://127.0.0.1:${server.addr.port}`;
  const fetchOutside = outboundFetch({ ...none, ownOrigin: origin });
  const post = (path: string) =>
    fetchOutside(new Request(origin + path, { method: "POST", body: "a=1" }));

  const other = await post("/see-other");
  assert.equal(await other.text(), "done");
  assert.equal(other.url, `${origin}/end`);
  await (await post("/temporary")).body?.cancel();
  await assert.rejects(post("/loop"), /Cannot follow more than 3 redirects/);
  assert.deepEqual(seen.slice(0, 4), [
    "POST /see-other a=1",
    "GET /end ",
    "POST /temporary a=1",
    "POST /end a=1",
  ]);
});

Deno.test("outboundRequests() has each request that a redirect leads to signed, not the first", async () => {
  const seen: string[] = [];
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const { pathname, origin } = new URL(request.url);
    seen.push(`${pathname} ${request.headers.get("x-signature")}`);
    return pathname === "/end" ? new Response("done") : Response.redirect(`${origin}/end`);
  });
  const origin = `http://127.0.0.1:${server.addr.port}`;
  const send = outboundRequests({ ...none, ownOrigin: origin });
  const headers = { "x-signature": "for /begin" };
  const { signal } = new AbortController();
  const first = { url: new URL(`${origin}/begin`), method: "GET", headers, body: "", signal };
  const answer = await send(first, (redirected) => ({
    ...redirected,
    headers: { "x-signature": `for ${redirected.url.pathname}` },
  }));

  assert.deepEqual(await textOf(answer, 100), { text: "done", isWhole: true });
  assert.deepEqual(seen, ["/begin for /begin", "/end for /end"]);
});

Deno.test("outboundFetch() asks for codings that it reads, and reads a Location of UTF-8 as browsers do", async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers["accept-encoding"]}`);
    if (request.url !== "/") return void response.end("done");
    response.writeHead(302, { Location: Buffer.from("/café?ü=1").toString("latin1") });
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const fetched = await outboundFetch({ ownOrigin: "http://own.test", mayReach: () => true })(
    new Request(`http://127.0.0.1:${port}/`),
  );
  assert.equal(await fetched.text(), "done");
  assert.deepEqual(asked, ["/ gzip, br", "/caf%C3%A9?%C3%BC=1 gzip, br"]);
  server.closeAllConnections();
  server.close();
  await once(server, "close");
});

Deno.test("outboundFetch() does not follow a redirect into the network", async () => {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response(null, { status: 302, headers: { location: "http://10.0.0.1/" } }),
  );
  const origin = `http://127.0.0.1:${server.addr.port}`;
  const fetchOutside = outboundFetch({ ...none, ownOrigin: origin });
  await assert.rejects(fetchOutside(new Request(origin)), /is at a private address/);
});

Deno.test("outboundFetch() checks every redirect, also the last one that it follows", async () => {
  const seen: string[] = [];
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => {
      const { pathname } = new URL(request.url);
      seen.push(pathname);
      const location = { "/0": "/1", "/1": "/2", "/2": "http://192.168.1.1/" }[pathname]!;
      return new Response(null, { status: 302, headers: { location } });
    },
  );
  const origin = `http://127.0.0.1:${server.addr.port}`;
  const fetchOutside = outboundFetch({ ...none, ownOrigin: origin });
  await assert.rejects(fetchOutside(new Request(`${origin}/0`)), /192\.168\.1\.1 is at a private/);
  assert.deepEqual(seen, ["/0", "/1", "/2"]);
});

Deno.test("outboundFetch() gives a connection up that is not there in 5 s", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = listener.accept(); // It never says anything, so TLS does not come about.
  const fetchOutside = outboundFetch({ mayReach: () => true, ownOrigin: "" });
  const startedAt = performance.now();
  const silent = new Request(`https://127.0.0.1:${listener.addr.port}/`);
  await assert.rejects(fetchOutside(silent), /Cannot connect within 5 s/);
  assert.ok(performance.now() - startedAt >= 4_900);
  (await accepted).close();
});

Deno.test("readConfig() derives what is not set from what is", () => {
  const config = readConfig((name) => ({ HOST: "::1", PORT: "9000", BRIDGE_PORT: "9001" })[name]);
  assert.equal(config.BASE_URL, "http://[::1]:9000");
  assert.equal(config.SERVICE_URL, "http://[::1]:9000");
  assert.equal(config.BRIDGE_URL, "http://127.0.0.1:9001");
  assert.equal(config.SIP_HOST, "::1");
  assert.equal(config.RTP_HOST, "::1");
  assert.equal(config.ALLOW_PRIVATE_URLS, false);
});

Deno.test("readConfig() takes a range of RTP ports that has room for a leg, or 0", () => {
  const read = (text: string) => readConfig((name) => ({ RTP_PORTS: text })[name]).RTP_PORTS;
  assert.deepEqual(portRange(read("20000-20001")), { first: 20_000, last: 20_001 });
  assert.deepEqual(portRange(read("20001-20003")), { first: 20_001, last: 20_003 });
  assert.deepEqual(portRange(read("0")), { first: 0, last: 0 });
  for (const text of ["20000", "20001-20002", "20000-20000", "9-99", "60000-65536", "a-b", "-1"]) {
    assert.throws(() => read(text), /RTP_PORTS must be a range of ports/, text);
  }
});

Deno.test("readConfig() names every wrong variable in one line, secrets unseen", () => {
  const wrong: Record<string, string> = {
    PORT: "99999",
    ALLOW_PRIVATE_URLS: "yes",
    SECRET_KEY: "abc",
  };
  assert.throws(() => readConfig((name) => wrong[name]), (error: Error) => {
    assert.match(error.message, /^Cannot use the configuration: PORT .*; SECRET_KEY .*; ALLOW_PR/);
    assert.doesNotMatch(error.message, /abc|\n/);
    return true;
  });
});

Deno.test("readConfig() asks for the endpoint of NUMBERS_PROVIDER=http, and for an amount", () => {
  const given: Record<string, string> = { NUMBERS_PROVIDER: "http", NUMBER_MONTHLY_PRICE: "1.15" };
  assert.throws(() => readConfig((name) => given[name]), /: NUMBERS_URL is required by/);
  given.NUMBERS_URL = "https://numbers.test/";
  assert.equal(readConfig((name) => given[name]).NUMBER_MONTHLY_PRICE, 1.15);
  for (const price of ["-1", "1,5", "free", "1e3"]) {
    given.NUMBER_MONTHLY_PRICE = price;
    assert.throws(
      () => readConfig((name) => given[name]),
      /NUMBER_MONTHLY_PRICE must be an amount/,
    );
  }
});

Deno.test("readConfig() takes a code of ISO 4217 as the currency of prices", () => {
  const given: Record<string, string> = { CURRENCY: "EUR" };
  assert.equal(readConfig((name) => given[name]).CURRENCY, "EUR");
  for (const currency of ["eur", "€", "EURO"]) {
    given.CURRENCY = currency;
    assert.throws(() => readConfig((name) => given[name]), /CURRENCY must be a code of ISO 4217/);
  }
});

Deno.test("readConfig() takes short codes and names as SMS_SHORT_CODES, and refuses spaces around them", () => {
  const given: Record<string, string> = { SMS_SHORT_CODES: "12345,ACME,Acme Inc-1" };
  assert.equal(readConfig((name) => given[name]).SMS_SHORT_CODES, given.SMS_SHORT_CODES);
  for (const senders of ["ACME, 12345", "12", "ACME,", " ", "Twelve chars"]) {
    given.SMS_SHORT_CODES = senders;
    assert.throws(() => readConfig((name) => given[name]), /SMS_SHORT_CODES must be/, senders);
  }
});

Deno.test("readConfig() leaves SIP off but by WebSocket, and asks for the certificate of TLS", () => {
  const { SIP_WSS_PORT, SIP_UDP_PORT, SIP_TCP_PORT, SIP_TLS_PORT } = readConfig(() => undefined);
  assert.deepEqual([SIP_WSS_PORT, SIP_UDP_PORT, SIP_TCP_PORT, SIP_TLS_PORT], [0, 0, 0, 0]);
  const given: Record<string, string> = { SIP_TLS_PORT: "5061", SIP_TLS_CERT: "cert.pem" };
  assert.throws(
    () => readConfig((name) => given[name]),
    /SIP_TLS_CERT and SIP_TLS_KEY are required by SIP_TLS_PORT/,
  );
  given.SIP_TLS_KEY = "key.pem";
  assert.equal(readConfig((name) => given[name]).SIP_TLS_PORT, 5061);
});

Deno.test("readConfig() asks for the keys of the object storage, and knows where AWS answers", () => {
  const given: Record<string, string> = { S3_BUCKET: "calls", S3_REGION: "eu-west-1" };
  const read = () => readConfig((name) => given[name]);
  assert.throws(read, /S3_ACCESS_KEY and S3_SECRET_KEY are required by S3_BUCKET/);
  Object.assign(given, { S3_ACCESS_KEY: "key", S3_SECRET_KEY: "secret of it" });
  assert.equal(read().S3_ENDPOINT, "https://s3.eu-west-1.amazonaws.com");
  assert.doesNotMatch(configLines(read()).join(), /secret of it/);
  given.S3_SECURITY_LEVEL = "OPEN";
  assert.throws(read, /S3_SECURITY_LEVEL must be SECURE or NONE/);
});

Deno.test("readConfig() names SIP by the domain where it listens on every address", () => {
  const given: Record<string, string> = { SIP_HOST: "0.0.0.0", SIP_DOMAIN: "sip.example.com" };
  assert.equal(readConfig((name) => given[name]).SIP_PUBLIC_HOST, "sip.example.com");
  given.SIP_HOST = "192.0.2.1";
  assert.equal(readConfig((name) => given[name]).SIP_PUBLIC_HOST, "192.0.2.1");
});

Deno.test("readConfig() sends browsers to secure WebSocket where it is listened on", () => {
  const given: Record<string, string> = { SIP_HOST: "0.0.0.0", SIP_DOMAIN: "sip.example.com" };
  const read = () => readConfig((name) => given[name]).SIP_WS_URL;
  assert.equal(read(), "ws://sip.example.com:8088");
  Object.assign(given, { SIP_WSS_PORT: "8443", SIP_TLS_CERT: "c.pem", SIP_TLS_KEY: "k.pem" });
  assert.equal(read(), "wss://sip.example.com:8443");
  given.SIP_PUBLIC_HOST = "2001:db8::1";
  assert.equal(read(), "wss://[2001:db8::1]:8443");
  given.SIP_WS_URL = "https://sip.example.com";
  assert.throws(read, /SIP_WS_URL must be a ws or wss URL/);
});

Deno.test("readConfig() takes STUN and TURN servers, and asks for the secret of TURN", () => {
  const read = (given: Record<string, string>) => iceSettings(readConfig((name) => given[name]));
  assert.deepEqual(read({}).urls, []);
  const stun = ["stun:stun.example.com", "stuns:[2001:db8::1]:5349"];
  assert.deepEqual(read({ ICE_SERVERS: stun.join(",") }).urls, stun);
  const turn = "turn:turn.example.com:3478?transport=tcp,turns:turn.example.com";
  assert.throws(() => read({ ICE_SERVERS: turn }), /: TURN_SECRET is required by the TURN servers/);
  const settings = read({ ICE_SERVERS: turn, TURN_SECRET: "north of the river" });
  assert.deepEqual(settings, { urls: turn.split(","), turnSecret: "north of the river" });
  for (
    const text of [
      "turn.example.com",
      "http://turn.example.com",
      "stun:a?transport=tcp",
      "turn:a?transport=sctp",
      "stun:a,",
      "turn:user@a",
    ]
  ) {
    assert.throws(() => read({ ICE_SERVERS: text }), /ICE_SERVERS must be STUN and TURN/, text);
  }
});

Deno.test("configLines() masks secrets", () => {
  const config = readConfig((name) => name === "SECRET_KEY" ? "0123456789abcdef" : undefined);
  const lines = configLines(config).join("\n");
  assert.match(lines, /^SECRET_KEY=\*{8} /m);
  assert.doesNotMatch(lines, /0123456789abcdef/);
});

Deno.test("outboundFetch() carries method, headers, body and answer over the checked connection", async () => {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const told = `${request.method} ${request.headers.get("x-a")} ${await request.text()}`;
      return new Response(told, { status: 201, headers: { "x-b": "2" } });
    },
  );
  const { port } = server.addr;
  const reached: string[] = [];
  const fetchOutside = outboundFetch({
    mayReach: (address) => reached.push(address) > 0 && address === "127.0.0.1",
    ownOrigin: "",
  });
  const request = new Request(`http://127.0.0.1:${port}/`, {
    method: "POST",
    headers: { "x-a": "1" },
    body: "grüß",
  });
  const response = await fetchOutside(request);
  assert.equal(response.status, 201);
  assert.equal(response.headers.get("x-b"), "2");
  assert.equal(await response.text(), "POST 1 grüß");
  assert.deepEqual(reached, ["127.0.0.1"]);
});

Deno.test("outboundFetch() ends with the signal of its request", async () => {
  const asked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<Response>();
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
    asked.resolve();
    return release.promise;
  });
  const fetchOutside = outboundFetch({ mayReach: () => true, ownOrigin: "" });
  const aborting = new AbortController();
  const request = new Request(`http://localhost:${server.addr.port}/`, { signal: aborting.signal });
  const failed = assert.rejects(fetchOutside(request));
  await asked.promise;
  aborting.abort();
  await failed;
  release.resolve(new Response());
});

const machine = { v4: "10.0.0.2", v6: "fd00::2" };
const readAt = (given: Record<string, string>, at: MachineAddresses = machine) =>
  readConfig((name) => given[name], at);
const notesOf = (given: Record<string, string>, at: MachineAddresses = machine) =>
  addressNotes(readAt(given, at), (name) => name in given, at);

Deno.test("readConfig() advertises an address that others can connect to where it listens on all", () => {
  const everywhere = readAt({ HOST: "0.0.0.0", BRIDGE_HOST: "0.0.0.0" });
  assert.equal(everywhere.BASE_URL, "http://10.0.0.2:8080");
  assert.equal(everywhere.SERVICE_URL, "http://127.0.0.1:8080");
  assert.equal(everywhere.RTP_HOST, "10.0.0.2");
  assert.equal(everywhere.SIP_PUBLIC_HOST, "10.0.0.2");
  assert.equal(everywhere.SIP_WS_URL, "ws://10.0.0.2:8088");
  assert.equal(everywhere.SIP_PEER_URI, "sip:10.0.0.2:8088;transport=ws");
  assert.equal(everywhere.BRIDGE_URL, "http://10.0.0.2:8090");
  assert.equal(everywhere.COMPANION_ID, "10.0.0.2:8088");
  assert.equal(readAt({ HOST: "::" }).BASE_URL, "http://[fd00::2]:8080");
  assert.equal(readAt({ HOST: "::" }).RTP_HOST, "fd00::2");
  assert.equal(readAt({ HOST: "0.0.0.0" }, {}).BASE_URL, "http://127.0.0.1:8080");
});

Deno.test("readConfig() advertises PUBLIC_IP, where no variable of its own says otherwise", () => {
  const given: Record<string, string> = { HOST: "0.0.0.0", PUBLIC_IP: "203.0.113.10" };
  const config = readAt(given);
  assert.equal(config.BASE_URL, "http://203.0.113.10:8080");
  assert.equal(config.SERVICE_URL, "http://127.0.0.1:8080");
  assert.equal(config.RTP_HOST, "203.0.113.10");
  assert.equal(config.SIP_PUBLIC_HOST, "203.0.113.10");
  assert.equal(config.SIP_WS_URL, "ws://203.0.113.10:8088");
  assert.equal(readAt({ ...given, HOST: "10.0.0.2" }).BASE_URL, "http://203.0.113.10:8080");
  assert.equal(readAt({ ...given, HOST: "127.0.0.1" }).BASE_URL, "http://127.0.0.1:8080");
  const own = {
    BASE_URL: "https://api.example.com",
    RTP_HOST: "203.0.113.11",
    SIP_PUBLIC_HOST: "sip.example.com",
    SIP_WS_URL: "wss://sip.example.com",
  };
  const overridden = readAt({ ...given, ...own });
  for (const [name, value] of Object.entries(own)) {
    assert.equal(overridden[name as keyof typeof own], value);
  }
  assert.equal(readAt({ ...given, PUBLIC_IP: "pbx.example.com" }).RTP_HOST, "pbx.example.com");
  assert.throws(() => readAt({ PUBLIC_IP: "no address" }), /PUBLIC_IP must be a host name or/);
});

Deno.test("ownRequests() keeps requests to PUBLIC_IP within the machine, and no others", () => {
  const given: Record<string, string> = { HOST: "0.0.0.0", PUBLIC_IP: "203.0.113.10" };
  assert.deepEqual(ownRequests(readAt(given)), {
    ownOrigin: "http://203.0.113.10:8080",
    ownWithin: "http://127.0.0.1:8080",
  });
  const proxied = ownRequests(readAt({ ...given, BASE_URL: "https://api.example.com" }));
  assert.deepEqual(proxied, { ownOrigin: "https://api.example.com" });
});

Deno.test("outboundFetch() reaches its own origin by the address within the machine", async () => {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (asked) => {
      const { pathname, search } = new URL(asked.url);
      return new Response(`${asked.method} ${pathname}${search} ${await asked.text()}`);
    },
  );
  const fetchOutside = outboundFetch({
    ...none,
    ownOrigin: "http://203.0.113.10:8080",
    ownWithin: `http://127.0.0.1:${server.addr.port}`,
  });
  const request = new Request("http://203.0.113.10:8080/demo/echo?a=1", {
    method: "POST",
    body: "b=2",
  });
  const response = await fetchOutside(request);
  assert.equal(await response.text(), "POST /demo/echo?a=1 b=2");
  assert.equal(response.url, "http://203.0.113.10:8080/demo/echo?a=1");
});

Deno.test("retiredWarnings() names variables that earlier versions read, where they are set", () => {
  const given: Record<string, string> = { RTPENGINE: "127.0.0.1:2223", RTP_HOST: "192.0.2.1" };
  const [warning, ...others] = retiredWarnings((name) => name in given);
  assert.match(warning!, /^RTPENGINE is set, but this version does not read it: .*Remove it/);
  assert.deepEqual(others, []);
  assert.equal(readConfig((name) => given[name]).RTP_HOST, "192.0.2.1");
  assert.deepEqual(retiredWarnings(() => false), []);
});

Deno.test("addressNotes() says which variables to set where an address had to be guessed", () => {
  const texts = (given: Record<string, string>, at?: MachineAddresses) =>
    notesOf(given, at).map(({ of, text }) => `${of}: ${text}`);
  assert.deepEqual(texts({}), []);
  assert.deepEqual(texts({ HOST: "10.0.0.2" }), []);
  const everywhere = texts({ HOST: "0.0.0.0", BRIDGE_HOST: "0.0.0.0" });
  assert.equal(everywhere.length, 3);
  assert.match(
    everywhere[0]!,
    /^api: HOST=0.0.0.0 .* BASE_URL=http:\/\/10.0.0.2:8080\..* set BASE_U/,
  );
  assert.match(
    everywhere[1]!,
    /^sip: SIP_HOST=.* RTP_HOST=10.0.0.2, SIP_PU.* set PUBLIC_IP, or ea/,
  );
  assert.match(everywhere[2]!, /^sip: BRIDGE_HOST=.* BRIDGE_URL=http:\/\/10.0.0.2:8090\./);
  assert.deepEqual(texts({ HOST: "0.0.0.0", PUBLIC_IP: "203.0.113.10" }), []);
  const based = texts({ HOST: "0.0.0.0", BASE_URL: "https://api.example.com" });
  assert.deepEqual(based.map((text) => text.slice(0, 3)), ["sip"]);
});

Deno.test("addressNotes() says that browsers make no calls where there is the loopback alone", () => {
  const [alone, ...others] = notesOf({}, {});
  assert.match(alone!.text, /no network address but the loopback's.* Firefox/);
  assert.deepEqual(others, []);
  assert.deepEqual(notesOf({}, { v6: "fd00::2" }), []);
});

Deno.test("addressNotes() says what keeps PUBLIC_IP from being reached", () => {
  const [unheard] = notesOf({ PUBLIC_IP: "203.0.113.10" });
  assert.match(unheard!.text, /SIP_HOST=127.0.0.1 listens on this machine only. Set HOST or SIP/);
  const [mixed] = notesOf({ HOST: "::", PUBLIC_IP: "203.0.113.10" });
  assert.match(mixed!.text, /RTP_HOST=203.0.113.10 .* SIP_HOST=:: .* Set SIP_HOST to 0.0.0.0/);
});

const numbers: [name: string, text: string, wrong: string][] = [
  ["MAX_CONNECTIONS", "12", "must be a number, 16 or more"],
  ["MAX_CONNECTIONS", "many", "must be a number"],
  ["MAX_CONNECTIONS", "17.5", "must be a number, without a fraction"],
  ["PORT", "70000", "must be a port number, 65535 or less"],
  ["LOG_REQUESTS", "2", "must be a number, 1 or less"],
];

for (const [name, text, wrong] of numbers) {
  Deno.test(`readConfig() says why ${name}=${text} is wrong`, () => {
    const read = () => readConfig((asked) => asked === name ? text : undefined);
    assert.throws(read, {
      message: `Cannot use the configuration: ${name} ${wrong} (it is "${text}")`,
    });
  });
}
