import assert from "node:assert/strict";
import type { Endpoint } from "../../../sip/base/flow.ts";
import { testDomain } from "../../support/sip/fake_service.ts";
import { invite, type SipLab, startSipLab } from "../../support/sip/sip_lab.ts";
import { runSipp, sippTest } from "../../support/sip/sipp.ts";
import {
  answering,
  answeringLate,
  calling,
  cancelling,
  registering,
  ringingOn,
} from "../../support/sip/sipp_scenarios.ts";
import { freePorts } from "../../support/process/system.ts";

const alice = { login: "alice", domain: testDomain };
const bob = { login: "bob", domain: testDomain };
/** The `uri` of a digest is the Request-URI, where sipp would say whom it sends to. */
const toRegistrar = ["-auth_uri", testDomain];
const toBob = ["-auth_uri", `bob@${testDomain}`];
const one = ["-m", "1"];

const startLab = () =>
  startSipLab({
    transports: { ports: { UDP: 0, TCP: 0 } },
    admission: { unauthenticatedRequestsPerS: 0 },
  });

/** sipp registered as alice and as bob, each at a port of its own; calls are put through. */
async function twoClients(
  lab: SipLab,
): Promise<{ address: Endpoint; from: string[]; at: string[] }> {
  lab.service.answer = ({ event }) =>
    event.type === "incoming"
      ? [{ type: "dial", legs: [invite("bob")], media: "proxied", timeoutS: 20, timeLimitS: 60 }]
      : [];
  const address = lab.companion.sipAddresses.get("UDP")!;
  const [from, at] = freePorts(2).map((port) => ["-p", String(port)]) as [string[], string[]];
  const codes = [
    await runSipp(registering(alice), address, ...one, ...from, ...toRegistrar),
    await runSipp(registering(bob), address, ...one, ...at, ...toRegistrar),
  ];
  assert.deepEqual(codes, [0, 0]);
  return { address, from, at };
}

for (
  const [how, protocol, options] of [
    ["UDP while one datagram in ten is lost", "UDP", ["-lost", "10"]],
    ["TCP", "TCP", ["-t", "t1"]],
  ] as const
) {
  sippTest(`sipp registers with digest over ${how}`, async () => {
    await using lab = await startLab();
    const address = lab.companion.sipAddresses.get(protocol)!;

    const many = ["-m", "20", "-r", "20", ...toRegistrar];
    const code = await runSipp(registering(alice), address, ...many, ...options);

    assert.equal(code, 0);
    assert.equal((await lab.service.told(({ came }) => came.includes("alice"))).whole, false);
  });
}

sippTest("sipp calls sipp through the companion, with digest and losses", async () => {
  await using lab = await startLab();
  const { address, from, at } = await twoClients(lab);
  const many = ["-m", "20", "-r", "20"];

  const codes = await Promise.all([
    // As a callee that lost both its responses, sipp knows no repeat of the INVITE.
    runSipp(answering(), address, ...many, ...at),
    runSipp(calling(alice, "bob"), address, ...many, ...from, ...toBob, "-lost", "10"),
  ]);

  assert.deepEqual(codes, [0, 0]);
});

for (
  const [what, callee, outcome] of [
    ["reaches a callee that rings", ringingOn(), "canceled"],
    ["crosses the answer of the callee", answeringLate(), "canceled"],
  ] as const
) {
  sippTest(`sipp gives up: its CANCEL ${what}`, async () => {
    await using lab = await startLab();
    const { address, from, at } = await twoClients(lab);

    const codes = await Promise.all([
      runSipp(callee, address, ...one, ...at),
      runSipp(cancelling(alice, "bob"), address, ...one, ...from, ...toBob),
    ]);

    assert.deepEqual(codes, [0, 0]);
    const { leg } = await lab.service.event("incoming");
    assert.equal((await lab.service.event("ended", leg)).event.outcome, outcome);
  });
}
