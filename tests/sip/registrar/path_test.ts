import assert from "node:assert/strict";
import { type AddressInfo, createServer } from "node:net";
import { bindingsAnswer } from "../../../core/protocol/registrations.ts";
import { companionRequests } from "../../../core/protocol/requests.ts";
import { queue } from "../../support/service/queue.ts";
import { invite, inviteScript, type SipLab, sipTest } from "../../support/sip/sip_lab.ts";
import {
  connectPeer,
  peerRequest,
  peerResponse,
  type SipPeer,
  streamPeer,
} from "../../support/sip/sip_peer.ts";
import { readSip, type SipText, valueOf, valuesOf } from "../../support/sip/sip_text.ts";
import type { Softphone } from "../../support/sip/softphone.ts";
import { authorization } from "../../support/sip/softphone_line.ts";
import { eventually } from "../../support/process/eventually.ts";
import { startTrunkLab } from "../../support/sip/trunk_peer.ts";

/** A proxy that connects to the companion, and takes connections at a port of its own. */
interface Edge {
  readonly port: number;
  /** What stands in the Path of what it passes on. */
  readonly path: string;
  /** Its connection to the companion. */
  readonly first: SipPeer;
  /** The next connection that is made to it. */
  accepted(): Promise<SipPeer>;
  /** How many connections were made to it. */
  readonly count: number;
  /** Takes no more connections. */
  shut(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const tcpOf = ({ companion }: SipLab) => companion.sipAddresses.get("TCP")!;

async function openEdge(lab: SipLab, host = "127.0.0.1"): Promise<Edge> {
  const connections = queue<SipPeer>();
  const opened: SipPeer[] = [];

  const server = createServer((socket) => {
    const peer = streamPeer(socket);
    opened.push(peer);
    connections.put(peer);
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, host, listening.resolve);
  await listening.promise;
  const { port } = server.address() as AddressInfo;
  const first = await connectPeer(tcpOf(lab));
  const shut = async () => {
    const closed = Promise.withResolvers<void>();
    server.close(() => closed.resolve());
    for (const peer of opened) await peer.close();
    await closed.promise;
  };
  return {
    port,
    path: `<sip:edge@${host}:${port};transport=tcp;lr>`,
    first,
    accepted: connections.take,
    get count() {
      return opened.length;
    },
    shut,
    async [Symbol.asyncDispose]() {
      await shut();
      await first.close();
    },
  };
}

/** Registers a Client by a connection of a proxy. */
async function register(peer: SipPeer, login: string, headers: string[] = []): Promise<void> {
  const uri = "sip:sip.test";
  const wanted = (cseq: number, ...extra: string[]) =>
    peerRequest("REGISTER", "TCP", peer.port, {
      from: `<sip:${login}@sip.test>;tag=${login}`,
      to: `<sip:${login}@sip.test>`,
      callId: `register-${login}`,
      cseq,
      headers: [...headers, ...extra],
    });
  peer.send(wanted(1));
  const challenged = await peer.next();
  const proof = { login, password: `${login}-secret` };
  peer.send(wanted(2, authorization(proof, { challenged, method: "REGISTER", uri })));
  assert.equal((await peer.next()).status, 200);
}

async function bindings({ companion, service }: SipLab, login: string) {
  const response = await service.order(companion.bridgeUrl, "/bindings", { login });
  return bindingsAnswer.parse(await response.json()).bindings;
}

/** Alice is behind the edge, whose connection is lost after she registered. */
async function lostEdge(lab: SipLab, edge: Edge): Promise<void> {
  await register(edge.first, "alice", [`Path: ${edge.path}`, "Supported: path"]);
  await register(edge.first, "carol");
  await edge.first.close();
  // Who has no Path is gone with the connection: then the companion knows of it.
  await eventually("carol is gone", async () => (await bindings(lab, "carol")).length === 0);
}

async function callAlice(lab: SipLab): Promise<string> {
  const invitation = invite("alice");
  await (await lab.run(invitation.leg, inviteScript(invitation))).body?.cancel();
  return invitation.leg;
}

sipTest("ring() connects to the Path of a Client whose proxy closed its connection", async () => {
  await using lab = await startTrunkLab();
  await using edge = await openEdge(lab);
  await lostEdge(lab, edge);
  lab.service.answer = ({ event }) =>
    event.type === "answered" ? [{ type: "silence", seconds: 60 }] : [];

  const leg = await callAlice(lab);
  const second = await edge.accepted();
  const invitation = await second.next();
  second.send(peerResponse(invitation, 200, {
    headers: [
      `Record-Route: ${edge.path}`,
      `Contact: <sip:alice@127.0.0.1:${edge.first.port}>`,
    ],
    sdp: "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=phone\r\nt=0 0\r\n",
  }));
  const ack = await second.next();
  await lab.service.event("answered", leg);
  // What the phone says then, its proxy sends by a connection that it makes itself.
  await using third = await reconnected(lab);
  third.send(bye(invitation, third.port));
  const ended = await third.next();

  assert.equal(invitation.method, "INVITE");
  assert.deepEqual(valuesOf(invitation, "route"), [edge.path]);
  assert.equal(ack.method, "ACK");
  assert.deepEqual(valuesOf(ack, "route"), [edge.path]);
  assert.equal(ended.status, 200);
  assert.equal(edge.count, 1);
});

sipTest("sendToDevices() connects to the Path of a Client, and then goes on so", async () => {
  await using lab = await startTrunkLab();
  await using edge = await openEdge(lab);
  await lostEdge(lab, edge);
  const send = (sid: string) => {
    const order = { sid, login: "alice", from: "client:bob", body: "Hello" };
    return lab.service.order(lab.companion.bridgeUrl, companionRequests.message.path, order);
  };

  const sent = send("SM1");
  const second = await edge.accepted();
  second.send(peerResponse(await second.next(), 200));
  const answer = await (await sent).json();
  const again = send("SM2");
  second.send(peerResponse(await second.next(), 200));
  await (await again).body?.cancel();

  assert.deepEqual(answer, { statuses: [200] });
  assert.equal(edge.count, 1);
});

sipTest(
  "CPIM of one Client says nothing of another Client on the connection of its proxy",
  async () => {
    await using lab = await startTrunkLab();
    const phone = await lab.phone("alice");
    await registerBeside(phone, { login: "carol", password: "carol-secret" });
    const cpim = "From: <sip:alice@sip.test>\r\n\r\nContent-Type: text/plain\r\n\r\nhello";
    await phone.message("bob", "", { body: { type: "message/cpim", content: cpim } });
    const typeFor = async (login: string) => {
      const order = {
        sid: `SM${login}`,
        login,
        from: "client:bob",
        body: "Hello",
        wantsDisplay: true,
      };
      const sent = lab.service.order(
        lab.companion.bridgeUrl,
        companionRequests.message.path,
        order,
      );
      const text = await phone.nextText();
      await (await sent).body?.cancel();
      return valueOf(text, "content-type");
    };

    const types = [await typeFor("alice"), await typeFor("carol")];

    assert.deepEqual(types, ["message/cpim", "text/plain;charset=UTF-8"]);
  },
);

sipTest("ring() ends with 480 where the Path leads nowhere", async () => {
  await using lab = await startTrunkLab();
  await using edge = await openEdge(lab);
  await lostEdge(lab, edge);
  await edge.shut();

  const { event } = await lab.service.event("ended", await callAlice(lab));

  assert.deepEqual([event.sipStatus, event.reason], [480, "not-registered"]);
  // It may come back: the registration stays.
  assert.equal((await bindings(lab, "alice")).length, 1);
});

sipTest("ring() connects to no other host that is not public, whatever a Path says", async () => {
  await using lab = await startTrunkLab();
  await using edge = await openEdge(lab, "127.0.0.2");
  await lostEdge(lab, edge);

  const { event } = await lab.service.event("ended", await callAlice(lab));

  assert.equal(event.sipStatus, 480);
  assert.equal(edge.count, 0);
  assert.ok(lab.logged.some((line) => line.includes("is not public")), lab.logged.join("\n"));
});

sipTest("ring() connects to the Path of a WebSocket's proxy, which a name stands for", async () => {
  const asked = queue<string>();
  await using edge = openWebSocketEdge();
  await using lab = await startTrunkLab({
    transports: {
      ports: { UDP: 0, TCP: 0 },
      resolver: {
        naptr: () => Promise.resolve([]),
        srv: () => Promise.resolve([]),
        addresses: (name) => (asked.put(name), Promise.resolve(["127.0.0.1"])),
      },
    },
  });
  const first = await lab.phone("alice", { register: false });
  const path = `<sip:edge.test:${edge.port};transport=ws;lr>`;
  const registered = await first.register({ headers: [`Path: ${path}`, "Supported: path"] });
  const carol = { login: "carol", password: "carol-secret" };
  await registerBeside(first, carol);
  await first.close();
  await eventually("carol is gone", async () => (await bindings(lab, "carol")).length === 0);

  const leg = await callAlice(lab);
  const { socket, host } = await edge.accepted();
  const invitation = await socket.next();
  socket.send(peerResponse(invitation, 486, { headers: ["Contact: <sip:alice@phone.invalid>"] }));
  const { event } = await lab.service.event("ended", leg);

  assert.equal(registered.status, 200);
  assert.equal(await asked.take(), "edge.test");
  assert.equal(host, `edge.test:${edge.port}`);
  assert.deepEqual(valuesOf(invitation, "route"), [path]);
  assert.deepEqual(event, { type: "ended", outcome: "busy", sipStatus: 486 });
});

/** Registers another Client by the connection of a softphone, without a Path. */
async function registerBeside(
  phone: Softphone,
  { login, password }: { login: string; password: string },
): Promise<void> {
  const uri = "sip:sip.test";
  const wanted = (cseq: number, ...headers: string[]) =>
    phone.request("REGISTER", {
      headers: [`Contact: <sip:${login}@phone.invalid;transport=ws>`, ...headers],
      replace: {
        "from": `<sip:${login}@sip.test>;tag=beside`,
        "to": `<sip:${login}@sip.test>`,
        "call-id": "beside",
        "cseq": `${cseq} REGISTER`,
      },
    });
  const challenged = await wanted(1);
  const proof = authorization({ login, password }, { challenged, method: "REGISTER", uri });
  assert.equal((await wanted(2, proof)).status, 200);
}

/** A proxy that takes SIP over WebSocket. */
function openWebSocketEdge() {
  const connections = queue<{ socket: Pick<SipPeer, "send" | "next">; host: string | null }>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const host = request.headers.get("host");
    const { socket, response } = Deno.upgradeWebSocket(request, { protocol: "sip" });
    const messages = queue<SipText>();
    socket.onmessage = ({ data }) => messages.put(readSip(data));
    const send = (text: string) => socket.send(text);
    socket.onopen = () => connections.put({ socket: { send, next: messages.take }, host });
    return response;
  });
  return {
    port: server.addr.port,
    accepted: connections.take,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

async function reconnected(lab: SipLab) {
  const peer = await connectPeer(tcpOf(lab));
  return { ...peer, [Symbol.asyncDispose]: () => peer.close() };
}

/** BYE of who was called. */
function bye(invitation: ReturnType<typeof readSip>, port: number): string {
  return peerRequest("BYE", "TCP", port, {
    target: /<([^>]+)>/.exec(valueOf(invitation, "contact"))?.[1] ?? "",
    from: `${valueOf(invitation, "to")};tag=callee`,
    to: valueOf(invitation, "from"),
    callId: valueOf(invitation, "call-id"),
  });
}
