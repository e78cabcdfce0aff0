import assert from "node:assert/strict";
import type { ApiClient } from "../support/service/api_client.ts";
import { type App, startApp } from "../support/service/app.ts";
import { companionOf, hungUp, made } from "../support/service/hand_companion.ts";
import { startKvConnect } from "../support/service/kv_connect.ts";
import { makeSample } from "../support/service/samples.ts";

const to = "+4930123456";
const url = "https://app.test/voice";
const from = { PhoneNumber: "+493099887766" };

/** A minute costs 0.60, a text 0.10, a number 1.15, a transcribed minute 0.05. */
function price(app: App): void {
  const { settings } = app.ports;
  settings.trunks.outboundProxy = { proxy: "carrier.test" };
  settings.trunks.rateMicros = () => 600_000;
  settings.smsRateMicros = () => 100_000;
  app.ports.messageRoutes.push({
    reaches: ({ to }) => Promise.resolve(to.startsWith("+")),
    send: () => Promise.resolve(),
  });
  app.ports.transcriber = { transcribe: () => Promise.resolve("words") };
}

/** A call that a thief goes on with for as long as the service lets it. */
interface Live {
  app: App;
  accountSid: string;
  sid: string;
  leg: ReturnType<typeof companionOf>;
}

/** All that a key can spend by, many at once. */
async function attack(app: App, account: ApiClient, n: number): Promise<Live[]> {
  const post = (path: string, form: Record<string, string>) => account.post(path, form);
  const call = { From: from.PhoneNumber, To: to, Url: url };
  const taken = await Promise.all(
    Array.from({ length: n }, (_, at) => [
      post("Calls.json", call),
      post(`/2010-04-01/Accounts/${account.sid}/Calls.json`, call),
      post("SMS/Messages.json", { From: from.PhoneNumber, To: to, Body: "win" }),
      post(`/2010-04-01/Accounts/${account.sid}/Messages.json`, {
        From: from.PhoneNumber,
        To: to,
        Body: "x".repeat(400),
      }),
      post("IncomingPhoneNumbers.json", {
        PhoneNumber: `+1415555${String(2000 + Math.floor(app.clock.now / 1000) % 500 * 10 + at)}`,
      }),
    ]).flat(),
  );
  const sids = taken.filter(({ status }) => status < 300).map((one) => one.json().sid);
  const legs = sids.filter((sid) => sid.startsWith("CA")).map((sid) => ({ sid }));
  const parent = app.ports.newSid("CA");
  const children = await Promise.all(Array.from({ length: n }, async () => {
    const sid = app.ports.newSid("CA");
    const leg = companionOf(app, sid, account.sid);
    const serviceContext = { rateMicros: 600_000 };
    const [step] = await leg.report(
      { type: "inviting", from: from.PhoneNumber, to, sipCallId: sid, parent, serviceContext },
      { wantsScript: true },
    );
    return step?.type === "connect" ? [{ sid }] : [];
  }));
  return [...legs, ...children.flat()].map(({ sid }) => ({
    app,
    accountSid: account.sid,
    sid,
    leg: companionOf(app, sid, account.sid),
  }));
}

const spentBy = async (account: ApiClient): Promise<number> => {
  const days = (await account.get("Usage/Records.json?Category=totalprice")).json();
  return days.reduce((sum: number, { price }: { price: string }) => sum + Number(price), 0);
};

/** The calls that the service has ended, as their companion does. */
async function endHungUp(apps: App[], live: Live[]): Promise<Live[]> {
  const ended = new Set(apps.flatMap(hungUp));
  for (const one of live) {
    if (!ended.has(one.sid)) continue;
    await one.leg.report({ type: "ended", outcome: "completed" }, { seq: 20 });
  }
  return live.filter(({ sid }) => !ended.has(sid));
}

for (const isShared of [false, true]) {
  const where = isShared ? "two services on one store" : "one service";
  Deno.test(`a stolen key, its sub-accounts and softphones spend no more than the limit: ${where}`, async () => {
    await using endpoint = startKvConnect();
    const shared = (instance: number) => (
      isShared ? { shared: { location: endpoint.url, instance } } : {}
    );
    using here = await startApp(shared(0));
    const apps = [here, ...isShared ? [await startApp(shared(1))] : []];
    try {
      apps.forEach(price);
      const tenant = await here.subAccount(here.root, "tenant");
      const below = await here.subAccount(tenant, "below");
      for (const one of [tenant, below]) await made(one, "OutgoingCallerIds", from);
      await made(here.root.with({ sid: tenant.sid }), "Limits", {
        MaxSpendPerDay: "20.00",
        MaxConcurrentCalls: "12",
      });
      const recording = await makeSample(here, tenant, { name: "recordings" });
      await here.ports.blobs.write(tenant.sid, recording, 0, new TextEncoder().encode("RIFF"));

      let live: Live[] = [];
      for (let minute = 0; minute < 5; minute++) {
        for (const app of apps) {
          const thieves = [tenant, below].map((one) =>
            app.root.with({ sid: one.sid, user: one.user, token: one.token })
          );
          const n = isShared ? 4 : 10;
          const came = (await Promise.all(thieves.map((one) => attack(app, one, n)))).flat();
          await here.runJobs();
          for (const { leg } of came) await leg.report({ type: "answered" }, { seq: 10 });
          live.push(...came);
        }
        await tenant.post(`Recordings/${recording}/Transcriptions.json`);
        assert.ok(live.length <= 12, `${live.length} calls at once`);
        for (const ms of [5_000, 50_000, 3_500, 1_500]) {
          for (const app of apps) app.clock.now += ms;
          for (const app of apps) await app.runJobs();
          live = await endHungUp(apps, live);
        }
      }
      for (const { leg } of live) {
        await leg.report({ type: "ended", outcome: "completed" }, { seq: 20 });
      }

      const spent = await spentBy(tenant) + await spentBy(below);
      assert.ok(spent <= 20, `${spent} spent`);
      assert.ok(spent > 18, `${spent} spent: the limit is used up`);
      const shown = (await tenant.get("Limits.json")).json();
      assert.equal(Number(shown.spend_today).toFixed(2), spent.toFixed(2));
      assert.deepEqual([shown.concurrent_calls, shown.spend_reserved], [0, "0.00"]);
    } finally {
      apps[1]?.[Symbol.dispose]();
    }
  });
}
