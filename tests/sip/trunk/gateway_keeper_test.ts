import assert from "node:assert/strict";
import type { Registration } from "../../../core/protocol/trunks.ts";
import { createGatewayKeeper } from "../../../sip/trunk/gateway_keeper.ts";
import type { GatewayState } from "../../../sip/trunk/gateway_reports.ts";
import { openReceiveLab } from "../../support/service/receive_lab.ts";
import { peerResponse } from "../../support/sip/sip_peer.ts";
import { readSip, type SipText } from "../../support/sip/sip_text.ts";

const registration: Registration = {
  gatewaySid: `GW${"1".repeat(32)}`,
  accountSid: `AC${"1".repeat(32)}`,
  version: "1",
  userName: "trunk",
  password: "pass",
  proxy: "192.0.2.9",
  publicOnly: false,
  ttlS: 600,
};

/** Keeps a Gateway registered at one server, whose answers the test gives, in a time of its own. */
function openKeeperLab() {
  const lab = openReceiveLab("sip.test");
  const connection = lab.connect("192.0.2.9");
  const target = { protocol: "UDP", address: "192.0.2.9", port: 5060, name: "192.0.2.9" } as const;
  lab.signalling.routes = {
    resolve: () => Promise.resolve([target]),
    open: () => Promise.resolve(connection.flow),
    reach: () => Promise.resolve(connection.flow),
  };
  const told: GatewayState[] = [];
  const reports = { report: (state: GatewayState) => void told.push(state), repeat() {} };
  const keeper = createGatewayKeeper(lab.signalling, registration, {
    ...reports,
    drained: () => Promise.resolve(),
  });
  let taken = 0;
  return {
    ...lab,
    told,
    keeper,
    server: { route: { ...registration, credentials: registration }, target },
    /** Lets the time pass until the next REGISTER; how many seconds that took. */
    async next(mostS: number): Promise<{ request: SipText; afterS: number }> {
      for (let afterS = 0; afterS <= mostS; afterS++) {
        await lab.time.settle();
        const text = connection.sent.filter((one) => one.startsWith("REGISTER"))[taken];
        if (text !== undefined) {
          taken++;
          return { request: readSip(text), afterS };
        }
        lab.time.advance(1_000);
      }
      throw new Error(`No REGISTER in ${mostS} s`);
    },
    async respond(...answer: Parameters<typeof peerResponse>) {
      connection.receive(peerResponse(...answer));
      await lab.time.settle();
    },
    [Symbol.dispose]: () => lab[Symbol.dispose](),
  };
}

const expires = (seconds: number) => ({ headers: [`Expires: ${seconds}`] });

Deno.test("createGatewayKeeper() asks a server again only after its Retry-After", async () => {
  using lab = openKeeperLab();

  const first = await lab.next(1);
  await lab.respond(first.request, 503, { headers: ["Retry-After: 1800"] });
  const second = await lab.next(3_000);
  await lab.respond(second.request, 200, expires(600));

  assert.ok(second.afterS >= 1_800 && second.afterS <= 2_102, `${second.afterS} s`);
  assert.deepEqual(lab.told[0], {
    status: "failed",
    reason: "Cannot register: the proxy answered 503 Told So",
  });
  assert.deepEqual(lab.told.at(-1), { status: "registered" });
});

Deno.test("createGatewayKeeper() lets a call's Retry-After pass while it is registered", async () => {
  using lab = openKeeperLab();
  const first = await lab.next(1);
  await lab.respond(first.request, 200, expires(600));

  lab.time.advance(350_000);
  lab.signalling.holds.heed(lab.server, { status: 503, retryAfterS: 200 });
  const second = await lab.next(600);
  await lab.respond(second.request, 200, expires(600));

  assert.ok(second.afterS >= 200 && second.afterS < 250, `${second.afterS} s`);
  assert.deepEqual(lab.told.map(({ status }) => status), ["registered", "registered"]);
});

Deno.test("createGatewayKeeper() tells that it is failed once the proxy has forgotten it", async () => {
  using lab = openKeeperLab();
  const first = await lab.next(1);
  await lab.respond(first.request, 200, expires(600));

  lab.time.advance(350_000);
  lab.signalling.holds.heed(lab.server, { status: 503, retryAfterS: 900 });
  const second = await lab.next(1_300);
  await lab.respond(second.request, 200, expires(600));

  assert.ok(second.afterS >= 900, `${second.afterS} s`);
  assert.ok(lab.told.some(({ status }) => status === "failed"));
  assert.deepEqual(lab.told.at(-1), { status: "registered" });
});
