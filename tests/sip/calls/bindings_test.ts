import assert from "node:assert/strict";
import { bindingsAnswer } from "../../../core/protocol/registrations.ts";
import {
  invite,
  inviteScript,
  type SipLab,
  sipTest,
  startSipLab,
} from "../../support/sip/sip_lab.ts";
import { newBranch } from "../../support/sip/softphone_line.ts";
import type { Softphone } from "../../support/sip/softphone.ts";
import { valueOf, valuesOf } from "../../support/sip/sip_text.ts";

const instance = "00000000-0000-4000-8000-000000000001";

/** The Contact of one of several flows of a device (RFC 5626). */
const flowContact = ({ contact }: Softphone, regId: number) =>
  `<${contact}>;reg-id=${regId};+sip.instance="<urn:uuid:${instance}>"`;

/** A device of alice that is registered over two connections, the second one later. */
async function twoFlows(lab: SipLab) {
  const first = await lab.phone("alice", { register: false });
  const second = await lab.phone("alice", { register: false });
  await first.register({ contact: flowContact(first, 1) });
  await second.register({ contact: flowContact(second, 2) });
  return { first, second };
}

async function bindingsOf(lab: SipLab, login: string) {
  const { bridgeUrl } = lab.companion;
  const response = await lab.service.order(bridgeUrl, "/bindings", { login });
  return bindingsAnswer.parse(await response.json()).bindings;
}

async function callAlice(lab: SipLab): Promise<string> {
  const invitation = invite("alice");
  const response = await lab.run(invitation.leg, inviteScript(invitation));
  await response.body?.cancel();
  return invitation.leg;
}

sipTest("ring() rings the latest flow of a device alone", async () => {
  await using lab = await startSipLab();
  const { first, second } = await twoFlows(lab);
  first.onCall = () => assert.fail("two flows of one device rang");

  const leg = await callAlice(lab);
  (await second.nextCall()).decline(486);
  const { event } = await lab.service.event("ended", leg);

  // Another flow is not tried after a refusal by the device itself.
  assert.equal(event.sipStatus, 486);
});

sipTest("ring() rings the next flow of a device when one has failed", async () => {
  await using lab = await startSipLab();
  const { first, second } = await twoFlows(lab);

  await callAlice(lab);
  (await second.nextCall()).decline(430);
  const call = await first.nextCall();
  await call.answer();
  const { leg } = await lab.service.event("answered");

  assert.equal(leg, invitedLast(lab));
});

sipTest("ring() rings the next flow of a device when its connection is lost", async () => {
  await using lab = await startSipLab();
  const { first, second } = await twoFlows(lab);

  const leg = await callAlice(lab);
  (await second.nextCall()).ring();
  await lab.service.event("ringing", leg);
  await second.close();
  (await first.nextCall()).decline(603);
  const { event } = await lab.service.event("ended", leg);

  assert.deepEqual([event.outcome, event.sipStatus], ["busy", 603]);
});

const invitedLast = (lab: SipLab) =>
  lab.service.reports.filter(({ event }) => event.type === "inviting").at(-1)?.leg;

sipTest("register() moves a binding to the connection of the same device", async () => {
  await using lab = await startSipLab();
  const before = await lab.phone("alice", { instance });
  const after = await lab.phone("alice", { instance });
  before.onCall = () => assert.fail("the old connection rang");

  const leg = await callAlice(lab);
  (await after.nextCall()).decline(486);
  await lab.service.event("ended", leg);

  assert.equal((await bindingsOf(lab, "alice")).length, 1);
});

sipTest("register() lists and changes nothing without a Contact", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice");
  const asking = await lab.phone("alice", { register: false });

  const listed = await asking.register({ contact: "" });

  assert.equal(listed.status, 200);
  assert.deepEqual(valuesOf(listed, "contact"), [`<${phone.contact}>;expires=600`]);
});

sipTest("register() refuses what comes late, also a wildcard, and changes nothing", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice");
  const late = { cseq: "2 REGISTER" };

  const renewed = await phone.register({ expires: 900, replace: late });
  const cleared = await phone.register({ expires: 0, contact: "*", replace: late });
  const listed = await phone.register({ contact: "" });
  const other = { ...late, "call-id": "another" };
  const removed = await phone.register({ expires: 0, contact: "*", replace: other });

  assert.deepEqual([renewed.status, cleared.status], [500, 500]);
  assert.match(valueOf(listed, "contact"), /;expires=600$/);
  assert.equal(removed.status, 200);
  assert.deepEqual(await bindingsOf(lab, "alice"), []);
});

