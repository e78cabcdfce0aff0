import assert from "node:assert/strict";
import { invite, inviteScript, sipTest, startSipLab } from "../support/sip/sip_lab.ts";
import { startCompanion } from "../../sip/companion.ts";
import { sipLimits } from "../../sip/base/limits.ts";
import { fakeMedia } from "../support/media/fake_media.ts";
import { valueOf } from "../support/sip/sip_text.ts";

sipTest("stop() ends calls with BYE, CANCEL and 503, and reports them", async () => {
  await using lab = await startSipLab();
  const alice = await lab.phone("alice");
  const bob = await lab.phone("bob");
  const carol = await lab.phone("carol");
  const ringing = invite("carol");
  const talking = invite("alice");
  lab.service.answer = () => [{ type: "silence", seconds: 60 }];
  await lab.run(talking.leg, inviteScript(talking));
  const dialog = await (await alice.nextCall()).answer();
  await lab.service.event("answered", talking.leg);
  await lab.run(ringing.leg, inviteScript(ringing));
  const atCarol = await carol.nextCall();
  atCarol.ring();
  await lab.service.event("ringing", ringing.leg);
  const waiting = bob.call("anything");
  const { leg } = await lab.service.event("incoming");

  await lab.companion.stop();

  assert.equal((await dialog.ended).method, "BYE");
  assert.equal((await atCarol.cancelled).method, "CANCEL");
  const refused = await waiting.final;
  assert.equal(refused.status, 503);
  assert.equal(valueOf(refused, "retry-after"), String(sipLimits.retryAfterS));
  const ends = await Promise.all(
    [talking.leg, ringing.leg, leg].map((id) => lab.service.event("ended", id)),
  );
  const outcomes = ends.map(({ event }) => event.outcome);
  assert.deepEqual(outcomes, ["completed", "canceled", "failed"]);
});

sipTest("stop() waits for no BYE that went by a connection which has closed", async () => {
  await using lab = await startSipLab();
  lab.service.answer = () => [{ type: "answer" }, { type: "silence", seconds: 60 }];
  const alice = await lab.phone("alice");
  const call = await alice.call("menu").answered;
  call.onRequest = ({ method }) => {
    if (method === "BYE") void alice.close(); // Its answer does not leave any more.
    return undefined;
  };

  const from = performance.now();
  await lab.companion.stop();
  const tookMs = performance.now() - from;

  assert.ok(tookMs < sipLimits.stopMs, `took ${tookMs} ms`);
});

sipTest("startCompanion() reports in order across an outage of the service", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice");
  const invitation = invite("alice");

  await lab.run(invitation.leg, inviteScript(invitation));
  const call = await phone.nextCall();
  await lab.service.event("inviting");
  lab.service.outage = 503;
  call.ring();
  call.decline(486);
  await lab.service.outageFelt();
  lab.service.outage = undefined;
  await lab.service.event("ended", invitation.leg);

  const reports = lab.service.reports.filter(({ leg }) => leg === invitation.leg);
  assert.deepEqual(reports.map(({ seq, event }) => [seq, event.type]), [
    [0, "inviting"],
    [1, "ringing"],
    [2, "ended"],
  ]);
});

sipTest(
  "startCompanion() refuses a new call with 503 when the service is out of reach",
  async () => {
    await using lab = await startSipLab();
    const phone = await lab.phone("alice");
    lab.service.outage = 500;

    const final = await phone.call("anything").final;

    assert.equal(final.status, 503);
  },
);

sipTest("startCompanion() beats with its legs", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice");
  lab.service.answer = () => [{ type: "answer" }, { type: "silence", seconds: 60 }];
  await phone.call("anything").answered;
  const { leg } = await lab.service.event("incoming");

  const beat = await lab.service.beat(({ legs }) => legs.length > 0);

  assert.equal(beat.companion.id, "lab");
  assert.equal(beat.companion.runId, lab.companion.runId);
  assert.deepEqual(beat.legs, [{ leg, accountSid: `AC${"0".repeat(32)}` }]);
});

sipTest("loseFlow() ends the call of a softphone that does not come back", async () => {
  await using lab = await startSipLab();
  const alice = await lab.phone("alice");
  const bob = await lab.phone("bob");
  lab.service.answer = () => [{
    type: "dial",
    legs: [invite("bob")],
    media: "anchored",
    timeoutS: 30,
    timeLimitS: 60,
  }];
  const call = alice.call("bob");
  const callee = await (await bob.nextCall()).answer();
  await call.answered;

  await alice.close();
  const bye = await callee.ended;
  const { leg } = await lab.service.event("incoming");
  const { event } = await lab.service.event("ended", leg);

  assert.equal(bye.method, "BYE");
  assert.deepEqual(event, { type: "ended", outcome: "completed" });
});

sipTest("loseFlow() lets a softphone go on by a new connection", async () => {
  await using lab = await startSipLab({ reconnectGraceMs: 60_000 });
  const instance = "00000000-0000-4000-8000-000000000001";
  const phone = await lab.phone("alice", { instance });
  const invitation = invite("alice");
  lab.service.answer = () => [{ type: "silence", seconds: 60 }];
  await lab.run(invitation.leg, inviteScript(invitation));
  const dialog = await (await phone.nextCall()).answer();
  await lab.service.event("answered");

  await phone.close();
  const again = await lab.phone("alice", { instance });
  await lab.run(invitation.leg, [{ type: "hangup" }]);
  const bye = await again.nextMessage();

  assert.equal(bye.method, "BYE");
  assert.equal(valueOf(bye, "call-id"), dialog.callId);
});

