import assert from "node:assert/strict";
import { type Answer, answerOf } from "../../core/base/outgoing.ts";
import { type Report, scriptAnswer } from "../../core/protocol/companion.ts";
import { serviceRequests } from "../../core/protocol/requests.ts";
import { signatureHeader, signRequest } from "../../core/protocol/signature.ts";
import { protocolRoutes } from "../../routes/protocol/routes.ts";
import { type App, startApp } from "../support/service/app.ts";
import { companion, xml } from "../support/service/hand_companion.ts";
import { newLeg } from "../support/sip/sip_lab.ts";

const secret = "a secret of both sides";

/** A service, and two Clients; the application server of slow answers when it is told to. */
async function startQuestions() {
  const document = Promise.withResolvers<Answer>();
  const fetched = Promise.withResolvers<AbortSignal>();
  const app = await startApp({
    mounts: (ports) => ({ bridge: protocolRoutes(ports, secret) }),
    ports: {
      fetch(request) {
        fetched.resolve(request.signal);
        const { promise, reject } = Promise.withResolvers<Answer>();
        request.signal.addEventListener("abort", () => reject(request.signal.reason));
        return Promise.race([promise, document.promise]);
      },
    },
  });
  const client = async (Login: string, form = {}) =>
    (await app.root.post("Clients.json", { Login, Password: "secret", ...form })).json().sid;
  const sids = {
    slow: await client("slow", { VoiceUrl: "https://app.test/voice" }),
    quick: await client("quick"),
  };
  return {
    app,
    /** The search for the slow document. */
    searching: fetched.promise,
    answer: () => document.resolve(answerOf(xml("<Hangup/>"))),
    incoming: (login: "slow" | "quick"): Report => ({
      companion,
      leg: newLeg(),
      accountSid: app.root.sid,
      seq: 0,
      at: app.clock.now,
      event: {
        type: "incoming",
        login,
        clientSid: sids[login],
        uri: "sip:quick@sip.test",
        sipCallId: "sip-1",
        headers: {},
      },
      wantsScript: true,
    }),
    [Symbol.dispose]: () => app[Symbol.dispose](),
  };
}

async function post(app: App, path: string, reports: unknown[]): Promise<Response> {
  const body = JSON.stringify({ reports });
  const signature = signRequest(secret, { at: app.clock.now, method: "POST", path, body });
  const init = { method: "POST", headers: { [signatureHeader]: signature }, body };
  return await app.http.request(path, init);
}

async function lineOf(answer: ReadableStreamDefaultReader<Uint8Array>) {
  const { value } = await answer.read();
  const text = new TextDecoder().decode(value);
  assert.ok(text.endsWith("\n"), text);
  return scriptAnswer.parse(JSON.parse(text));
}

Deno.test("POST /bridge/questions answers each by a line of its own, when it can", async () => {
  using lab = await startQuestions();
  const reports = [lab.incoming("slow"), lab.incoming("quick")];

  const response = await post(lab.app, serviceRequests.scripts.path, reports);
  const reader = response.body!.getReader();
  const quick = await lineOf(reader);
  lab.answer();
  const slow = await lineOf(reader);

  assert.equal(response.status, 200);
  assert.deepEqual([quick.at, quick.outcome, quick.script[0]?.type], [1, "taken", "dial"]);
  assert.deepEqual([slow.at, slow.outcome, slow.script.at(-1)?.type], [0, "taken", "hangup"]);
  assert.equal((await reader.read()).done, true);
});

Deno.test("POST /bridge/questions ends a search when its leg reports another event", async () => {
  using lab = await startQuestions();
  const report = lab.incoming("slow");
  const response = await post(lab.app, serviceRequests.scripts.path, [report]);
  const search = await lab.searching;

  await post(lab.app, serviceRequests.events.path, [{ ...report, wantsScript: false }]);

  assert.equal(search.aborted, true);
  assert.deepEqual(await lineOf(response.body!.getReader()), {
    at: 0,
    outcome: "taken",
    script: [],
  });
});

Deno.test("POST /bridge/questions ends every search when the companion hangs up", async () => {
  using lab = await startQuestions();
  const response = await post(lab.app, serviceRequests.scripts.path, [lab.incoming("slow")]);
  const search = await lab.searching;

  await response.body!.cancel();

  assert.equal(search.aborted, true);
});

Deno.test("POST /bridge/questions reports the outcome of each, and refuses other reports", async () => {
  using lab = await startQuestions();
  const strange = { ...lab.incoming("quick"), accountSid: `AC${"f".repeat(32)}` };

  const response = await post(lab.app, serviceRequests.scripts.path, [
    strange,
    lab.incoming("quick"),
  ]);
  const lines = (await response.text()).trim().split("\n").map((line) => JSON.parse(line));
  const unreadable = await post(lab.app, serviceRequests.scripts.path, [{ leg: "none" }]);

  assert.equal(lines.find(({ at }) => at === 1).outcome, "taken");
  assert.notEqual(lines.find(({ at }) => at === 0).script[0]?.type, "dial");
  assert.equal(unreadable.status, 400);
});
