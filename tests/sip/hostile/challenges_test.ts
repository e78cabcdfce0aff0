import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { digestHa1, parseDigest, provesHa1 } from "../../../sip/text/digest.ts";
import { sipTest } from "../../support/sip/sip_lab.ts";
import { type SipText, valueOf, valuesOf } from "../../support/sip/sip_text.ts";
import {
  callScript,
  credentials,
  openTrunk,
  startTrunkLab,
  trunkInvitation,
  type TrunkPeer,
} from "../../support/sip/trunk_peer.ts";

/** Two servers that each want to know who calls. */
const edge = { realm: "edge.test", name: "Proxy-Authenticate", status: 407 };
const core = { realm: "core.test", name: "WWW-Authenticate", status: 401 };
type Server = typeof edge;

const challengeBy = ({ realm, name }: Server, nonce: string, more = "") =>
  `${name}: Digest realm="${realm}", nonce="${nonce}", algorithm=MD5, qop="auth"${more}`;

/** Refuses a request for its lack of credentials, on behalf of one or several servers. */
function challenge(trunk: TrunkPeer, request: SipText, { status }: Server, ...lines: string[]) {
  trunk.respond(request, status, { headers: lines });
}

/** The nonces and counts of the right credentials in a request, by realm. */
function proofs(request: SipText): Record<string, string> {
  const values = ["authorization", "proxy-authorization"]
    .flatMap((name) => valuesOf(request, name).map((value) => ({ name, value })));
  return Object.fromEntries(values.map(({ name, value }) => {
    const parameters = parseDigest(value) ?? {};
    const { realm = "", nonce, nc } = parameters;
    const { userName: username, password } = credentials;
    const ha1 = digestHa1("MD5", { username, realm, password });
    const isRight = provesHa1({ method: request.method ?? "", ha1 }, parameters);
    return [`${name} ${realm}`, `${nonce} ${nc} ${isRight ? "right" : "wrong"}`];
  }));
}

/** A call by a trunk that knows a password. */
async function startCall() {
  const lab = await startTrunkLab();
  const trunk = await openTrunk();
  lab.service.answer = () => [{ type: "silence", seconds: 60 }];
  const invitation = trunkInvitation([{ ...trunk.route, credentials }]);
  await lab.run(invitation.leg, callScript(invitation));
  const event = <T extends "answered" | "ended">(type: T) =>
    lab.service.event(type, invitation.leg).then((report) => report.event);
  return {
    lab,
    trunk,
    event,
    hangUp: () => lab.run(invitation.leg, [{ type: "hangup" }]),
    async [Symbol.asyncDispose]() {
      await lab[Symbol.asyncDispose]();
      await trunk[Symbol.asyncDispose]();
    },
  };
}

sipTest(
  "clientAuthentication() answers a proxy and the server behind it, and keeps both",
  async () => {
    await using call = await startCall();
    const { trunk } = call;

    challenge(trunk, await trunk.request("INVITE"), edge, challengeBy(edge, "e1"));
    const second = await trunk.request("INVITE");
    challenge(trunk, second, core, challengeBy(core, "c1"));
    const third = await trunk.request("INVITE");
    trunk.answer(third);
    const ack = await trunk.request("ACK");
    await call.event("answered");
    await call.hangUp();
    challenge(trunk, await trunk.request("BYE"), edge, challengeBy(edge, "e2"));
    challenge(trunk, await trunk.request("BYE"), core, challengeBy(core, "c2"));
    const bye = await trunk.request("BYE");
    trunk.respond(bye, 200);
    await call.event("ended");

    assert.deepEqual(proofs(second), { "proxy-authorization edge.test": "e1 00000001 right" });
    assert.deepEqual(proofs(third), {
      "authorization core.test": "c1 00000001 right",
      "proxy-authorization edge.test": "e1 00000002 right",
    });
    for (const name of ["authorization", "proxy-authorization"]) {
      assert.deepEqual(valuesOf(ack, name), valuesOf(third, name));
    }
    assert.deepEqual(proofs(bye), {
      "authorization core.test": "c2 00000001 right",
      "proxy-authorization edge.test": "e2 00000002 right",
    });
    assert.equal(valueOf(third, "cseq"), "3 INVITE");
  },
);

const md5 = (text: string) => createHash("md5").update(text).digest("hex");

/** The response that RFC 7616 §3.4 wants of credentials for `auth-int` and the `-sess` algorithms. */
function expected({ method = "", body }: SipText, given: Readonly<Record<string, string>>): string {
  const { realm, nonce, cnonce, nc, qop, uri, algorithm } = given;
  const plain = md5(`${credentials.userName}:${realm}:${credentials.password}`);
  const ha1 = algorithm === "MD5-sess" ? md5(`${plain}:${nonce}:${cnonce}`) : plain;
  const ha2 = md5(`${method}:${uri}${qop === "auth-int" ? `:${md5(body)}` : ""}`);
  const once = qop === undefined ? nonce : `${nonce}:${nc}:${cnonce}:${qop}`;
  return md5(`${ha1}:${once}:${ha2}`);
}

