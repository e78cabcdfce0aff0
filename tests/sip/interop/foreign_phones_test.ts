import assert from "node:assert/strict";
import {
  type ForeignPhone,
  type ForeignPhoneKind,
  type ForeignPhoneOptions,
  foreignPhones,
  foreignPhoneTest,
  startForeignPhone,
} from "../../support/sip/foreign_phone.ts";
import { echoNumber, startEchoLab } from "../../support/sip/echo_lab.ts";
import { testDomain } from "../../support/sip/fake_service.ts";
import { invite, inviteScript, type SipLab } from "../../support/sip/sip_lab.ts";

const completed = { type: "ended", outcome: "completed" };
const hz = 1_000;

type Manner = Pick<ForeignPhoneOptions, "transport" | "isSecured" | "offersLate">;

const addressOf = ({ companion }: SipLab, { transport = "udp" }: Manner): string => {
  const { host, port } = companion.sipAddresses.get(transport.toUpperCase() as "UDP")!;
  return `${host}:${port}`;
};

/** A phone as alice, registered. */
async function aliceAt(
  lab: SipLab,
  kind: ForeignPhoneKind,
  manner: Manner,
): Promise<ForeignPhone> {
  const registrar = addressOf(lab, manner);
  const phone = await startForeignPhone(kind, {
    login: "alice",
    registrar,
    saysHz: hz,
    ...manner,
  });
  await lab.service.told(({ came }) => came.includes("alice"));
  return phone;
}

async function isCalled(kind: ForeignPhoneKind, manner: Manner = {}): Promise<void> {
  await using lab = await startEchoLab();
  await using phone = await aliceAt(lab, kind, manner);

  const invitation = invite("alice");
  await lab.run(invitation.leg, inviteScript(invitation));
  await phone.untilHears(hz);
  await phone.stop();
  const { event } = await lab.service.event("ended", invitation.leg);
  assert.deepEqual(event, completed);
}

async function calls(kind: ForeignPhoneKind, manner: Manner = {}): Promise<void> {
  await using lab = await startEchoLab();
  await using phone = await aliceAt(lab, kind, manner);

  await phone.call(`sip:bob@${addressOf(lab, manner)}`);
  const { event: called, leg } = await lab.service.event("incoming");
  assert.match(called.uri, new RegExp(`^sip:bob@${testDomain}(?:;transport=|$)`));
  await phone.untilHears(hz);
  assert.deepEqual(lab.offered, manner.offersLate ? ["rtp"] : []);
  await phone.stop();
  const { event } = await lab.service.event("ended", leg);
  assert.deepEqual(event, completed);
}

/** As a trunk does, from an address that is trusted. */
async function callsNumber(kind: ForeignPhoneKind, manner: Manner): Promise<void> {
  await using lab = await startEchoLab({ isTrunk: true });
  await using phone = await aliceAt(lab, kind, manner);

  await phone.call(`sip:${echoNumber}@${addressOf(lab, manner)}`);
  const { leg } = await lab.service.event("incomingNumber");
  await phone.untilHears(hz);
  assert.deepEqual(lab.offered, manner.offersLate ? ["rtp"] : []);
  await phone.stop();
  const { event } = await lab.service.event("ended", leg);
  assert.deepEqual(event, completed);
}

for (const kind of foreignPhones) {
  const { name } = kind;
  await foreignPhoneTest(
    kind,
    `${name} registers, is called, and hears its tone`,
    () => isCalled(kind),
  );
  await foreignPhoneTest(kind, `${name} registers, calls, and hears its tone`, () => calls(kind));
}

const [pjsua2, sipgo, linphonec] = foreignPhones as [
  ForeignPhoneKind,
  ForeignPhoneKind,
  ForeignPhoneKind,
];

for (const kind of [pjsua2, linphonec]) {
  await foreignPhoneTest(
    kind,
    `${kind.name} with SRTP over TLS registers, is called, and hears its tone`,
    () => isCalled(kind, { transport: "tls", isSecured: true }),
  );
}

await foreignPhoneTest(
  sipgo,
  "sipgo registers over TCP, is called, and hears its tone",
  () => isCalled(sipgo, { transport: "tcp" }),
);

for (const transport of ["tcp", "tls"] as const) {
  const manner: Manner = { transport, offersLate: true };
  await foreignPhoneTest(
    pjsua2,
    `PJSUA2 calls over ${transport} without an offer, and hears its tone`,
    () => calls(pjsua2, manner),
  );
  await foreignPhoneTest(
    pjsua2,
    `PJSUA2 as a trunk calls over ${transport} without an offer, and hears its tone`,
    () => callsNumber(pjsua2, manner),
  );
}
