import assert from "node:assert/strict";
import { routedStrictly } from "../../../sip/text/strict_route.ts";
import { mediaEngine } from "../../../sip/media/engine/engine.ts";
import { rtpTransport } from "../../../sip/media/transports/plain_rtp.ts";
import { systemClock } from "../../../sip/media/base/ticker.ts";
import { plainOffer } from "../../support/sip/plain_peer.ts";
import { kamailioTest, startCarrier } from "../../support/sip/kamailio.ts";
import { type SipLab, sipTest } from "../../support/sip/sip_lab.ts";
import { runSipp, sippTest } from "../../support/sip/sipp.ts";
import {
  answering,
  callingBriefly,
  demanding,
  holding,
  refreshed,
  refreshing,
} from "../../support/sip/sipp_trunk.ts";
import { valuesOf } from "../../support/sip/sip_text.ts";
import { freePorts } from "../../support/process/system.ts";
import {
  callScript,
  openTrunk,
  peerSdp,
  startTrunkLab,
  trunkInvitation,
} from "../../support/sip/trunk_peer.ts";

const host = "127.0.0.1";

/** A companion with media of its own, and sessions so short that a test sees them end. */
const startLab = () =>
  startTrunkLab({
    sessionBounds: { expiresS: 3, minSeS: 1 },
    engine: mediaEngine({
      transports: [
        rtpTransport({
          bindAddress: host,
          host,
          ports: { first: 0, last: 0 },
          now: systemClock.now,
        }),
      ],
      log: () => {},
    }),
  });

const called = { accountSid: `AC${"2".repeat(32)}`, numberSid: `PN${"2".repeat(32)}` };
const credentials = { userName: "trunk", password: "pass" };

/**
 * Alice calls a number, by a carrier that sipp plays, or by the proxy in front of it; `code` is how
 * sipp ended.
 */
async function callCarrier(
  lab: SipLab,
  scenario: string,
  [port, proxy]: [carrier: number, proxy?: number] = freePorts(1) as [number],
) {
  const [audio] = freePorts(1) as [number];
  const child = trunkInvitation([
    {
      gatewaySid: null,
      proxy: `${host}:${proxy ?? port};transport=udp`,
      publicOnly: false,
      credentials,
    },
  ]);
  lab.service.answer = () => [
    { type: "dial", legs: [child], media: "anchored", timeoutS: 10, timeLimitS: 60 },
  ];
  const alice = await lab.phone("alice");
  const code = runSipp(scenario, { host, port: 9 }, "-p", `${port}`, "-m", "1", "-timeout", "60");
  const caller = await alice.call(`sip:${child.to}@sip.test`, { sdp: plainOffer(audio) }).answered;
  return { caller, code, child: child.leg, audio };
}

sippTest("answerOffer() answers a carrier that holds and resumes", async () => {
  await using lab = await startLab();
  const { caller, code } = await callCarrier(lab, holding);

  await caller.ended;

  assert.equal(await code, 0);
});

sippTest(
  "answerOffer() answers a caller that holds and resumes, and tells no carrier",
  async () => {
    await using lab = await startLab();
    const { caller, code, audio } = await callCarrier(lab, answering);

    const directions: (string | undefined)[] = [];
    for (const direction of ["sendonly", "inactive", "sendrecv"]) {
      const sdp = plainOffer(audio, { lines: [`a=${direction}`], version: directions.length + 2 });
      const { body } = await caller.request("INVITE", { sdp });
      directions.push(/a=(sendrecv|sendonly|recvonly|inactive)/.exec(body)?.[1]);
    }
    await caller.bye();

    assert.deepEqual(directions, ["recvonly", "inactive", "sendrecv"]);
    assert.equal(await code, 0);
  },
);

sippTest("createSessionTimer() ends both legs when a carrier does not refresh again", async () => {
  await using lab = await startLab();
  const { caller, code, child } = await callCarrier(lab, refreshing);

  const bye = await caller.ended;
  const { event } = await lab.service.event("ended", child);

  assert.equal(bye.method, "BYE");
  assert.deepEqual(event, { type: "ended", outcome: "completed" });
  assert.equal(await code, 0);
});

for (const method of ["INVITE", "UPDATE"] as const) {
  sippTest(`createSessionTimer() refreshes a carrier by ${method}, until it forgot`, async () => {
    await using lab = await startLab();
    const { caller, code } = await callCarrier(lab, refreshed(method));

    const bye = await caller.ended;

    assert.equal(bye.method, "BYE");
    assert.equal(await code, 0);
  });
}

sippTest("createFork() asks a carrier again for as long a session as it demands", async () => {
  await using lab = await startLab();
  const { caller, code } = await callCarrier(lab, demanding);

  await caller.bye();

  assert.equal(await code, 0);
});

