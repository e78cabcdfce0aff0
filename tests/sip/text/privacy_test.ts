import assert from "node:assert/strict";
import type { Invitation, Script } from "../../../core/protocol/script.ts";
import { call, domain, registered, request } from "../../support/sip/phone_text.ts";
import { openReceiveLab } from "../../support/service/receive_lab.ts";
import { invite, type SipLab, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { peerRequest } from "../../support/sip/sip_peer.ts";
import { readSip, type SipText, valueOf, valuesOf, writeSip } from "../../support/sip/sip_text.ts";
import {
  openTrunk,
  peerSdp,
  startTrunkLab,
  trunkInvitation,
  type TrunkPeer,
  udpOf,
} from "../../support/sip/trunk_peer.ts";

const accountSid = `AC${"2".repeat(32)}`;
const numberSid = `PN${"2".repeat(32)}`;
const dialled = "+14155550101";
const asserted = 'P-Asserted-Identity: "Ann" <sip:+14155550177@carrier.test>';

const dial = (leg: Invitation, media: "anchored" | "proxied" = "anchored"): Script => [
  { type: "dial", legs: [leg], media, timeoutS: 30, timeLimitS: 60 },
];

/** A trunk whose calls for the number are let in. */
async function trusted(lab: SipLab): Promise<TrunkPeer> {
  lab.service.trunks.number = () => ({ accountSid, numberSid, dialled, allowed: true });
  return await openTrunk(udpOf(lab), "127.0.0.2");
}

const startTrusting = () => startTrunkLab({ trustedSources: ["127.0.0.2/32"] });

/** A call of a trunk for the number. */
function callNumber(trunk: TrunkPeer, from: string, headers: string[]): void {
  const target = `sip:${dialled}@sip.test`;
  trunk.send(peerRequest("INVITE", "UDP", trunk.port, {
    target,
    sdp: peerSdp,
    from: `${from};tag=carrier`,
    headers,
    via: `SIP/2.0/UDP 127.0.0.2:${trunk.port};branch=z9hG4bK${crypto.randomUUID()};rport`,
  }));
}

/** Everything of a message that could tell who calls. */
const naming = (message: SipText): string =>
  message.headers.map(([name, value]) => `${name}: ${value}`).join("\n");

sipTest("admitNumber() keeps who calls from the service and from whom it has us call", async () => {
  await using lab = await startTrusting();
  await using trunk = await trusted(lab);
  const bob = await lab.phone("bob");
  lab.service.answer = () => dial({ ...invite("bob"), from: "+14155550177" });

  callNumber(trunk, '"Ann" <sip:+14155550177@carrier.test>', [asserted, "Privacy: id"]);
  const { event } = await lab.service.event("incomingNumber");
  const ringing = await bob.nextCall();
  ringing.decline(486);

  assert.deepEqual(event.from, { user: "anonymous", host: "anonymous.invalid" });
  assert.equal(event.displayName, undefined);
  assert.match(valueOf(ringing.invite, "from"), /^<sip:anonymous@anonymous\.invalid>;tag=/);
  assert.equal(valueOf(ringing.invite, "privacy"), "id");
  assert.doesNotMatch(naming(ringing.invite), /14155550177|Ann|asserted/i);
});

sipTest("admitNumber() uses the asserted identity of a trunk where From is anonymous", async () => {
  await using lab = await startTrusting();
  await using trunk = await trusted(lab);
  lab.service.answer = () => [{ type: "reject", status: 486 }];
  const told = async (from: string, headers: string[]) => {
    const known = lab.service.reports.length;
    callNumber(trunk, from, headers);
    const { event } = await lab.service.reported((report) =>
      lab.service.reports.indexOf(report) >= known && report.event.type === "incomingNumber"
    );
    return event.type === "incomingNumber" ? [event.from.user, event.displayName] : [];
  };
  const nobody = "<sip:anonymous@anonymous.invalid>";

  const believed = await told(nobody, [asserted]);
  const open = await told(nobody, [asserted, "Privacy: none"]);
  const second = await told(nobody, [
    "P-Asserted-Identity: <sip:anonymous@anonymous.invalid>, <tel:+14155550178>",
  ]);
  const shown = await told("<sip:+14155550100@carrier.test>", [asserted]);

  assert.deepEqual(believed, ["+14155550177", "Ann"]);
  assert.deepEqual(open, ["+14155550177", "Ann"]);
  assert.deepEqual(second, ["+14155550178", undefined]);
  assert.deepEqual(shown, ["+14155550100", undefined]);
});

sipTest("admitNumber() takes names that their trunk did not quote", async () => {
  await using lab = await startTrusting();
  await using trunk = await trusted(lab);
  lab.service.answer = () => [{ type: "reject", status: 486 }];
  const told = async (from: string, headers: string[] = []) => {
    const known = lab.service.reports.length;
    callNumber(trunk, from, headers);
    const { event } = await lab.service.reported((report) =>
      lab.service.reports.indexOf(report) >= known && report.event.type === "incomingNumber"
    );
    if (event.type !== "incomingNumber") return [];
    return [event.from.user, event.displayName, event.forwardedFrom];
  };
  const names = [
    "O'Neil (Sales) GmbH",
    "Büro Köln",
    "Bell, Alexander",
    'Joe "The Boss" Smith',
    "=SUM(1)",
  ];
  const nobody = "<sip:anonymous@anonymous.invalid>";

  for (const name of names) {
    const number = `${name} <sip:+14155550177@carrier.test>`;
    const forwarder = `Diversion: ${name} <sip:+15557777@carrier.test>;reason=no-answer`;
    const entry =
      `History-Info: ${name} <sip:+15557777@carrier.test?Reason=SIP%3Bcause%3D302>;index=1`;
    const asserted = `P-Asserted-Identity: ${number}, <tel:+14155550177>`;

    assert.deepEqual(await told(number, [forwarder]), ["+14155550177", name, "+15557777"]);
    assert.deepEqual(await told(nobody, [asserted, entry]), ["+14155550177", name, "+15557777"]);
  }
});

/** A text of a trunk for the number; the status that it is answered with. */
async function textNumber(trunk: TrunkPeer, from: string, headers: string[]): Promise<number> {
  trunk.send(writeSip(
    `MESSAGE sip:${dialled}@sip.test SIP/2.0`,
    [
      `Via: SIP/2.0/UDP 127.0.0.2:${trunk.port};branch=z9hG4bK${crypto.randomUUID()};rport`,
      `From: ${from};tag=carrier`,
      `To: <sip:${dialled}@sip.test>`,
      `Call-ID: ${crypto.randomUUID()}`,
      "CSeq: 1 MESSAGE",
      "Max-Forwards: 70",
      "Content-Type: text/plain",
      ...headers,
    ],
    "Hello",
    false,
  ));
  return (await trunk.next()).status ?? 0;
}

sipTest("onMessage() keeps who texts a number from the service, as of a call", async () => {
  await using lab = await startTrusting();
  await using trunk = await trusted(lab);
  const ann = '"Ann" <sip:+14155550177@carrier.test>';
  const nobody = "<sip:anonymous@anonymous.invalid>";

  const statuses = [
    await textNumber(trunk, ann, [asserted, "Privacy: id"]),
    await textNumber(trunk, ann, ["Privacy: user;critical"]),
    await textNumber(trunk, nobody, [asserted]),
    await textNumber(trunk, ann, [asserted, "Privacy: none"]),
    await textNumber(trunk, ann, ["Privacy: quantum;critical"]),
  ];

  assert.deepEqual(statuses, [202, 202, 202, 202, 500]);
  const { messages } = lab.service.trunks;
  assert.deepEqual(messages.map(({ from }) => from), [
    { user: "anonymous", host: "anonymous.invalid" },
    { user: "anonymous", host: "anonymous.invalid" },
    { user: "+14155550177", host: "carrier.test" },
    { user: "+14155550177", host: "carrier.test" },
  ]);
  assert.doesNotMatch(JSON.stringify(messages.slice(0, 2)), /14155550177|Ann/);
});

sipTest("admitNumber() hides a diverting party that asks for privacy", async () => {
  await using lab = await startTrusting();
  await using trunk = await trusted(lab);
  lab.service.answer = () => [{ type: "reject", status: 486 }];
  const told = async (...headers: string[]) => {
    const known = lab.service.reports.length;
    callNumber(trunk, "<sip:+14155550100@carrier.test>", headers);
    const { event } = await lab.service.reported((report) =>
      lab.service.reports.indexOf(report) >= known && report.event.type === "incomingNumber"
    );
    assert.doesNotMatch(JSON.stringify(event), /Secret/);
    return event.type === "incomingNumber" ? event.forwardedFrom : "";
  };
  const diversion = 'Diversion: "Secret" <sip:+15557777@carrier.test>;reason=no-answer';
  const sentOn = "<sip:+15557777@carrier.test?Reason=SIP%3Bcause%3D302";

  const shown = [
    await told(diversion),
    await told(`${diversion};privacy=off`),
    await told(`${diversion};privacy=name`),
    await told(`${diversion};privacy="off"`, "Privacy: id"),
    await told(`History-Info: ${sentOn}>;index=1`),
    await told(`History-Info: ${sentOn}&Privacy=none>;index=1`),
  ];
  const kept = [
    await told(`${diversion};privacy=full`, "Diversion: <sip:+15558888@carrier.test>"),
    await told(`${diversion};privacy="uri"`),
    await told(`${diversion};privacy=quantum`),
    await told(diversion, "Privacy: history"),
    await told(diversion, "Privacy: header"),
    await told("Diversion: <sip:anonymous@anonymous.invalid>"),
    await told(`History-Info: ${sentOn}>;index=1`, "Privacy: history"),
    await told(`History-Info: ${sentOn}&Privacy=history>;index=1`),
  ];

  assert.deepEqual(shown, shown.map(() => "+15557777"));
  assert.deepEqual(kept, kept.map(() => undefined));
});

sipTest(
  "ringTrunk() tells a trunk who calls that wants to be nobody, and no one else",
  async () => {
    await using lab = await startTrunkLab();
    await using trunk = await openTrunk();
    const alice = await lab.phone("alice");
    const calls = async (to: string, headers: string[]) => {
      const leg = trunkInvitation([trunk.route], { dialled: to });
      lab.service.answer = ({ event }) => event.type === "incoming" ? dial(leg) : [];
      const calling = alice.call("sip:+15559@sip.test", { headers });
      const came = await trunk.request("INVITE");
      trunk.respond(came, 486);
      await trunk.request("ACK");
      await calling.final;
      return came;
    };
    const own = "P-Asserted-Identity: <sip:president@sip.test>";

    const hidden = await calls("+442079460000", ["Privacy: id", own]);
    const address = await calls("sip:desk@far.test", ["Privacy: user;header"]);
    const open = await calls("+442079460000", [own]);

    assert.match(valueOf(hidden, "from"), /^<sip:anonymous@anonymous\.invalid>;tag=/);
    assert.equal(valueOf(hidden, "privacy"), "id");
    assert.deepEqual(valuesOf(hidden, "p-asserted-identity"), ["<sip:+15550001@sip.test>"]);
    assert.match(valueOf(address, "from"), /anonymous/);
    assert.doesNotMatch(naming(address), /15550001|alice|asserted/);
    assert.match(valueOf(open, "from"), /^<sip:\+15550001@sip\.test>/);
    assert.deepEqual([valueOf(open, "privacy"), valueOf(open, "p-asserted-identity")], ["", ""]);
  },
);

sipTest("ring() passes no asserted identity on, in either direction", async () => {
  await using lab = await startTrunkLab();
  await using trunk = await openTrunk();
  const alice = await lab.phone("alice");
  const leg = trunkInvitation([trunk.route]);
  lab.service.answer = ({ event }) => event.type === "incoming" ? dial(leg) : [];

  const calling = alice.call("sip:+15559@sip.test", { headers: ["Proxy-Require: privacy"] });
  const came = await trunk.request("INVITE");
  const headers = [
    `Contact: <sip:carrier@127.0.0.1:${trunk.port}>`,
    "P-Asserted-Identity: <sip:secret@carrier.test>",
  ];
  trunk.respond(came, 180, { headers });
  const ringing = await calling.ringing;
  trunk.respond(came, 486, { headers });
  const final = await calling.final;

  assert.equal(final.status, 486);
  assert.doesNotMatch(naming(ringing) + naming(final), /secret/);
});

sipTest("ringAll() passes no SDP of a caller that asks for session privacy", async () => {
  await using lab = await startSipLab();
  const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
  lab.service.answer = ({ event }) =>
    event.type === "incoming" ? dial(invite("bob"), "proxied") : [];

  const open = alice.call("bob");
  const passed = await bob.nextCall();
  passed.decline(486);
  await open.final;
  const hidden = alice.call("bob", { headers: ["Privacy: session;critical"] });
  const kept = await bob.nextCall();
  kept.decline(486);
  await hidden.final;

  assert.match(passed.invite.body, /s=-/);
  assert.equal(kept.invite.body, lab.media.legs[0]?.localSdp);
  assert.notEqual(kept.invite.body, passed.invite.body);
});

for (const media of ["anchored", "proxied"] as const) {
  sipTest(`onRefer() names no transferor that asks for privacy, ${media}`, async () => {
    await using lab = await startSipLab();
    const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
    const carol = await lab.phone("carol");
    lab.service.answer = ({ event }) => {
      if (event.type === "refer") return dial(invite("carol"));
      return event.type === "incoming" ? dial(invite("bob"), media) : [];
    };
    const calling = alice.call("bob", { headers: ["Privacy: id"] });
    const callee = await (await bob.nextCall()).answer();
    const caller = await calling.answered;
    if (media === "anchored") await lab.media.legs.at(-1)?.joined;

    const asked = caller.request("REFER", { headers: ["Refer-To: <sip:carol@sip.test>"] });
    const told = media === "proxied"
      ? await callee.next("REFER")
      : (await Promise.all([carol.nextCall(), asked]))[0].invite;
    await asked;

    assert.equal(valueOf(told, "referred-by"), "<sip:anonymous@anonymous.invalid>");
    assert.doesNotMatch(naming(told), /alice/);
  });
}

Deno.test("receive() refuses a text that must hide whom it is from", async () => {
  using lab = openReceiveLab(domain);
  const alice = await registered(lab);
  const final = async (privacy: string) => {
    const headers = [`Privacy: ${privacy}`];
    alice.receive(request("MESSAGE", `sip:bob@${domain}`, { headers, body: "Hello" }));
    await lab.time.settle();
    return readSip(alice.sent.at(-1) ?? "").start;
  };

  assert.match(await final("id;critical"), / 500 Cannot Provide That Privacy$/);
  assert.doesNotMatch(await final("id"), / 500 /);
  assert.doesNotMatch(await final("none;critical"), / 500 /);
});

Deno.test("receive() refuses a call that must have a privacy that we do not know", async () => {
  using lab = openReceiveLab(domain);
  const alice = await registered(lab);
  const final = async (privacy: string) => {
    alice.receive(call(lab, { headers: [`Privacy: ${privacy}`] }));
    await lab.time.settle();
    return readSip(alice.sent.at(-1) ?? "").status;
  };

  assert.equal(await final("quantum;critical"), 500);
  assert.equal(await final("quantum"), 487);
  assert.equal(await final("id;critical"), 487);
});

Deno.test("authenticateCaller() admits an anonymous From of a Client that asks for privacy", async () => {
  using lab = openReceiveLab(domain);
  const alice = await registered(lab);
  const final = async (from: string, headers: string[] = []) => {
    alice.receive(call(lab, { from: `${from};tag=1`, headers }));
    await lab.time.settle();
    return readSip(alice.sent.at(-1) ?? "").status;
  };
  const nobody = "<sip:anonymous@anonymous.invalid>";

  assert.equal(await final(nobody, ["Privacy: id"]), 487);
  assert.equal(await final(nobody), 403);
  assert.equal(await final(`<sip:bob@${domain}>`, ["Privacy: id"]), 403);
  const logins = lab.reports.map(({ event }) => event.type === "incoming" && event.login);
  assert.deepEqual(logins.slice(0, 1), ["alice"]);
});
