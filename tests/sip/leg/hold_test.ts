import assert from "node:assert/strict";
import { isHold } from "../../../sip/leg/hold.ts";
import { invite, type SipLab, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { plainOffer } from "../../support/sip/plain_peer.ts";
import type { PhoneDialog } from "../../support/sip/softphone_dialog.ts";
import { BROWSER_OFFER } from "../../support/media/sdp_samples.ts";

const withDirection = (direction: string) =>
  plainOffer(9, { lines: ["a=rtcp-mux", `a=${direction}`] });

/** Alice and Bob in a call whose media are ours. */
async function talking(lab: SipLab) {
  const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
  lab.service.answer = ({ event }) =>
    event.type === "incoming"
      ? [{ type: "dial", legs: [invite("bob")], media: "anchored", timeoutS: 30, timeLimitS: 60 }]
      : [];
  const call = alice.call("bob");
  const callee = await (await bob.nextCall()).answer();
  const caller = await call.answered;
  const { leg } = await lab.service.event("incoming");
  return { caller, callee, leg };
}

const hold = (dialog: PhoneDialog, direction: string) =>
  dialog.request("INVITE", { sdp: withDirection(direction) });

/** What the next offer that a phone gets says, once the offer is over. */
async function told(dialog: PhoneDialog): Promise<string | undefined> {
  const { body } = await dialog.next("INVITE");
  await dialog.next("ACK");
  return /^a=(\w+)\r$/m.exec(body)?.[1];
}

Deno.test("isHold() reads what an offer says of its audio", () => {
  for (
    const [direction, expected] of [
      ["sendrecv", false],
      ["recvonly", false],
      ["sendonly", true],
      ["inactive", true],
    ] as const
  ) {
    assert.equal(isHold(withDirection(direction)), expected);
    const ofSession = plainOffer(9).replace("t=0 0\r\n", `t=0 0\r\na=${direction}\r\n`);
    assert.equal(isHold(ofSession), expected, ofSession);
  }
  assert.equal(isHold(plainOffer(9)), false);
  assert.equal(isHold(plainOffer(9, { address: "0.0.0.0" })), true);
  assert.equal(isHold(BROWSER_OFFER), false); // Which has 0.0.0.0 too, and its addresses below.
  const withVideo = `${withDirection("sendrecv")}m=video 0 RTP/AVP 96\r\na=inactive\r\n`;
  assert.equal(isHold(withVideo), false);
  assert.equal(isHold(BROWSER_OFFER.replace("a=sendrecv", "a=sendonly")), true);
});

sipTest("passHolds() tells each side of a Dial while the other one holds it", async () => {
  await using lab = await startSipLab();
  const { caller, callee } = await talking(lab);

  for (const [holder, held] of [[caller, callee], [callee, caller]] as const) {
    assert.equal((await hold(holder, "sendonly")).status, 200);
    assert.equal(await told(held), "sendonly");
    assert.equal((await hold(holder, "inactive")).status, 200); // It is told already.
    assert.equal((await hold(holder, "sendrecv")).status, 200);
    assert.equal(await told(held), "sendrecv");
  }
  await caller.bye();
  assert.equal((await callee.ended).method, "BYE");
});

sipTest("passHolds() tells of a hold by an offer without an address (RFC 3264 §8.4)", async () => {
  await using lab = await startSipLab();
  const { caller, callee } = await talking(lab);

  const held = plainOffer(9, { address: "0.0.0.0" });
  assert.equal((await caller.request("INVITE", { sdp: held })).status, 200);
  assert.equal(await told(callee), "sendonly");
  assert.equal((await caller.request("INVITE", { sdp: plainOffer(9) })).status, 200);
  assert.equal(await told(callee), "sendrecv");
  await caller.bye();
});

sipTest("passHolds() reports a hold by the answer to a requested offer", async () => {
  await using lab = await startSipLab();
  const { caller, callee } = await talking(lab);

  for (const direction of ["sendonly", "sendrecv"]) {
    const { status } = await caller.request("INVITE", { ack: withDirection(direction) });
    assert.equal(status, 200);
    assert.equal(await told(callee), direction);
  }
  // An ACK without an answer changes nothing.
  assert.equal((await caller.request("INVITE")).status, 200);
  assert.equal((await hold(caller, "sendonly")).status, 200);
  assert.equal(await told(callee), "sendonly");
  await caller.bye();
});

sipTest("passHolds() lets who is held go on when the holder is taken away", async () => {
  await using lab = await startSipLab();
  const { caller, callee, leg } = await talking(lab);
  await hold(callee, "sendonly");
  assert.equal(await told(caller), "sendonly");

  await (await lab.run(leg, [{ type: "silence", seconds: 60 }])).body?.cancel();

  assert.equal(await told(caller), "sendrecv");
  assert.equal((await callee.ended).method, "BYE");
  await caller.bye();
});

sipTest("passHolds() offers nothing to who is held when the holder hangs up", async () => {
  await using lab = await startSipLab();
  const { caller, callee } = await talking(lab);
  await hold(caller, "sendonly");
  assert.equal(await told(callee), "sendonly");
  const requests: (string | undefined)[] = [];
  callee.onRequest = ({ method }) => void requests.push(method);

  await caller.bye();
  await callee.ended;

  assert.deepEqual(requests, ["BYE"]);
});

sipTest("passHolds() tells again after two offers crossed", async () => {
  await using lab = await startSipLab();
  const { caller, callee } = await talking(lab);
  let crossings = 2;
  caller.onRequest = ({ method }) =>
    method === "INVITE" && crossings-- > 0 ? { status: 491 } : undefined;

  await hold(callee, "sendonly");
  for (let i = 0; i < 2; i++) {
    await caller.next("INVITE");
    await caller.next("ACK");
  }

  assert.equal(await told(caller), "sendonly");
  await caller.bye();
});

sipTest("passHolds() leaves a call alone whose softphone takes no such offer", async () => {
  await using lab = await startSipLab();
  const { caller, callee } = await talking(lab);
  caller.onRequest = ({ method }) => method === "INVITE" ? { status: 488 } : undefined;

  await hold(callee, "sendonly");
  await caller.next("INVITE");
  await caller.next("ACK");
  caller.onRequest = () => undefined;
  await hold(callee, "sendrecv");
  await hold(callee, "sendonly");

  assert.equal(await told(caller), "sendonly");
  await caller.bye();
});