sipTest("reinvite() and request() follow a softphone to its new connection at once", async () => {
  await using lab = await startSipLab({ reconnectGraceMs: 60_000 });
  const instance = "00000000-0000-4000-8000-000000000001";
  const [caller, callee] = [await lab.phone("alice", { instance }), await lab.phone("bob")];
  lab.service.answer = () => [
    { type: "dial", legs: [invite("bob")], media: "proxied", timeoutS: 10, timeLimitS: 60 },
  ];
  const call = caller.call("bob", { sdp: "v=0\r\n" });
  const dialog = await (await callee.nextCall()).answer();
  await call.answered;

  await caller.close();
  const again = await lab.phone("alice", { instance });
  void dialog.request("INFO");
  const info = await again.nextMessage();
  void dialog.request("INVITE", { sdp: "v=0\r\n" });
  const { invite: offer } = await again.nextCall();

  assert.deepEqual([info.method, valueOf(offer, "call-id")], ["INFO", valueOf(info, "call-id")]);
});

sipTest("a softphone that comes back answers by its new connection, and gets the ACK", async () => {
  await using lab = await startSipLab({ reconnectGraceMs: 60_000 });
  const instance = "00000000-0000-4000-8000-000000000001";
  const phone = await lab.phone("alice", { instance });
  const invitation = invite("alice");
  await lab.run(invitation.leg, inviteScript(invitation));
  const { invite: request } = await phone.nextCall();

  await phone.close();
  const again = await lab.phone("alice", { instance });
  const copied = ["via", "from", "call-id", "cseq"].map((name) =>
    `${name}: ${valueOf(request, name)}`
  );
  again.send([
    "SIP/2.0 200 OK",
    ...copied,
    `to: ${valueOf(request, "to")};tag=again`,
    `contact: <${again.contact}>`,
    "content-type: application/sdp",
    "content-length: 5",
    "",
    "v=0\r\n",
  ].join("\r\n"));

  assert.equal((await again.nextMessage()).method, "ACK");
});

sipTest("loseFlow() refuses a leg that rang at a softphone that is gone", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice");
  const invitation = invite("alice");
  await lab.run(invitation.leg, inviteScript(invitation));
  (await phone.nextCall()).ring();
  await lab.service.event("ringing");

  await phone.close();
  const { event } = await lab.service.event("ended");

  const detail = "Connection lost";
  assert.deepEqual(event, { type: "ended", outcome: "failed", sipStatus: 480, detail });
});

sipTest("startCompanion() rejects and listens nowhere when a port is taken", async () => {
  await using lab = await startSipLab();
  const taken = Number(new URL(lab.companion.bridgeUrl).port);

  await assert.rejects(
    startCompanion({
      sipHost: "127.0.0.1",
      sipPort: 0,
      bridgeHost: "127.0.0.1",
      bridgePort: taken,
      serviceUrl: lab.service.url,
      bridgeSecret: lab.service.secret,
      sipDomain: "sip.test",
      id: "second",
      media: fakeMedia(),
      loadAudio: () => Promise.reject(new Error("no audio")),
      log: () => {},
    }),
    /^Error: Cannot listen on 127\.0\.0\.1:\d+ \(BRIDGE_PORT\): the port is in use. Stop/,
  );
});

sipTest("listenSip() takes only WebSockets that speak SIP, and small frames", async () => {
  await using lab = await startSipLab();
  const http = lab.companion.sipUrl.replace("ws", "http");
  const phone = await lab.phone("alice", { register: false });

  const plain = await fetch(http);
  const socket = new WebSocket(lab.companion.sipUrl, "chat");
  const outcome = await new Promise<string>((resolve) => {
    socket.onopen = () => resolve("open");
    socket.onerror = () => resolve("refused");
  });
  phone.send("\r\n\r\n");
  const pong = await phone.nextMessage();
  phone.send("x".repeat(sipLimits.messageBytes + 1));

  assert.equal(plain.status, 426);
  await plain.body?.cancel();
  assert.equal(outcome, "refused");
  assert.equal(pong.start, "");
  assert.equal(await phone.closed, 1009);
});

sipTest("listenControl() trusts only signed requests", async () => {
  await using lab = await startSipLab();
  const { bridgeUrl } = lab.companion;

  const ready = await fetch(`${bridgeUrl}/ready`);
  const unsigned = await fetch(`${bridgeUrl}/run`, { method: "POST", body: "{}" });
  const malformed = await lab.service.order(bridgeUrl, "/run", { leg: "x" });
  const lost = await lab.service.order(bridgeUrl, "/nowhere", {});
  const huge = await lab.service.order(bridgeUrl, "/run", "x".repeat(2 << 20));
  for (const { headers } of [ready, unsigned]) {
    assert.equal(headers.get("X-Content-Type-Options"), "nosniff");
    assert.equal(headers.get("Content-Security-Policy"), "frame-ancestors 'none'");
    assert.equal(headers.get("Cache-Control"), "no-store");
  }

  const { ready: isReady, companion: { id } } = await ready.json();
  assert.deepEqual([isReady, typeof id], [true, "string"]);
  const responses = [unsigned, malformed, lost, huge];
  assert.deepEqual(responses.map(({ status }) => status), [401, 400, 404, 413]);
  await Promise.all(responses.map((response) => response.body?.cancel()));
});
