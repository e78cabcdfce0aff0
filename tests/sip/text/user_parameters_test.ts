import assert from "node:assert/strict";
import type { Script } from "../../../core/protocol/script.ts";
import { type SipLab, sipTest } from "../../support/sip/sip_lab.ts";
import { peerRequest, peerResponse } from "../../support/sip/sip_peer.ts";
import { valueOf, writeSip } from "../../support/sip/sip_text.ts";
import {
  openTrunk,
  peerSdp,
  startTrunkLab,
  trunkInvitation,
  type TrunkPeer,
  udpOf,
} from "../../support/sip/trunk_peer.ts";

const found = {
  accountSid: `AC${"2".repeat(32)}`,
  numberSid: `PN${"2".repeat(32)}`,
  dialled: "+14155550101",
  allowed: true,
};

/** A trunk whose calls and texts are let in. */
async function trusted(lab: SipLab): Promise<TrunkPeer> {
  lab.service.trunks.number = () => found;
  lab.service.answer = () => [{ type: "reject", status: 486 }];
  return await openTrunk(udpOf(lab), "127.0.0.2");
}

/** The report of a trunk's INVITE. */
async function reported(
  lab: SipLab,
  trunk: TrunkPeer,
  { target = "sip:+14155550101@sip.test", to = `<${target}>`, from, headers = [] as string[] }: {
    target?: string;
    to?: string;
    from: string;
    headers?: string[];
  },
) {
  const known = lab.service.reports.length;
  trunk.send(peerRequest("INVITE", "UDP", trunk.port, {
    target,
    to,
    sdp: peerSdp,
    from: `${from};tag=carrier`,
    headers,
    via: `SIP/2.0/UDP 127.0.0.2:${trunk.port};branch=z9hG4bK${crypto.randomUUID()};rport`,
  }));
  const { event } = await lab.service.reported((report) =>
    lab.service.reports.indexOf(report) >= known && report.event.type === "incomingNumber"
  );
  return event.type === "incomingNumber" ? event : assert.fail();
}

const startTrusting = () => startTrunkLab({ trustedSources: ["127.0.0.2/32"] });
const carrier = "carrier.test";

sipTest(
  "a trunk's call has numbers without parameters, which are reported beside them",
  async () => {
    await using lab = await startTrusting();
    await using trunk = await trusted(lab);
    const asked: string[][] = [];
    lab.service.trunks.number = ({ dialled }) => (asked.push(dialled), found);

    const event = await reported(lab, trunk, {
      target: "sip:+14155550101;npdi;rn=+14045550000@sip.test;user=phone",
      to: "<tel:+1-415-555-0101;isub=5>",
      from:
        `"Ann" <sip:+14045550100;cpc=payphone;verstat=TN-Validation-Passed@${carrier};user=phone>`,
      headers: [
        `P-Asserted-Identity: <tel:+14045550100;ext=7>`,
        `Diversion: <sip:+13035550100;npdi@${carrier}>;reason=unconditional`,
      ],
    });

    assert.deepEqual(asked, [["+14155550101", "+1-415-555-0101"]]);
    assert.deepEqual(event.from, { user: "+14045550100", host: carrier });
    assert.equal(event.forwardedFrom, "+13035550100");
    assert.equal(event.verstat, "TN-Validation-Passed");
    assert.deepEqual(event.userParameters, {
      "Request-URI": "npdi;rn=+14045550000",
      To: "isub=5",
      From: "cpc=payphone",
      "P-Asserted-Identity": "ext=7",
      Diversion: "npdi",
    });
  },
);

sipTest("verstat counts for the number that is shown, and tells nothing of who hides", async () => {
  await using lab = await startTrusting();
  await using trunk = await trusted(lab);
  const asserted =
    `P-Asserted-Identity: <sip:+14045550100;verstat=TN-Validation-Passed-A;oli=0@${carrier}>`;
  const anonymous = "<sip:anonymous;verstat=No-TN-Validation@anonymous.invalid>";
  const from = (user: string) => `<sip:${user}@${carrier}>`;

  const same = await reported(lab, trunk, { from: from("+14045550100"), headers: [asserted] });
  const another = await reported(lab, trunk, { from: from("+19995550100"), headers: [asserted] });
  const nobody = await reported(lab, trunk, { from: anonymous });
  const hidden = await reported(lab, trunk, {
    from: from("+14045550100;cpc=prison"),
    headers: [asserted, "Privacy: id"],
  });
  const history = await reported(lab, trunk, {
    from: from("+14045550100;verstat=%22"),
    headers: [`History-Info: <sip:+13035550100;cic=1@${carrier}?Reason=SIP%3Bcause%3D302>;index=1`],
  });

  assert.equal(same.verstat, "TN-Validation-Passed-A");
  assert.equal(another.verstat, undefined);
  assert.deepEqual(nobody.from, { user: "anonymous", host: "anonymous.invalid" });
  assert.equal(nobody.verstat, "No-TN-Validation");
  assert.equal(hidden.verstat, "TN-Validation-Passed-A");
  assert.doesNotMatch(JSON.stringify(hidden), /4045550100|prison|oli/);
  assert.deepEqual([history.verstat, history.forwardedFrom], [undefined, "+13035550100"]);
  assert.deepEqual(history.userParameters, { "History-Info": "cic=1" });
});