const protections = [
  { algorithm: "MD5", qop: "auth-int", chosen: "auth-int" },
  { algorithm: "MD5-sess", qop: "auth", chosen: "auth" },
  { algorithm: "MD5-sess", qop: "auth-int", chosen: "auth-int" },
  { algorithm: "MD5-sess", qop: "auth-int,auth", chosen: "auth" },
  { algorithm: "MD5-sess", qop: undefined, chosen: undefined },
];
for (const { algorithm, qop, chosen } of protections) {
  sipTest(`clientAuthentication() answers ${algorithm} with qop ${qop}`, async () => {
    await using call = await startCall();
    const { trunk } = call;
    const quality = qop === undefined ? "" : `, qop="${qop}"`;

    trunk.respond(await trunk.request("INVITE"), 401, {
      headers: [
        `WWW-Authenticate: Digest realm="core.test", nonce="n", algorithm=${algorithm}${quality}`,
      ],
    });
    const proven = await trunk.request("INVITE");
    trunk.respond(proven, 486);
    await call.event("ended");

    const given = parseDigest(valueOf(proven, "authorization")) ?? {};
    assert.notEqual(proven.body, "");
    assert.deepEqual([given["algorithm"], given["qop"]], [algorithm, chosen]);
    assert.equal(given["response"], expected(proven, given));
  });
}

sipTest("clientAuthentication() says in the log what it cannot answer", async () => {
  await using call = await startCall();
  const { trunk, lab } = call;

  trunk.respond(await trunk.request("INVITE"), 401, {
    headers: [
      'WWW-Authenticate: Digest realm="core.test", nonce="n", algorithm=AKAv1-MD5, qop="auth"',
      'WWW-Authenticate: Digest realm="core.test", nonce="n", algorithm=MD5, qop="auth-conf"',
      "WWW-Authenticate: NTLM realm=x",
    ],
  });
  await call.event("ended");

  const [line] = lab.logged.filter((line) => line.startsWith("Cannot answer a challenge"));
  assert.match(line ?? "", /only Digest with MD5 or SHA-256 and qop auth or auth-int/);
  for (
    const asked of [/algorithm AKAv1-MD5, qop auth/, /algorithm MD5, qop auth-conf/, /scheme NTLM/]
  ) {
    assert.match(line ?? "", asked);
  }
});

sipTest("clientAuthentication() answers several realms at once", async () => {
  await using call = await startCall();
  const { trunk } = call;
  const other = { ...edge, realm: "other.test" };

  challenge(
    trunk,
    await trunk.request("INVITE"),
    edge,
    challengeBy(edge, "e1"),
    challengeBy(other, "o1"),
    challengeBy(core, "c1"),
  );
  const second = await trunk.request("INVITE");
  trunk.respond(second, 486);
  await call.event("ended");

  assert.deepEqual(proofs(second), {
    "authorization core.test": "c1 00000001 right",
    "proxy-authorization edge.test": "e1 00000001 right",
    "proxy-authorization other.test": "o1 00000001 right",
  });
});

sipTest("clientAuthentication() takes a new nonce for one too old, but once", async () => {
  await using call = await startCall();
  const { trunk } = call;

  challenge(trunk, await trunk.request("INVITE"), edge, challengeBy(edge, "e1"));
  await trunk.request("INVITE").then((again) =>
    challenge(trunk, again, edge, challengeBy(edge, "e2", ", stale=TRUE"))
  );
  const third = await trunk.request("INVITE");
  challenge(trunk, third, edge, challengeBy(edge, "e3", ", stale=true"));
  const ended = await call.event("ended");

  assert.deepEqual(proofs(third), { "proxy-authorization edge.test": "e2 00000001 right" });
  const detail = "Told So"; // The reason phrase of the trunk.
  assert.deepEqual(ended, { type: "ended", outcome: "failed", sipStatus: 407, detail });
});

sipTest("clientAuthentication() gives up where ever more servers ask", async () => {
  await using call = await startCall();
  const { trunk } = call;

  let asked = 0;
  const answerAll = async () => {
    for (;;) {
      const request = await trunk.request("INVITE");
      const realm = `realm${++asked}.test`;
      challenge(trunk, request, edge, challengeBy({ ...edge, realm }, "n"));
    }
  };
  void answerAll();
  const ended = await call.event("ended");

  assert.equal(ended.outcome, "failed");
  assert.equal(asked, 5);
});

sipTest("sendRegister() answers a proxy and the registrar behind it", async () => {
  await using trunk = await openTrunk();
  await using lab = await startTrunkLab();
  lab.service.trunks.gateways = [{
    gatewaySid: `GW${"1".repeat(32)}`,
    accountSid: `AC${"1".repeat(32)}`,
    version: "1",
    ...credentials,
    proxy: trunk.route.proxy,
    publicOnly: false,
    ttlS: 600,
  }];

  await lab.service.order(lab.companion.bridgeUrl, "/gateways", {});
  challenge(trunk, await trunk.request("REGISTER"), edge, challengeBy(edge, "e1"));
  challenge(trunk, await trunk.request("REGISTER"), core, challengeBy(core, "c1"));
  const third = await trunk.request("REGISTER");
  trunk.respond(third, 200);
  await lab.service.gatewayTold(({ status }) => status === "registered");
  lab.service.trunks.gateways = [];
  await lab.service.order(lab.companion.bridgeUrl, "/gateways", {});
  const last = await trunk.request("REGISTER");
  trunk.respond(last, 200);

  assert.deepEqual(proofs(third), {
    "authorization core.test": "c1 00000001 right",
    "proxy-authorization edge.test": "e1 00000002 right",
  });
  assert.deepEqual([third, last].map((one) => valueOf(one, "cseq")), ["3 REGISTER", "4 REGISTER"]);
});
