import assert from "node:assert/strict";
import { openUdpPeer, peerRequest } from "../support/sip_peer.ts";
import { sipTest, startSipLab } from "../support/sip_lab.ts";
import { valueOf, writeSip } from "../support/sip_text.ts";

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

sipTest("copies of one unauthenticated INVITE draw its refusal three times at most", async () => {
  await using lab = await startSipLab(onUdp);
  const to = lab.companion.sipAddresses.get("UDP")!;
  const peer = await openUdpPeer(to);
  const copy = peerRequest("INVITE", "UDP", peer.port, { callId: "a" });
  const last = peerRequest("INVITE", "UDP", peer.port, { callId: "last" });

  peer.send(copy);
  const answers = [await peer.next()];
  for (let sent = 1; sent < 10; sent++) peer.send(copy);
  peer.send(last);
  do answers.push(await peer.next()); while (valueOf(answers.at(-1)!, "call-id") !== "last");
  await peer.close();

  assert.equal(answers.filter((answer) => valueOf(answer, "call-id") === "a").length, 3);
});