sipTest("verstat gets the level of attestation that a trunk names beside it", async () => {
  await using lab = await startTrusting();
  await using trunk = await trusted(lab);
  const from = (verstat: string) => `<sip:+14045550100;verstat=${verstat}@${carrier}>`;
  const encoded = (claims: string) =>
    new TextEncoder().encode(claims).toBase64({ alphabet: "base64url", omitPadding: true });
  const passport = (claims: string) =>
    `Identity: ${encoded('{"alg":"ES256"}')}.${encoded(claims)}.c2ln;info=<https://c.test/x.pem>`;
  const of = async (verstat: string, ...headers: string[]) =>
    (await reported(lab, trunk, { from: from(verstat), headers })).verstat;
  const passed = "TN-Validation-Passed";

  assert.equal(await of(passed), passed);
  assert.equal(await of(passed, "Attestation-Info: B"), `${passed}-B`);
  assert.equal(await of(passed, passport('{"attest":"A","iat":1}')), `${passed}-A`);
  assert.equal(await of("TN-Validation-Failed", "Attestation-Info: C"), "TN-Validation-Failed-C");
  assert.equal(await of(`${passed}-C`, "Attestation-Info: A"), `${passed}-C`);
  assert.equal(await of("No-TN-Validation", "Attestation-Info: A"), "No-TN-Validation");
  for (
    const wrong of [
      "Attestation-Info: Z",
      passport('{"attest":"Q"}'),
      "Identity: a.!.c",
      "Identity: ..x",
    ]
  ) {
    assert.equal(await of(passed, wrong), passed, wrong);
  }
});

sipTest("a trunk's text has numbers without parameters too", async () => {
  await using lab = await startTrusting();
  await using trunk = await trusted(lab);
  trunk.send(writeSip(
    "MESSAGE sip:+14155550101;npdi@sip.test SIP/2.0",
    [
      `Via: SIP/2.0/UDP 127.0.0.2:${trunk.port};branch=z9hG4bK${crypto.randomUUID()};rport`,
      `From: <sip:+14045550100;verstat=TN-Validation-Failed@${carrier}>;tag=carrier`,
      "To: <sip:+14155550101@sip.test>",
      `Call-ID: ${crypto.randomUUID()}`,
      "CSeq: 1 MESSAGE",
      "Max-Forwards: 70",
      "Content-Type: text/plain",
    ],
    "Hello",
    false,
  ));
  assert.equal((await trunk.next()).status, 202);

  const [message] = lab.service.trunks.messages;
  assert.deepEqual(message?.dialled, ["+14155550101"]);
  assert.equal(message?.from.user, "+14045550100");
  assert.equal(message?.verstat, "TN-Validation-Failed");
  assert.deepEqual(message?.userParameters, { "Request-URI": "npdi" });
});

sipTest(
  "a Client's own verstat is ignored, and the parameters that it dials are reported",
  async () => {
    await using lab = await startTrunkLab();
    const alice = await lab.phone("alice");
    lab.service.answer = () => [{ type: "reject", status: 486 }];

    await alice.call("sip:+14155550101;isub=5;verstat=TN-Validation-Passed@sip.test").final;

    const { event } = await lab.service.event("incoming");
    assert.equal(event.verstat, undefined);
    assert.deepEqual(event.userParameters?.["Request-URI"], "isub=5");
  },
);

sipTest("requests to a Contact have the parameters of its user part as they came", async () => {
  await using lab = await startTrunkLab();
  await using trunk = await openTrunk();
  const alice = await lab.phone("alice");
  const leg = trunkInvitation([trunk.route]);
  lab.service.answer = ({ event }): Script =>
    event.type === "incoming"
      ? [{ type: "dial", legs: [leg], media: "anchored", timeoutS: 30, timeLimitS: 60 }]
      : [];
  const calling = alice.call("sip:+442079460000@sip.test");
  const invite = await trunk.request("INVITE");
  const user = "+442079460000;tgrp=tg-1;trunk-context=+44;x=a%3Bb";
  const contact = `sip:${user}@127.0.0.1:${trunk.port}`;
  trunk.send(peerResponse(invite, 200, { headers: [`Contact: <${contact}>`], sdp: peerSdp }));

  const ack = await trunk.request("ACK");
  const dialog = await calling.answered;
  await dialog.bye();
  const bye = await trunk.request("BYE");
  trunk.respond(bye, 200);

  assert.equal(ack.start, `ACK ${contact} SIP/2.0`);
  assert.equal(bye.start, `BYE ${contact} SIP/2.0`);
  assert.equal(valueOf(bye, "to").includes("tag=callee"), true);
});
