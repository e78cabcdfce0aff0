import assert from "node:assert/strict";
import { parseAddress } from "../../../core/model/values/address.ts";
import { invite, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { uriIn, valueOf, valuesOf } from "../../support/sip/sip_text.ts";

const instance = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6";
const gruu = `sip:bob@sip.test;gr=urn:uuid:${instance}`;

sipTest("register() gives out no GRUU, also to who asks for one", async () => {
  await using lab = await startSipLab();
  const bob = await lab.phone("bob", { register: false, instance });

  const registered = await bob.register({ headers: ["Supported: path, outbound, gruu"] });
  const required = await bob.register({ headers: ["Require: gruu"] });
  const options = await bob.request("OPTIONS");

  assert.equal(registered.status, 200);
  assert.doesNotMatch(valueOf(registered, "contact"), /gruu/);
  assert.deepEqual([required.status, valueOf(required, "unsupported")], [420, "gruu"]);
  for (const message of [registered, options]) {
    assert.doesNotMatch(valuesOf(message, "supported").join(), /gruu/);
  }
});

sipTest("onInvite() takes a call for a GRUU as one for whom it is of", async () => {
  await using lab = await startSipLab();
  const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob", { instance })];
  lab.service.answer = ({ event }) =>
    event.type === "incoming"
      ? [{
        type: "dial",
        legs: [invite("bob")],
        media: "anchored",
        timeoutS: 30,
        timeLimitS: 60,
      }]
      : [];

  // A caller's own GRUU, of another service, is where it wants to be called.
  const own = `sip:alice@elsewhere.test;gr=urn:uuid:${instance}`;
  const calling = alice.call(gruu, { headers: [`Contact: <${own}>`] });
  const ringing = await bob.nextCall();
  const answered = ringing.answer();
  const dialog = await calling.answered;
  await answered;
  const { event, leg } = await lab.service.event("incoming");
  await lab.run(leg, [{ type: "hangup" }]);
  const bye = await dialog.ended;

  assert.equal(event.uri, gruu);
  const address = parseAddress(event.uri);
  assert.deepEqual(address?.kind === "sip" && [address.user, address.host], ["bob", "sip.test"]);
  assert.match(uriIn(valueOf(ringing.invite, "contact")), /^sip:switchboard@/);
  assert.doesNotMatch(ringing.invite.start, /;gr=/);
  assert.equal(bye.start, `BYE ${own} SIP/2.0`);
});