for (const transport of ["UDP", "TCP"] as const) {
  sippTest(
    `refuseInterval() tells a carrier by ${transport} how long a session lasts`,
    async () => {
      const number = "+14155550101";
      await using lab = await startTrunkLab({ trustedSources: [host] });
      lab.service.trunks.number = () => ({ ...called, dialled: number, allowed: true });
      lab.service.answer = () => [{ type: "answer" }, { type: "silence", seconds: 60 }];
      const { port } = lab.companion.sipAddresses.get(transport)!;

      const by = transport === "UDP" ? "u1" : "t1";
      const [own] = freePorts(1) as [number];
      const options = ["-t", by, "-p", `${own}`, "-m", "1", "-timeout", "60"];
      const code = await runSipp(callingBriefly(number), { host, port }, ...options);

      assert.equal(code, 0);
    },
  );
}

for (
  const [what, scenario] of [
    ["holds and resumes", holding],
    ["is refreshed by INVITE", refreshed("INVITE")],
    ["is refreshed by UPDATE", refreshed("UPDATE")],
  ] as const
) {
  kamailioTest(`a carrier behind Kamailio, which stays on the route, ${what}`, async () => {
    const [proxy, port] = freePorts(2) as [number, number];
    await using _proxy = await startCarrier({ port: proxy, carrierPort: port, algorithm: "MD5" });
    await using lab = await startLab();
    const { caller, code } = await callCarrier(lab, scenario, [port, proxy]);

    await caller.ended;

    assert.equal(await code, 0);
  });
}

sipTest("requests in the dialog follow the route of the answer, to the proxy", async () => {
  await using lab = await startTrunkLab({ sessionBounds: { expiresS: 3, minSeS: 1 } });
  await using trunk = await openTrunk();
  lab.service.answer = () => [{ type: "silence", seconds: 60 }];
  const invitation = trunkInvitation([trunk.route]);

  await lab.run(invitation.leg, callScript(invitation));
  const invite = await trunk.request("INVITE");
  const headers = [
    "Record-Route: <sip:inner.test;lr>, <sip:outer.test;lr;ftag=1>",
    "Contact: <sip:carrier@192.0.2.9:5099>",
    "Session-Expires: 2;refresher=uac",
  ];
  trunk.respond(invite, 200, { headers, sdp: peerSdp });
  const ack = await trunk.request("ACK");
  const refresh = await trunk.request("INVITE");
  trunk.respond(refresh, 200, { headers: headers.slice(1), sdp: peerSdp });
  const again = await trunk.request("ACK");
  await lab.run(invitation.leg, [{ type: "hangup" }]);
  const bye = await trunk.request("BYE");
  trunk.respond(bye, 200);
  await lab.service.event("ended", invitation.leg);

  for (const request of [ack, refresh, again, bye]) {
    assert.match(request.start, / sip:carrier@192\.0\.2\.9:5099 SIP/);
    const route = valuesOf(request, "route").join(", ");
    assert.equal(route, "<sip:outer.test;lr;ftag=1>, <sip:inner.test;lr>");
  }
});

sipTest(
  "requests in the dialog go to a strict router by its address in the Request-URI",
  async () => {
    await using lab = await startTrunkLab();
    await using trunk = await openTrunk();
    lab.service.answer = () => [{ type: "silence", seconds: 60 }];
    const invitation = trunkInvitation([trunk.route]);

    await lab.run(invitation.leg, callScript(invitation));
    const invite = await trunk.request("INVITE");
    const headers = [
      "Record-Route: <sip:inner.test;lr>, <sip:outer.test;ftag=1;method=INVITE?X-A=1>",
      "Contact: <sip:carrier@192.0.2.9:5099;line=1>",
    ];
    trunk.respond(invite, 200, { headers, sdp: peerSdp });
    const ack = await trunk.request("ACK");
    await lab.run(invitation.leg, [{ type: "hangup" }]);
    const bye = await trunk.request("BYE");
    trunk.respond(bye, 200);
    await lab.service.event("ended", invitation.leg);

    for (const request of [ack, bye]) {
      assert.match(request.start, / sip:outer\.test;ftag=1 SIP/);
      const route = valuesOf(request, "route").join(", ");
      assert.equal(route, "<sip:inner.test;lr>, <sip:carrier@192.0.2.9:5099;line=1>");
    }
  },
);

Deno.test("routedStrictly() leaves requests alone whose first proxy routes by Route", () => {
  const target = "sip:a@b";
  for (
    const first of ["<sip:p;lr>", "<sip:p;lr=on>", "<sip:p;x=1;LR;y>", "<sip:p>;lr", "<tel:1>", "x"]
  ) {
    assert.equal(routedStrictly({ target, routes: [first, "<sip:q>"] }), undefined, first);
  }
  assert.equal(routedStrictly({ target, routes: [] }), undefined);
  for (const first of ["<sip:p>", '"lr" <sip:lr@p:5060;lrx>', "<sip:lr;ftag=lr>"]) {
    const { routes } = routedStrictly({ target, routes: [first, "<sip:q;lr>"] }) ?? {};
    assert.deepEqual(routes, ["<sip:q;lr>", "<sip:a@b>"], first);
  }
});
