import assert from "node:assert/strict";
import { refusalLimits } from "../../../../core/model/rest/limits.ts";
import { createRefusalCap } from "../../../../core/model/rest/refusal_cap.ts";

const { ofUser, ofNetwork, perNetworkS, accepted } = refusalLimits;

function lab() {
  const clock = { now: 0 };
  const cap = createRefusalCap(() => clock.now);
  const claim = (user: string, { password = "wrong", network = "192.0.2.1" } = {}) => ({
    user,
    password,
    network,
  });
  /** How many of so many wrong tries are looked up. */
  const tried = (count: number, nameOf: (at: number) => string, network?: string) => {
    let looked = 0;
    for (let at = 0; at < count; at++) {
      const one = claim(nameOf(at), { password: `${at}`, ...network && { network } });
      if (cap.waitOf(one) > 0) continue;
      looked++;
      cap.refused(one);
    }
    return looked;
  };
  return { clock, cap, claim, tried };
}

Deno.test("createRefusalCap() slows one user of a network, and no other user there", () => {
  const { clock, cap, claim, tried } = lab();

  assert.equal(tried(1_000, () => "AC1"), ofUser);
  assert.equal(cap.waitOf(claim("ac1")), 1);
  assert.equal(cap.waitOf(claim("AC2")), 0);
  assert.equal(cap.waitOf(claim("AC1", { network: "192.0.2.2" })), 0);
  clock.now += 1_000;
  assert.equal(tried(1_000, () => "AC1"), 1);
});

Deno.test("createRefusalCap() slows a network that tries many users", () => {
  const { clock, cap, claim, tried } = lab();

  assert.equal(tried(1_000, (at) => `AC${at}`), ofNetwork);
  assert.equal(cap.waitOf(claim("AC-of-another")), 1);
  assert.equal(cap.waitOf(claim("AC-of-another", { network: "192.0.2.2" })), 0);
  clock.now += 1_000;
  assert.equal(tried(1_000, (at) => `ACs${at}`), perNetworkS);
});

Deno.test("createRefusalCap() never delays credentials that were right, until they are wrong", () => {
  const { cap, claim, tried } = lab();
  const right = claim("AC1", { password: "right" });
  cap.accepted(right);
  tried(1_000, () => "AC1");
  tried(1_000, (at) => `AC${at}`);

  assert.equal(cap.waitOf(right), 0);
  assert.equal(cap.waitOf({ ...right, network: "198.51.100.7" }), 0);
  cap.refused(right); // The token was changed.
  assert.ok(cap.waitOf(right) > 0);
});

Deno.test("createRefusalCap() reports wrong credentials for a while after they came", () => {
  const { clock, cap, claim } = lab();
  assert.equal(cap.hasRefused(claim("AC1")), false);
  cap.refused(claim("AC1"));

  assert.equal(cap.hasRefused(claim("AC1", { password: "right" })), true);
  assert.equal(cap.hasRefused(claim("AC2")), true); // From the same network.
  assert.equal(cap.hasRefused(claim("AC1", { network: "192.0.2.2" })), false);
  clock.now += 1_000;
  assert.equal(cap.hasRefused(claim("AC1")), false);
});

Deno.test("createRefusalCap() remembers a bounded number of right credentials", () => {
  const { cap, claim, tried } = lab();
  for (let at = 0; at <= accepted; at++) {
    cap.accepted(claim("AC1", { password: `right ${at}` }));
  }
  tried(1_000, () => "AC1");

  assert.ok(cap.waitOf(claim("AC1", { password: "right 0" })) > 0);
  assert.equal(cap.waitOf(claim("AC1", { password: "right 1" })), 0);
});
