import assert from "node:assert/strict";
import type { Step } from "../../../../core/protocol/script.ts";
import { sipTest, startSipLab } from "../../../support/sip/sip_lab.ts";
import type { PhoneDialog } from "../../../support/sip/softphone_dialog.ts";
import { type SipText, valueOf } from "../../../support/sip/sip_text.ts";
import {
  callScript,
  inDialog,
  openTrunk,
  startTrunkLab,
  trunkInvitation,
  type TrunkPeer,
} from "../../../support/sip/trunk_peer.ts";

const accountSid = `AC${"0".repeat(32)}`;
const action = { url: "https://app.test/referred", method: "POST", hops: 3 } as const;
const referTo = (to: string, more: Partial<Step & { type: "refer" }> = {}): Step => ({
  type: "refer",
  to,
  leaves: false,
  ...more,
});

/** Alice's call, which a script refers as soon as it is answered. */
async function startCall(step: Step) {
  const lab = await startSipLab();
  const alice = await lab.phone("alice");
  lab.service.answer = ({ event }) =>
    event.type === "incoming" ? [{ type: "answer" }, step, { type: "hangup" }] : [];
  const dialog = await alice.call("anything").answered;
  const refer = dialog.next("REFER");
  return { lab, dialog, refer, [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose]() };
}

const notify = (dialog: PhoneDialog, line: string, state: string) =>
  dialog.request("NOTIFY", {
    headers: ["Event: refer", `Subscription-State: ${state}`],
    body: { type: "message/sipfrag;version=2.0", content: `SIP/2.0 ${line}\r\n` },
  });

sipTest("refer() has a softphone call another address, and follows its NOTIFYs", async () => {
  const step = referTo("sip:bob@sip.test", { headers: { "X-Ticket": "a b&c" }, action });
  await using call = await startCall(step);

  const refer = await call.refer;
  const statuses = [
    (await notify(call.dialog, "100 Trying", "active;expires=60")).status,
    // As sip.js does, with every one.
    (await notify(call.dialog, "180 Ringing", "terminated")).status,
    (await notify(call.dialog, "200 OK", "terminated;reason=noresource")).status,
  ];
  const { event, wantsScript } = await call.lab.service.event("referred");
  await call.dialog.ended;

  assert.equal(valueOf(refer, "refer-to"), "<sip:bob@sip.test?X-Ticket=a%20b%26c>");
  assert.match(valueOf(refer, "referred-by"), /^<sip:anything@sip\.test>$/);
  assert.deepEqual(statuses, [200, 200, 200]);
  assert.equal(wantsScript, true);
  const told = { to: "sip:bob@sip.test", outcome: "completed", sipStatus: 200 };
  assert.deepEqual({ ...event, action: action.url }, {
    type: "referred",
    ...told,
    action: action.url,
  });
});

sipTest("refer() tells that the new call failed, and the script goes on", async () => {
  await using call = await startCall(referTo("+15550002"));

  const refer = await call.refer;
  await notify(call.dialog, "486 Busy Here", "terminated;reason=noresource");
  const { event, wantsScript } = await call.lab.service.event("referred");
  await call.dialog.ended;

  assert.equal(valueOf(refer, "refer-to"), "<sip:+15550002@sip.test>");
  assert.equal(wantsScript, false);
  const told = { to: "+15550002", outcome: "busy", sipStatus: 486 };
  assert.deepEqual(event, { type: "referred", ...told });
});

sipTest("refer() tells a refusal, and takes no NOTIFY after it", async () => {
  const lab = await startSipLab();
  await using _lab = lab;
  const alice = await lab.phone("alice");
  lab.service.answer = ({ event }) =>
    event.type === "incoming"
      ? [{ type: "answer" }, referTo("sip:bob@sip.test"), { type: "silence", seconds: 60 }]
      : [];
  const calling = alice.call("anything");
  const dialog = await calling.answered;
  dialog.onRequest = ({ method }) => method === "REFER" ? { status: 405 } : undefined;

  await dialog.next("REFER");
  const { event } = await lab.service.event("referred");
  const late = await notify(dialog, "200 OK", "terminated;reason=noresource");
  await dialog.bye();

  const told = { to: "sip:bob@sip.test", outcome: "failed", sipStatus: 405 };
  assert.deepEqual(event, { type: "referred", ...told });
  assert.equal(late.status, 481);
});

sipTest("refer() takes it that who accepts and hangs up has gone there", async () => {
  await using call = await startCall(referTo("sip:bob@sip.test", { action }));

  await call.refer;
  await notify(call.dialog, "100 Trying", "active;expires=60");
  await call.dialog.bye();
  const { event, wantsScript } = await call.lab.service.event("referred");

  assert.deepEqual([event.outcome, event.sipStatus, wantsScript], ["completed", undefined, false]);
});

sipTest("refer() ended by the service is canceled, though the softphone had taken it", async () => {
  await using call = await startCall(referTo("sip:bob@sip.test", { action }));

  const { leg } = await call.lab.service.event("incoming");
  await call.refer;
  await notify(call.dialog, "100 Trying", "active;expires=60");
  await call.lab.run(leg, [{ type: "hangup" }]);
  const { event, wantsScript } = await call.lab.service.event("referred");

  assert.deepEqual([event.outcome, wantsScript], ["canceled", false]);
});

/** A call by a trunk, which is then asked to call a number. */
async function referTrunk(route: Partial<TrunkPeer["route"]>) {
  const lab = await startTrunkLab();
  const trunk = await openTrunk();
  const invitation = trunkInvitation([{ ...trunk.route, ...route }]);
  lab.service.answer = ({ event }) =>
    event.type === "answered" ? [referTo("+15550009", { leaves: true })] : [];
  await lab.run(invitation.leg, callScript(invitation));
  const invite = await trunk.request("INVITE");
  trunk.answer(invite);
  return {
    lab,
    trunk,
    invite,
    async [Symbol.asyncDispose]() {
      await lab[Symbol.asyncDispose]();
      await trunk[Symbol.asyncDispose]();
    },
  };
}

sipTest("refer() asks a Gateway of the account to call a number of its own domain", async () => {
  await using call = await referTrunk({ gatewaySid: `GW${"1".repeat(32)}`, accountSid });
  const { trunk, invite, lab } = call;

  const refer: SipText = await trunk.request("REFER");
  trunk.respond(refer, 202);
  trunk.send(
    inDialog("NOTIFY", invite, trunk.port).replace(
      /Content-Length: 0\r\n\r\n$/i,
      "Event: refer\r\nSubscription-State: terminated;reason=noresource\r\n" +
        "Content-Type: message/sipfrag\r\nContent-Length: 16\r\n\r\nSIP/2.0 200 OK\r\n",
    ),
  );
  const { event } = await lab.service.event("referred");
  trunk.respond(await trunk.request("BYE"), 200);

  assert.equal(valueOf(refer, "refer-to"), `<sip:+15550009@127.0.0.1:${trunk.port}>`);
  assert.deepEqual([event.outcome, event.sipStatus], ["completed", 200]);
});

sipTest("refer() asks no trunk of another's to call beyond the service", async () => {
  for (const route of [{}, { gatewaySid: "GW", accountSid: `AC${"9".repeat(32)}` }]) {
    await using call = await referTrunk(route);
    const { trunk, lab } = call;

    const { event } = await lab.service.event("referred");
    trunk.respond(await trunk.request("BYE"), 200);

    assert.deepEqual([event.outcome, event.sipStatus], ["failed", 403]);
    assert.equal(trunk.heard.some(({ method }) => method === "REFER"), false);
  }
});