sipTest("register() takes the same Contact with its parameters in another order", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice", { register: false });

  await phone.register({ contact: "<sip:a@phone.invalid;ob;transport=ws>" });
  const again = await phone.register({ contact: "<sip:a@phone.invalid;transport=ws;ob>" });

  assert.equal(valuesOf(again, "contact").length, 1);
});

sipTest("register() keeps Path, returns it and calls back along it", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice", { register: false });
  const proxies = ["<sip:near.edge.test;lr>", "<sip:far.edge.test;lr;ob>"];

  const response = await phone.register({
    headers: [`Path: ${proxies.join(", ")}`, "Supported: path", "Require: path"],
  });
  await callAlice(lab);
  const call = await phone.nextCall();

  assert.equal(valueOf(response, "path"), proxies.join(", "));
  assert.deepEqual(valuesOf(call.invite, "route"), proxies);
  assert.deepEqual((await bindingsOf(lab, "alice"))[0]?.path, proxies);
});

sipTest("register() uses Path without telling a phone that does not know it", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice", { register: false });

  const response = await phone.register({ headers: ["Path: <sip:edge.test;lr>"] });
  await callAlice(lab);

  assert.deepEqual(valuesOf(response, "path"), []);
  assert.equal(valueOf((await phone.nextCall()).invite, "route"), "<sip:edge.test;lr>");
});

for (const path of ["<http://edge.test>", "<sip:edge.test", Array(11).fill("<sip:e>").join(",")]) {
  sipTest(`register() refuses the Path ${path.slice(0, 20)}`, async () => {
    await using lab = await startSipLab();
    const phone = await lab.phone("alice", { register: false });

    const response = await phone.register({ headers: [`Path: ${path}`] });

    assert.equal(response.status, 400);
    assert.deepEqual(await bindingsOf(lab, "alice"), []);
  });
}

sipTest("register() refuses outbound through a first hop that keeps no flow", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice", { instance, register: false });
  const behind = () => ({
    via: `SIP/2.0/WS edge.test;branch=${newBranch()}, SIP/2.0/UDP phone.invalid;branch=z9hG4bK1`,
  });
  const supported = "Supported: path, outbound";

  const lacking = await phone.register({
    headers: [supported, "Path: <sip:edge.test;lr>"],
    replace: behind(),
  });
  const keeping = await phone.register({
    headers: [supported, "Path: <sip:edge.test;lr;ob>"],
    replace: behind(),
  });

  assert.deepEqual([lacking.status, keeping.status], [439, 200]);
});

sipTest("listenControl() tells what is registered, and for how long", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice", { instance, register: false });
  await phone.register({ headers: ["User-Agent: Test/1.0"] });
  const [first] = await bindingsOf(lab, "alice");
  await phone.register({ expires: 1200, headers: ["User-Agent: Test/1.1"] });

  const [binding, ...others] = await bindingsOf(lab, "alice");

  assert.deepEqual(others, []);
  const { registeredAt, expiresAt, remoteAddress, ...known } = binding!;
  assert.deepEqual(known, {
    contact: phone.contact,
    transport: "WS",
    userAgent: "Test/1.1",
    instanceId: `urn:uuid:${instance}`,
    regId: "1",
    path: [],
  });
  assert.match(remoteAddress, /^127\.0\.0\.1:\d+$/);
  // The dates of two answers follow from the awake clock each time, so they round apart.
  assert.ok(Math.abs(registeredAt - first!.registeredAt) <= 2);
  const leftS = (expiresAt - Date.now()) / 1000;
  assert.ok(leftS > 1190 && leftS <= 1200, `${leftS} s`);
});

async function changed(lab: SipLab, logins: string[]): Promise<void> {
  const response = await lab.service.order(lab.companion.bridgeUrl, "/invalidate", { logins });
  await response.body?.cancel();
}

sipTest("invalidate() removes what was registered with another password", async () => {
  await using lab = await startSipLab();
  await lab.phone("alice");
  await lab.phone("bob");
  lab.service.addClient("alice", "a new one");

  await changed(lab, ["alice", "bob"]);

  assert.deepEqual(await bindingsOf(lab, "alice"), []);
  assert.equal((await bindingsOf(lab, "bob")).length, 1);
});

sipTest("invalidate() removes what a Client registered whose login is another's now", async () => {
  await using lab = await startSipLab();
  await lab.phone("alice");
  lab.service.credentials.get("alice")!.clientSid = `CL${"1".repeat(32)}`;

  await changed(lab, ["alice"]);

  assert.deepEqual(await bindingsOf(lab, "alice"), []);
});

sipTest("invalidate() keeps bindings while the service is out of reach", async () => {
  await using lab = await startSipLab();
  await lab.phone("alice");
  lab.service.outage = 503;

  await changed(lab, ["alice"]);

  assert.equal((await bindingsOf(lab, "alice")).length, 1);
});
