import assert from "node:assert/strict";
import { URI } from "sip.js/lib/core/index.js";
import type { Flow, Protocol } from "../../../sip/base/flow.ts";
import { sipLimits } from "../../../sip/base/limits.ts";
import { atDomain, ownAddresses } from "../../../sip/text/own_address.ts";
import { testDomain } from "../../support/sip/fake_service.ts";
import { sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { uriIn, valueOf } from "../../support/sip/sip_text.ts";
import { openSoftphone } from "../../support/sip/softphone.ts";

/** Where the companion's WebSocket is listened for: `127.0.0.1:PORT`. */
const hostOf = (sipUrl: string): string => new URL(sipUrl).host;

sipTest(
  "register() takes the address of the server as its domain, and calls to it too",
  async () => {
    await using lab = await startSipLab();
    const bob = await lab.phone("bob");
    const address = hostOf(lab.companion.sipUrl);
    const alice = await openSoftphone({
      url: lab.companion.sipUrl,
      login: "alice",
      password: "alice-secret",
      domain: address,
    });

    const registered = await alice.register();
    const called = alice.call("bob");
    const { event } = await lab.service.event("incoming");
    await called.final;
    await alice.close();
    await bob.close();

    assert.equal(registered.status, 200);
    assert.equal(event.uri, `sip:bob@${testDomain}`);
  },
);

sipTest("register() refuses another domain with 404 and says which one to set", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice", { register: false });

  const refused = await phone.request("REGISTER", {
    replace: { to: "<sip:alice@elsewhere.test>" },
  });

  assert.equal(refused.start, `SIP/2.0 404 Domain Is Not ${testDomain}`);
  const text = `Cannot register an address at elsewhere.test: set the domain of the phone to ` +
    `${testDomain} (SIP_DOMAIN)`;
  assert.equal(valueOf(refused, "warning"), `399 ${testDomain} "${text}"`);
});

sipTest(
  "register() refuses the address of another Client with 403 and says what to set",
  async () => {
    await using lab = await startSipLab();
    const phone = await lab.phone("alice", { register: false });

    const refused = await phone.register({ replace: { to: `<sip:bob@${testDomain}>` } });

    assert.equal(refused.start, "SIP/2.0 403 Address Is Not The Login");
    assert.match(valueOf(refused, "warning"), /^399 sip\.test "Cannot register bob .+ of alice: /);
  },
);

sipTest("a WebSocket phone gets a Contact at the host and port that it connected to", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice", { register: false });

  const options = await phone.request("OPTIONS");

  const address = hostOf(lab.companion.sipUrl);
  assert.equal(uriIn(valueOf(options, "contact")), `sip:switchboard@${address};transport=ws`);
});

const listening = (host: string) =>
  new Map<Protocol, { host: string; port: number }>([
    ["UDP", { host, port: 5060 }],
    ["WS", { host, port: 8088 }],
  ]);
const flowAs = (sentBy: string) => ({ local: { sentBy, contact: "" } }) as unknown as Flow;

for (
  const [name, uri, isOwn] of [
    ["the domain", ["sip.test"], true],
    ["the domain in other letters, with any port", ["SIP.TEST", 7_000], true],
    ["an address of the machine", ["192.0.2.7"], true],
    ["an address of the machine with a port of ours", ["192.0.2.7", 8088], true],
    ["an address of the machine with another port", ["192.0.2.7", 5070], false],
    ["an IPv6 address of the machine, written otherwise", ["[2001:DB8:0::7]", 5060], true],
    ["the name that the peer knows us by", ["phones.example", 5060], true],
    ["an address elsewhere", ["192.0.2.8"], false],
    ["a name elsewhere", ["example.com"], false],
  ] as const
) {
  Deno.test(`ownAddresses() ${isOwn ? "takes" : "does not take"} ${name} for the domain`, () => {
    const own = ownAddresses({
      domain: testDomain,
      addresses: listening("0.0.0.0"),
      machineAddresses: () => ["192.0.2.7", "2001:db8::7"],
    });

    const [host, port] = uri;

    assert.equal(own(new URI("sip", "bob", host, port), flowAs("phones.example:5060")), isOwn);
  });
}

Deno.test("ownAddresses() follows the machine to another address", () => {
  let [time, address] = [0, "192.0.2.7"];
  const own = ownAddresses({
    domain: testDomain,
    addresses: listening("0.0.0.0"),
    machineAddresses: () => [address],
    now: () => time,
  });
  const isOwn = (host: string) => own(new URI("sip", "bob", host), flowAs("sip.test"));
  assert.ok(isOwn("192.0.2.7"));

  address = "192.0.2.9";
  time += sipLimits.ownAddressesMs + 1;

  assert.deepEqual([isOwn("192.0.2.7"), isOwn("192.0.2.9")], [false, true]);
});

Deno.test("atDomain() leaves what is not ours as it is written", () => {
  const isOwn = (uri: URI) => uri.host === "127.0.0.1";
  const read = (text: string) => atDomain({ domain: testDomain, isOwn }, text, flowAs("x"));

  assert.equal(read("sip:bob@127.0.0.1:5060;user=phone"), "sip:bob@sip.test;user=phone");
  for (const text of ["sip:bob@Example.com:5070", "tel:+15550001", "no address"]) {
    assert.equal(read(text), text);
  }
});
