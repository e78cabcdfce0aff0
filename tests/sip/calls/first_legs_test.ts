import assert from "node:assert/strict";
import { learnedTenant } from "../../../core/base/learned_tenants.ts";
import { eventually } from "../../support/process/eventually.ts";
import { newLeg, type SipLab, sipTest } from "../../support/sip/sip_lab.ts";
import { peerRequest } from "../../support/sip/sip_peer.ts";
import { plainOffer } from "../../support/sip/plain_peer.ts";
import { valueOf } from "../../support/sip/sip_text.ts";
import {
  callScript,
  openTrunk,
  startTrunkLab,
  trunkInvitation,
  type TrunkPeer,
  udpOf,
} from "../../support/sip/trunk_peer.ts";

/*
 * First legs of sub-accounts. The service of these tests names no tenant at heartbeats. Of 8 pairs of
 * ports a tenant alone has 6; accounts that count by themselves would take two each, whatever is left.
 */
const portPairs = 8;
const share = 6;
const subAccounts = 6;

/** Sub-accounts that no other test has named. */
function accountsBelow(tenant: string): string[] {
  return Array.from({ length: subAccounts }, (_, n) => `${tenant}-sub-${n}`);
}

const numberSid = `PN${"2".repeat(32)}`;
const dialled = "+14155550101";

/** The final status of a call that a carrier brings. */
async function bring(peer: TrunkPeer): Promise<number | undefined> {
  const callId = crypto.randomUUID();
  const inviting = { target: `sip:${dialled}@sip.test`, sdp: plainOffer(4_000), callId };
  peer.send(peerRequest("INVITE", "UDP", peer.port, inviting));
  for (;;) {
    const message = await peer.next();
    const { status = 0 } = message;
    if (valueOf(message, "call-id") === callId && status >= 200) return status;
  }
}

const counts = <T>(all: readonly T[], one: T): number => all.filter((each) => each === one).length;

const startLab = (): Promise<SipLab> => startTrunkLab({ portPairs, trustedSources: ["127.0.0.2"] });

sipTest("calls placed at once for sub-accounts take the ports of their tenant", async () => {
  await using lab = await startLab();
  await using trunk = await openTrunk();
  const tenant = "AC-places";
  const legs = accountsBelow(tenant).flatMap((accountSid) =>
    [newLeg(), newLeg()].map((leg) => ({ accountSid, leg }))
  );

  await Promise.all(legs.map(({ accountSid, leg }) => {
    const invitation = { ...trunkInvitation([trunk.route], { leg }), accountSid, tenant };
    return lab.run(leg, callScript(invitation));
  }));
  const placed = () => lab.media.legs.filter(({ kind }) => kind === "rtp").length;
  const ended = () => lab.service.reports.filter(({ event }) => event.type === "ended").length;
  await eventually("each has ports or has ended", () => placed() + ended() === legs.length);

  assert.equal(placed(), share);
  assert.equal(ended(), 2 * subAccounts - share);
});

sipTest("calls of Clients of sub-accounts take the ports of their tenant", async () => {
  await using lab = await startLab();
  lab.service.answer = () => [{ type: "answer" }, { type: "silence", seconds: 60 }];
  const statuses: (number | undefined)[] = [];
  for (const accountSid of accountsBelow("AC-calls")) {
    const made = lab.service.addClient(accountSid, `${accountSid}-secret`);
    lab.service.credentials.set(accountSid, { ...made, accountSid, tenant: "AC-calls" });
    const phone = await lab.phone(accountSid);
    for (let n = 0; n < 2; n++) {
      const call = phone.call("sip:+15559@sip.test", { sdp: plainOffer(4_000) });
      call.answered.catch(() => {}); // Its final response tells.
      statuses.push((await call.final).status);
    }
  }

  assert.equal(counts(statuses, 200), share);
  assert.equal(counts(statuses, 503), 2 * subAccounts - share);
});

sipTest("calls of trunks for numbers of sub-accounts take the ports of their tenant", async () => {
  await using lab = await startLab();
  await using carrier = await openTrunk(udpOf(lab), "127.0.0.2");
  lab.service.answer = () => [{ type: "answer" }, { type: "silence", seconds: 60 }];
  const statuses: (number | undefined)[] = [];
  for (const accountSid of accountsBelow("AC-takes")) {
    const tenant = "AC-takes";
    lab.service.trunks.number = () => ({ accountSid, tenant, numberSid, dialled, allowed: true });
    for (let n = 0; n < 2; n++) statuses.push(await bring(carrier));
  }

  assert.equal(counts(statuses, 200), share);
  assert.equal(counts(statuses, 503), 2 * subAccounts - share);
});

sipTest("a call to a number of a sub-account counts for the tenant of the number", async () => {
  await using lab = await startLab();
  const alice = await lab.phone("alice");
  const accountSid = "AC-dialled-sub";
  const target = { kind: "number", accountSid, tenant: "AC-dialled", numberSid, dialled, hops: 1 };
  lab.service.answer = ({ event }) =>
    event.type !== "incoming" ? [{ type: "reject", status: 486 }] : [{
      type: "dial",
      legs: [{ ...trunkInvitation([]), target: { ...target, kind: "number" } }],
      media: "anchored",
      timeoutS: 30,
      timeLimitS: 60,
    }];

  assert.equal((await alice.call(`sip:${dialled}@sip.test`).final).status, 486);

  assert.equal(learnedTenant(accountSid), "AC-dialled");
});

sipTest("a Gateway of a sub-account is registered with the look-ups of its tenant", async () => {
  await using lab = await startLab();
  await using trunk = await openTrunk();
  const accountSid = "AC-registers-sub";
  lab.service.trunks.gateways = [{
    gatewaySid: `GW${"2".repeat(32)}`,
    accountSid,
    tenant: "AC-registers",
    version: "1",
    userName: "me",
    password: "secret",
    proxy: trunk.route.proxy,
    publicOnly: false,
    ttlS: 600,
  }];

  await lab.service.order(lab.companion.bridgeUrl, "/gateways", {});
  await trunk.request("REGISTER");

  assert.equal(learnedTenant(accountSid), "AC-registers");
});
