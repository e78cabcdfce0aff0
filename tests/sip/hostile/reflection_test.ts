import assert from "node:assert/strict";
import { openUdpPeer, peerRequest } from "../../support/sip/sip_peer.ts";
import { sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { valueOf, writeSip } from "../../support/sip/sip_text.ts";

const onUdp = { transports: { ports: { UDP: 0 }, publicHost: "127.0.0.1" } };
/** Timer G would repeat a refusal after 0.5, 1.5 and 3.5 s. */
const watchMs = 4_000;

sipTest(
  "respond() refuses each unauthenticated INVITE once, in at most three times its bytes",
  async () => {
    await using lab = await startSipLab(onUdp);
    const peer = await openUdpPeer(lab.companion.sipAddresses.get("UDP")!);
    const refused = [
      peerRequest("INVITE", "UDP", peer.port, { callId: "a", headers: ["Require: x-none"] }),
      peerRequest("INVITE", "UDP", peer.port, { callId: "b" }),
      peerRequest("INVITE", "UDP", peer.port, { callId: "c", target: "mailto:a@b.test" }),
    ];

    for (const text of refused) peer.send(text);
    await new Promise((resolve) => setTimeout(resolve, watchMs));
    const answers = [...peer.heard];
    await peer.close();

    const bytesIn = refused.join("").length;
    const bytesOut = answers.map(({ start, headers }) =>
      writeSip(start, headers.map(([name, value]) => `${name}: ${value}`)).length
    ).reduce((sum, length) => sum + length, 0);
    assert.equal(answers.length, refused.length);
    assert.ok(bytesOut <= 3 * bytesIn, `${bytesOut} bytes for ${bytesIn}`);
  },
);

sipTest("each copy of an unauthenticated INVITE is refused anew, with the same tag", async () => {
  await using lab = await startSipLab(onUdp);
  const peer = await openUdpPeer(lab.companion.sipAddresses.get("UDP")!);
  const copy = peerRequest("INVITE", "UDP", peer.port, { callId: "a" });

  const answers = [];
  for (let sent = 0; sent < 10; sent++) {
    peer.send(copy);
    answers.push(await peer.next());
  }
  await peer.close();

  const tags = answers.map((answer) => /;tag=(.+)$/.exec(valueOf(answer, "to"))?.[1]);
  assert.equal(new Set(tags).size, 1);
  assert.match(tags[0] ?? "", /^[0-9a-f]{32}$/);
});

sipTest("refusals take at most three times the bytes of requests that are shorter", async () => {
  await using lab = await startSipLab(onUdp);
  const peer = await openUdpPeer(lab.companion.sipAddresses.get("UDP")!);
  const short = (number: number) =>
    [
      "REGISTER sip:sip.test SIP/2.0",
      `v:SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bK${number}`,
      "f:<sip:a@sip.test>;tag=1",
      "t:<sip:a@sip.test>",
      `i:${number}`,
      "CSeq:1 REGISTER",
      "\r\n",
    ].join("\r\n");
  const requests = Array.from({ length: 50 }, (_, number) => short(10 + number));
  for (const request of requests) peer.send(request);
  const first = await peer.next();
  const lines = [first.start, ...first.headers.map(([name, value]) => `${name}: ${value}`), ""];
  const { length } = lines.map((line) => `${line}\r\n`).join("");
  assert.match(first.start, /^SIP\/2\.0 401 /);
  assert.ok(length > 3 * requests[0]!.length, `${length} bytes for ${requests[0]!.length}`);

  const affordable = Math.floor(3 * requests.join("").length / length);
  assert.ok(affordable < requests.length);
  for (let heard = 1; heard < affordable; heard++) await peer.next();
  peer.send(peerRequest("OPTIONS", "UDP", peer.port, { callId: "last" }));
  assert.equal(valueOf(await peer.next(), "call-id"), "last");
  await peer.close();
});
