import assert from "node:assert/strict";
import process from "node:process";
import { RE2Set } from "re2js";
import { limits } from "../../core/base/limits.ts";
import { numberFor, numberOf } from "../../core/numbers/find_number.ts";
import { creation, newBase } from "../../core/model/resource.ts";
import { incomingPhoneNumbers } from "../../core/model/resources/incoming_phone_numbers.ts";
import { usualCapabilities } from "../../core/model/values/offer.ts";
import { programSize } from "../../core/model/values/number_pattern.ts";
import type { ApiClient } from "../support/service/api_client.ts";
import { type App, startApp } from "../support/service/app.ts";
import { made } from "../support/service/hand_companion.ts";

const provision = (account: ApiClient, PhoneNumber: string) =>
  account.post("IncomingPhoneNumbers.json", { PhoneNumber, isSIP: "true" });

/** CPU seconds of the process. */
function cpuS(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

Deno.test("the patterns of a tenant are bounded, those of its sub-accounts among them", async () => {
  using app = await startApp();
  const tenant = await app.subAccount(app.root, "tenant");
  const subs = [
    tenant,
    await app.subAccount(tenant, "one"),
    await app.subAccount(tenant, "two"),
  ];
  for (let n = 0; n < limits.patternsOfTenant; n++) {
    assert.equal((await provision(subs[n % 3]!, `7${n}.`)).status, 200);
  }
  for (const account of subs) {
    const refused = await provision(account, "8.");
    assert.deepEqual([refused.status, refused.json().code], [400, 21421]);
    assert.match(refused.json().message, new RegExp(`${tenant.sid} and its sub-accounts`));
    assert.match(refused.json().message, new RegExp(`at most ${limits.patternsOfTenant}`));
  }
  assert.equal((await provision(tenant, "812")).status, 200, "a virtual number is no pattern");
  const other = await app.subAccount(app.root, "other");
  for (const account of [other, app.root]) {
    assert.equal((await provision(account, `9${account.sid.slice(-3)}.`)).status, 200);
  }

  const [first] = (await tenant.get("IncomingPhoneNumbers.json?PhoneNumber=70")).json();
  await tenant.delete(`IncomingPhoneNumbers/${first.sid}.json`);
  assert.equal((await provision(subs[1]!, "8.")).status, 200, "one that is released gives room");

  const [moving] = (await other.get("IncomingPhoneNumbers.json")).json();
  const path = `/2012-04-24/Accounts/${other.sid}/IncomingPhoneNumbers/${moving.sid}.json`;
  const moved = await app.root.post(path, { AccountSid: tenant.sid });
  assert.deepEqual([moved.status, moved.json().code], [400, 21421]);
  const [within] = (await subs[1]!.get("IncomingPhoneNumbers.json?PhoneNumber=71")).json();
  const own = `/2012-04-24/Accounts/${subs[1]!.sid}/IncomingPhoneNumbers/${within.sid}.json`;
  assert.equal((await tenant.post(own, { AccountSid: subs[2]!.sid })).status, 200);
});

Deno.test("of patterns that come at once a tenant gets as many as it may have", async () => {
  using app = await startApp();
  const tenant = await app.subAccount(app.root, "tenant");
  const sub = await app.subAccount(tenant, "sub");
  const many = Array.from({ length: 2 * limits.patternsOfTenant }, (_, n) => n);
  const responses = await Promise.all(
    many.map((n) => provision(n % 2 === 0 ? tenant : sub, `7${n}.`)),
  );
  const granted = responses.filter(({ status }) => status === 200);
  assert.equal(granted.length, limits.patternsOfTenant);
});

Deno.test("the size that the patterns of a tenant compile to is bounded", async () => {
  using app = await startApp();
  const tenant = await app.subAccount(app.root, "tenant");
  const sub = await app.subAccount(tenant, "sub");
  const dear = (n: number) => `.{0,99}.{0,99}x${n}`;
  const room = Math.floor(limits.patternInstructions / programSize(dear(0)));
  for (let n = 0; n < room; n++) {
    assert.equal((await provision(n % 2 === 0 ? tenant : sub, dear(n))).status, 200);
  }
  const refused = await provision(sub, dear(9));
  assert.deepEqual([refused.status, refused.json().code], [400, 21421]);
  assert.match(refused.json().message, new RegExp(`at most ${limits.patternInstructions}`));

  const startedAt = cpuS();
  for (let n = 0; n < 20; n++) {
    const tooDear = await provision(tenant, `${".{0,99}".repeat(16)}${n}`);
    assert.deepEqual([tooDear.status, tooDear.json().code], [400, 21421]);
    assert.match(tooDear.json().message, /compiles to up to \d+ instructions/);
  }
  assert.ok(cpuS() - startedAt < 5, "none of them is compiled");
});

/** Patterns of sub-accounts, as stores from before their bound have them. */
async function fromBefore(app: App, tenant: ApiClient, accounts: number): Promise<void> {
  for (let at = 0; at < accounts; at++) {
    const { sid: accountSid } = await app.subAccount(tenant, `sub-${at}`);
    const numbers = Array.from({ length: 100 }, (_, n) => {
      const phoneNumber = `${".{0,99}".repeat(15)}x${at}x${n}`;
      const kept = { friendlyName: "x", phoneNumber, isSIP: true, kind: "local" as const };
      return creation(
        incomingPhoneNumbers,
        { ...kept, capabilities: usualCapabilities },
        newBase(incomingPhoneNumbers, accountSid, app.ports),
      );
    });
    await Promise.all(numbers.map((one) => app.ports.records.incomingPhoneNumbers.insert(one)));
  }
}

Deno.test("patterns of one tenant cost the calls of others nothing, and its own calls a bounded time", async () => {
  using app = await startApp();
  const { ports } = app;
  ports.settings.trunks.outboundProxy = { proxy: "carrier.test" };
  const attacker = await app.subAccount(app.root, "attacker");
  const victim = await app.subAccount(app.root, "victim");
  await made(victim, "IncomingPhoneNumbers", { PhoneNumber: "+14155550142" });
  await provision(victim, "2..");
  await fromBefore(app, attacker, 12);

  const { group } = ports.records.incomingPhoneNumbers;
  const { compile } = RE2Set.prototype;
  let [read, compiled] = [0, 0];
  ports.records.incomingPhoneNumbers.group = async (...asked) => {
    const members = await group(...asked);
    read += members.length;
    return members;
  };
  RE2Set.prototype.compile = function () {
    compiled++;
    return compile.call(this);
  };
  try {
    const startedAt = cpuS();
    const form = { From: "+14155550142", To: "+442079460000", Url: "https://app.test/" };
    await made(victim, "Calls", form);
    await app.runJobs();
    assert.equal(await numberOf({ dialled: ["+442079460000"], gateway: null }, ports), null);
    for (const { sid } of [victim, app.root]) {
      const account = await ports.accounts.get(sid);
      assert.equal(await numberFor("442079460000", account!, ports), null);
    }
    assert.ok(cpuS() - startedAt < 3, "it took 17 s of CPU");
    assert.ok(read <= 10, `${read} patterns were read`);
    assert.ok(compiled <= 2, `${compiled} programs were compiled`);

    const ownAt = cpuS();
    const own = await ports.accounts.get(attacker.sid);
    assert.equal(await numberFor("442079460000", own!, ports), null);
    assert.ok(cpuS() - ownAt < 3);
    const [line] = app.logged.filter(({ line }) => line.startsWith("Left out patterns"));
    assert.deepEqual(line?.fields, { tenant: attacker.sid, leftOut: 1_200 });
  } finally {
    RE2Set.prototype.compile = compile;
  }
});
