import assert from "node:assert/strict";
import { createFlow, type Endpoint, type Flow } from "../../../sip/base/flow.ts";
import { transactionTimers } from "../../../sip/base/limits.ts";
import { parseMessage } from "../../../sip/text/parse.ts";
import { createFlowTable } from "../../../sip/transport/flow_table.ts";
import { createRetransmission } from "../../../sip/transport/retransmission.ts";
import { readSent } from "../../../sip/transport/sent_message.ts";
import { handClock } from "../../support/process/hand_clock.ts";
import { peerRequest, peerResponse } from "../../support/sip/sip_peer.ts";
import { readSip } from "../../support/sip/sip_text.ts";

/** A retransmission whose time stands still, and what it put on the wire: when, and what. */
function lab(login?: string) {
  const clock = handClock();
  const retransmission = createRetransmission(clock);
  const flow: Flow = createFlow({
    protocol: "UDP",
    remote: { host: "127.0.0.1", port: 5060 },
    local: { sentBy: "127.0.0.1:5060", contact: "sip:127.0.0.1" },
    closed: false,
    send: () => Promise.resolve(),
    close() {},
  });
  if (login !== undefined) flow.logins.add(login);
  const sent: [at: number, start: string][] = [];
  const send = (text: string) =>
    retransmission.send(flow, readSent(text), () => {
      sent.push([clock.now(), readSip(text).start]);
      return Promise.resolve();
    });
  return {
    clock,
    sent,
    times: () => sent.map(([at]) => at),
    send,
    absorbs: (text: string) => retransmission.absorbs(flow, parseMessage(text).message),
  };
}

const request = (method: string, branch = "z9hG4bKone") =>
  peerRequest(method, "UDP", 5060, { branch, callId: "one" });

const respond = (text: string, status: number) => peerResponse(readSip(text), status);

Deno.test("createRetransmission() repeats an INVITE by Timer A, for 64*T1", async () => {
  const { clock, send, times } = lab();

  await send(request("INVITE"));
  clock.advance(100_000);

  assert.deepEqual(times(), [0, 500, 1_500, 3_500, 7_500, 15_500, 31_500]);
  assert.equal(clock.waiting(), 0);
});

Deno.test("createRetransmission() repeats another request by Timer E, for 64*T1", async () => {
  const { clock, send, times } = lab();

  await send(request("BYE"));
  clock.advance(100_000);

  const every4s = [7_500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500];
  assert.deepEqual(times(), [0, 500, 1_500, 3_500, ...every4s]);
  assert.equal(clock.waiting(), 0);
});

Deno.test("createRetransmission() repeats no INVITE after a provisional response", async () => {
  const { clock, send, times, absorbs } = lab();
  const invite = request("INVITE");

  await send(invite);
  clock.advance(500);
  const absorbed = absorbs(respond(invite, 180));
  clock.advance(100_000);

  assert.equal(absorbed, false);
  assert.deepEqual(times(), [0, 500]);
});

Deno.test("createRetransmission() slows down to T2 after a 100 to another request", async () => {
  const { clock, send, times, absorbs } = lab();
  const bye = request("BYE");

  await send(bye);
  absorbs(respond(bye, 100));
  clock.advance(9_000);
  absorbs(respond(bye, 200));
  clock.advance(100_000);

  assert.deepEqual(times(), [0, 500, 4_500, 8_500]);
  assert.equal(clock.waiting(), 0);
});

Deno.test("createRetransmission() acknowledges a repeated refusal, also after long ringing", async () => {
  const { clock, send, sent, absorbs } = lab();
  const invite = request("INVITE");
  await send(invite);
  absorbs(respond(invite, 180));
  clock.advance(60_000);

  const first = absorbs(respond(invite, 486));
  await send(request("ACK"));
  const second = absorbs(respond(invite, 486));
  clock.advance(transactionTimers.transactionMs);
  const late = absorbs(respond(invite, 486));

  assert.deepEqual([first, second, late], [false, true, false]);
  const acks = sent.filter(([, start]) => start.startsWith("ACK"));
  assert.deepEqual(acks.map(([at]) => at), [60_000, 60_000]);
});

Deno.test("createRetransmission() keeps no ACK of a 2xx", async () => {
  const { send, sent, absorbs } = lab();
  const invite = request("INVITE");
  await send(invite);
  absorbs(respond(invite, 200));

  await send(request("ACK", "z9hG4bKother"));
  const absorbed = absorbs(respond(request("INVITE", "z9hG4bKother"), 486));

  assert.equal(absorbed, false);
  assert.deepEqual(sent.map(([, start]) => start.split(" ")[0]), ["INVITE", "ACK"]);
});

Deno.test("createRetransmission() leaves a repeated 2xx to whoever has the dialog", async () => {
  const { send, absorbs } = lab();
  const invite = request("INVITE");

  await send(invite);
  const absorbed = [absorbs(respond(invite, 200)), absorbs(respond(invite, 200))];

  assert.deepEqual(absorbed, [false, false]);
});

