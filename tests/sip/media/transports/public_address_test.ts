import assert from "node:assert/strict";
import { publicAddress } from "../../../../sip/media/transports/public_address.ts";
import { rtpTransport } from "../../../../sip/media/transports/plain_rtp.ts";
import { ofKind } from "../../../../sip/media/sdp/parse_sdp.ts";
import { openTransports } from "../../../../sip/media/transports/transports.ts";
import { candidatesOf } from "../../../../sip/media/webrtc/host_candidates.ts";
import { eventually } from "../../../support/process/eventually.ts";

const log = () => {};

Deno.test("publicAddress() takes an IP address as it is, and looks nothing up", async () => {
  const resolve = () => Promise.reject(new Error("looked up"));
  const told = await publicAddress({ host: "203.0.113.10", family: 4, log, resolve });
  assert.equal(told.address, "203.0.113.10");
  told.close();
});

Deno.test("publicAddress() looks a name up again, and keeps its address while it cannot", async () => {
  const answers = ["203.0.113.10", undefined, "203.0.113.11"];
  const lines: string[] = [];
  const resolve = (name: string, family: number) => {
    assert.deepEqual([name, family], ["pbx.test", 4]);
    const address = answers.length > 1 ? answers.shift() : answers[0];
    return address === undefined ? Promise.reject(new Error("away")) : Promise.resolve(address);
  };
  const told = await publicAddress({
    host: "pbx.test",
    family: 4,
    log: (line) => lines.push(`${line}, at ${told.address}`),
    resolve,
    everyMs: 5,
  });
  try {
    assert.equal(told.address, "203.0.113.10");
    await eventually("the new address", () => told.address === "203.0.113.11");
  } finally {
    told.close();
  }
  assert.deepEqual(lines, [
    "Cannot resolve the public address, at 203.0.113.10",
    "The public address changed, at 203.0.113.10",
  ]);
});

Deno.test("publicAddress() rejects a name without an address, and says which", async () => {
  const resolve = () => Promise.reject(new Error("ENOTFOUND"));
  await assert.rejects(
    publicAddress({ host: "pbx.test", family: 4, log, resolve }),
    /^Error: Cannot find the address of pbx.test, which PUBLIC_IP or RTP_HOST names: ENOTFOUND$/,
  );
});

Deno.test("candidatesOf() offers the public address of a 1:1 NAT beside the machine's own", () => {
  assert.deepEqual(
    candidatesOf({ bindAddress: "10.0.0.2", port: 5000, publicAddress: "203.0.113.10" }),
    [
      "2 1 UDP 1694498815 203.0.113.10 5000 typ srflx raddr 10.0.0.2 rport 5000",
      "1 1 UDP 2130706431 10.0.0.2 5000 typ host",
    ],
  );
  const own = candidatesOf({
    bindAddress: "203.0.113.10",
    port: 5000,
    publicAddress: "203.0.113.10",
  });
  assert.deepEqual(own, ["1 1 UDP 2130706431 203.0.113.10 5000 typ host"]);
});

Deno.test("openTransports() has browsers and phones told the public address", async () => {
  const bindAddress = "127.0.0.1";
  const ports = { first: 0, last: 0 };
  const [rtp, webrtc] = await openTransports({
    rtp: { bindAddress, host: "203.0.113.10", ports },
    webrtc: { bindAddress, publicHost: "203.0.113.10" },
  }, log);
  const [phone, browser] = [await rtp!.open(), await webrtc!.open()];
  assert.equal(ofKind("rtp", phone.local).audio.address, "203.0.113.10");
  const { candidates } = ofKind("webrtc", browser.local).audio;
  assert.match(candidates[0]!, / 203\.0\.113\.10 \d+ typ srflx raddr 127\.0\.0\.1 /);
  assert.match(candidates[1]!, / 127\.0\.0\.1 \d+ typ host$/);
  await Promise.all([phone.close(), browser.close()]);
  await Promise.all([rtp!.close?.(), webrtc!.close?.()]);
});

Deno.test("rtpTransport() tells each new leg the address of its host at that moment", async () => {
  const hosts = ["203.0.113.10", "203.0.113.11"];
  const options = {
    bindAddress: "127.0.0.1",
    ports: { first: 0, last: 0 },
    now: () => 0,
    host: hosts[0]!,
  };
  const rtp = rtpTransport(options);
  const told: string[] = [];
  for (const host of hosts) {
    options.host = host;
    const peer = await rtp.open();
    told.push(ofKind("rtp", peer.local).audio.address);
    await peer.close();
  }
  assert.deepEqual(told, hosts);
  await rtp.close?.();
});
