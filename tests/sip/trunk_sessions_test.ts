import assert from "node:assert/strict";
import { mediaEngine } from "../../sip/media/engine.ts";
import { rtpTransport } from "../../sip/media/plain_rtp.ts";
import { systemClock } from "../../sip/media/ticker.ts";
import { plainOffer } from "../support/plain_peer.ts";
import type { SipLab } from "../support/sip_lab.ts";
import { runSipp, sippTest } from "../support/sipp.ts";
import { holding, refreshed, refreshing } from "../support/sipp_trunk.ts";
import { freePorts } from "../support/system.ts";
import { startTrunkLab, trunkInvitation } from "../support/trunk_peer.ts";

const host = "127.0.0.1";

/** A companion with media of its own, and sessions so short that a test sees them end. */
const startLab = () =>
  startTrunkLab({
    sessionBounds: { expiresS: 3, minSeS: 1 },
    engine: mediaEngine({
      transports: [
        rtpTransport({
          bindAddress: host,
          host,
          ports: { first: 0, last: 0 },
          now: systemClock.now,
        }),
      ],
      log: () => {},
    }),
  });

/** Alice calls a number, by a carrier that sipp plays; `code` is how sipp ended. */
async function callCarrier(lab: SipLab, scenario: string) {
  const [port, audio] = freePorts(2) as [number, number];
  const child = trunkInvitation([
    { gatewaySid: null, proxy: `${host}:${port};transport=udp`, publicOnly: false },
  ]);
  lab.service.answer = () => [
    { type: "dial", legs: [child], media: "anchored", timeoutS: 10, timeLimitS: 60 },
  ];
  const alice = await lab.phone("alice");
  const code = runSipp(scenario, { host, port: 9 }, "-p", `${port}`, "-m", "1", "-timeout", "15");
  const caller = await alice.call(`sip:${child.to}@sip.test`, { sdp: plainOffer(audio) }).answered;
  return { caller, code, child: child.leg, audio };
}

sippTest("answerOffer() answers a carrier that holds and resumes, and the caller too", async () => {
  await using lab = await startLab();
  const { caller, code, audio } = await callCarrier(lab, holding);

  const directions: (string | undefined)[] = [];
  for (const direction of ["sendonly", "inactive", "sendrecv"]) {
    const sdp = plainOffer(audio, { lines: [`a=${direction}`], version: directions.length + 2 });
    const { body } = await caller.request("INVITE", { sdp });
    directions.push(/a=(sendrecv|sendonly|recvonly|inactive)/.exec(body)?.[1]);
  }
  await caller.bye();

  assert.deepEqual(directions, ["recvonly", "inactive", "sendrecv"]);
  assert.equal(await code, 0);
});

sippTest("createSessionTimer() ends both legs when a carrier does not refresh again", async () => {
  await using lab = await startLab();
  const { caller, code, child } = await callCarrier(lab, refreshing);

  const bye = await caller.ended;
  const { event } = await lab.service.event("ended", child);

  assert.equal(bye.method, "BYE");
  assert.deepEqual(event, { type: "ended", outcome: "completed" });
  assert.equal(await code, 0);
});

for (const method of ["INVITE", "UPDATE"] as const) {
  sippTest(`createSessionTimer() refreshes a carrier by ${method}, until it forgot`, async () => {
    await using lab = await startLab();
    const { caller, code } = await callCarrier(lab, refreshed(method));

    const bye = await caller.ended;

    assert.equal(bye.method, "BYE");
    assert.equal(await code, 0);
  });
}