Deno.test("createRetransmission() holds a final response for Timer J", async () => {
  const { clock, send, times, absorbs } = lab();
  const options = request("OPTIONS");

  const first = absorbs(options);
  const early = absorbs(options);
  await send(respond(options, 200));
  const repeated = absorbs(options);
  clock.advance(transactionTimers.transactionMs + 500);
  const late = absorbs(options);

  assert.deepEqual([first, early, repeated, late], [false, true, true, false]);
  assert.deepEqual(times(), [0, 0]);
});

Deno.test("createRetransmission() repeats a refusal by Timer G until its ACK", async () => {
  const { clock, send, times, absorbs } = lab("alice");
  const invite = request("INVITE");
  absorbs(invite);

  await send(respond(invite, 486));
  clock.advance(8_000);
  const [ack, ackAgain] = [absorbs(request("ACK")), absorbs(request("ACK"))];
  clock.advance(100_000);

  assert.deepEqual(times(), [0, 500, 1_500, 3_500, 7_500]);
  assert.deepEqual([ack, ackAgain], [false, true]);
  assert.equal(clock.waiting(), 0);
});

Deno.test("createRetransmission() ends Timer G after 64*T1 without an ACK", async () => {
  const { clock, send, times, absorbs } = lab("alice");
  const invite = request("INVITE");
  absorbs(invite);

  await send(respond(invite, 600));
  clock.advance(100_000);

  assert.equal(times().length, 11);
  assert.ok(times().at(-1)! < transactionTimers.transactionMs);
  assert.equal(clock.waiting(), 0);
});

Deno.test("createRetransmission() repeats a refusal to an unauthenticated source at most twice", async () => {
  const { clock, send, times, absorbs } = lab();
  const invite = request("INVITE");
  absorbs(invite);

  await send(respond(invite, 180));
  await send(respond(invite, 503));
  clock.advance(100_000);

  assert.deepEqual(times(), [0, 0, 500, 1_500]);
});

Deno.test("createRetransmission() keeps nothing of a challenge, so that a copy is judged anew", async () => {
  const { clock, send, times, absorbs } = lab();
  const invite = request("INVITE");
  absorbs(invite);

  await send(respond(invite, 407));
  clock.advance(2_000);
  const repeated = absorbs(invite);
  clock.advance(100_000);

  assert.equal(repeated, false);
  assert.deepEqual(times(), [0]);
});

Deno.test("createRetransmission() sends 100 only when nothing else comes within 200 ms", async () => {
  const quick = lab();
  const invite = request("INVITE");
  quick.absorbs(invite);
  await quick.send(respond(invite, 100));
  quick.clock.advance(199);
  await quick.send(respond(invite, 407));
  quick.clock.advance(100_000);
  assert.deepEqual(quick.times(), [199]);

  const slow = lab();
  slow.absorbs(invite);
  await slow.send(respond(invite, 100));
  slow.clock.advance(300);
  await slow.send(respond(invite, 407));
  slow.clock.advance(1_000);
  slow.absorbs(request("ACK"));
  slow.clock.advance(100_000);
  assert.deepEqual(slow.times(), [200, 300, 800]);
});

Deno.test("createRetransmission() leaves the 2xx of an INVITE to its dialog", async () => {
  const { clock, send, times, absorbs } = lab();
  const invite = request("INVITE");
  absorbs(invite);

  await send(respond(invite, 200));
  const repeated = absorbs(invite);
  const ack = absorbs(request("ACK", "z9hG4bKother"));
  clock.advance(100_000);

  assert.deepEqual([repeated, ack], [true, false]);
  assert.deepEqual(times(), [0]);
});

Deno.test("createRetransmission() takes a CANCEL for no copy of its INVITE", () => {
  const { absorbs } = lab();

  const absorbed = ["INVITE", "CANCEL", "CANCEL"].map((method) => absorbs(request(method)));

  assert.deepEqual(absorbed, [false, false, true]);
});

Deno.test("createFlowTable() keeps one flow for a peer, and takes no more than its bound", () => {
  const created: Endpoint[] = [];
  const create = (remote: Endpoint) => {
    created.push(remote);
    return createFlow({
      protocol: "UDP",
      remote,
      local: { sentBy: "", contact: "" },
      closed: false,
      send: () => Promise.resolve(),
      close() {},
    });
  };
  const table = createFlowTable({ clock: handClock(), max: 2, create });
  const peer = (port: number) => ({ host: "192.0.2.1", port });

  const held = [table.get(peer(1)), table.get(peer(2))];

  assert.equal(table.get(peer(3)), undefined);
  assert.deepEqual([table.get(peer(1)), table.get(peer(2))], held);
  assert.deepEqual(created, [peer(1), peer(2)]);
});
