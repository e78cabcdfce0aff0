import assert from "node:assert/strict";
import { mediaEngine } from "../../../sip/media/engine/engine.ts";
import { rtpTransport } from "../../../sip/media/transports/plain_rtp.ts";
import { systemClock } from "../../../sip/media/base/ticker.ts";
import { plainOffer } from "../../support/sip/plain_peer.ts";
import { sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { valueOf } from "../../support/sip/sip_text.ts";

const startLab = () =>
  startSipLab({
    engine: mediaEngine({
      transports: [rtpTransport({
        bindAddress: "127.0.0.1",
        host: "127.0.0.1",
        ports: { first: 0, last: 0 },
        now: systemClock.now,
      })],
      log: () => {},
    }),
  });

const offer = (...changes: [string | RegExp, string][]): string =>
  changes.reduce((sdp, [from, to]) => sdp.replace(from, to), plainOffer(40_000));

for (
  const [what, sdp, code, text] of [
    ["the transport", offer(["RTP/AVP", "TCP/RTP/AVP"]), 302, 'its transport is "TCP/RTP/AVP"'],
    ["the codec", offer([" 0 101", " 18"]), 305, "it has none of PCMU, PCMA and Opus"],
    ["the address family", offer(["c=IN IP4 127.0.0.1", "c=IN IP6 ::1"]), 301, "IPv6"],
    ["the media type", offer(["m=audio", "m=video"]), 304, "it has no audio"],
  ] as const
) {
  sipTest(`a 488 and its report say that ${what} cannot be taken`, async () => {
    await using lab = await startLab();
    const phone = await lab.phone("alice");
    lab.service.answer = () => [{ type: "answer" }];

    const final = await phone.call("anything", { sdp }).final;
    const { event } = await lab.service.event("ended");

    assert.equal(final.status, 488);
    const warning = valueOf(final, "warning");
    assert.match(warning, new RegExp(`^${code} sip\\.test "Cannot take the SDP: `));
    const said = warning.slice(warning.indexOf('"') + 1, -1).replaceAll("\\", "");
    assert.ok(said.includes(text), said);
    assert.deepEqual([event.reason, event.detail], ["no-codec", said]);
  });
}

sipTest("a 488 of a callee reaches the caller with a Warning", async () => {
  await using lab = await startSipLab();
  const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
  lab.service.answer = ({ event }) =>
    event.type === "incoming" ? [{ type: "reject", status: 488 }] : [];

  const final = await alice.call("bob").final;
  await bob.close();

  assert.equal(final.status, 488);
  assert.match(valueOf(final, "warning"), /^399 sip\.test "The other side of the call /);
});

sipTest("a later offer that cannot be taken is refused with a Warning", async () => {
  await using lab = await startLab();
  const phone = await lab.phone("alice");
  lab.service.answer = () => [{ type: "answer" }, { type: "silence", seconds: 60 }];
  const dialog = await phone.call("anything", { sdp: plainOffer(40_000) }).answered;

  const refused = await dialog.request("INVITE", { sdp: offer([" 0 101", " 18"]) });

  assert.equal(refused.status, 488);
  assert.match(valueOf(refused, "warning"), /^305 sip\.test /);
});

sipTest("a call to another domain is refused with 404 and a Warning that names ours", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice");
  lab.service.answer = () => [{ type: "reject", status: 404 }];

  const there = await phone.call("sip:bob@elsewhere.test").final;
  const here = await phone.call("sip:nobody@sip.test").final;

  assert.match(
    valueOf(there, "warning"),
    /^399 sip\.test "Cannot call an address at elsewhere\.test/,
  );
  assert.equal(valueOf(here, "warning"), "");
});
