import assert from "node:assert/strict";
import { tokenPassword, tokenUsername } from "../../../core/base/sip_token.ts";
import { type SipLab, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { valueOf, valuesOf } from "../../support/sip/sip_text.ts";

const key = "the key of the Client";

/** A softphone of a Client with the password of a token that ends in so many seconds. */
async function phoneOf(lab: SipLab, endsInS: number, { login = "alice", signedWith = key } = {}) {
  const client = lab.service.credentials.get("alice");
  lab.service.credentials.set("alice", { ...client!, tokenKey: key });
  const username = tokenUsername("alice", Math.floor(Date.now() / 1_000) + endsInS);
  const password = tokenPassword(signedWith, username);
  return await lab.phone(login, { register: false, username, password });
}

const expiresOf = (contact: string) => Number(/expires=(\d+)/.exec(contact)?.[1]);

sipTest("a Client registers with a password that ends, and its binding ends with it", async () => {
  await using lab = await startSipLab();
  const phone = await phoneOf(lab, 100);

  const response = await phone.register();

  assert.equal(response.status, 200);
  const expires = expiresOf(valueOf(response, "contact"));
  assert.ok(expires > 60 && expires <= 100, String(expires));
  const own = await lab.phone("alice");
  const both = await own.register();
  assert.ok(valuesOf(both, "contact").some((contact) => contact.includes(phone.contact))); // Either password keeps the other's device.
});

sipTest("a call is placed with a password that ends", async () => {
  await using lab = await startSipLab();
  const phone = await phoneOf(lab, 600);
  await phone.register();

  phone.call("bob");

  const { event } = await lab.service.event("incoming");
  assert.equal(event.login, "alice");
});

sipTest("a password that ended is refused, and says so", async () => {
  await using lab = await startSipLab();
  const phone = await phoneOf(lab, -1);

  const statuses: unknown[] = [];
  for (let tries = 0; tries < 7; tries++) statuses.push((await phone.register()).start);

  assert.ok(statuses.every((start) => start === "SIP/2.0 403 Credentials Expired"), `${statuses}`);
});

sipTest("a token of another key, instant or Client proves nothing", async () => {
  await using lab = await startSipLab();
  const forged = await phoneOf(lab, 600, { signedWith: "another" });
  assert.equal((await forged.register()).status, 401);
  const other = await phoneOf(lab, 600, { login: "bob" });
  assert.equal((await other.register()).status, 403);
  const username = tokenUsername("alice", Math.floor(Date.now() / 1_000) + 900);
  const password = tokenPassword(key, tokenUsername("alice", 1));
  const later = await lab.phone("alice", { register: false, username, password });
  assert.equal((await later.register()).status, 401);
});

sipTest("another key of the Client ends the bindings and the tokens", async () => {
  await using lab = await startSipLab();
  const phone = await phoneOf(lab, 600);
  await phone.register();
  lab.service.addClient("alice", "another password");

  await lab.service.order(lab.companion.bridgeUrl, "/invalidate", { logins: ["alice"] });

  assert.equal((await phone.register()).status, 401);
});
