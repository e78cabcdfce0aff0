import assert from "node:assert/strict";
import type { Script } from "../../../core/protocol/script.ts";
import { loadAudio } from "../../../sip/media/sources/load_audio.ts";
import {
  invite,
  inviteScript,
  type SipLab,
  sipTest,
  startSipLab,
} from "../../support/sip/sip_lab.ts";

const next = (hops: number): Script[number] => ({
  type: "next",
  action: { url: "http://app.test/next", method: "POST", hops },
});

/** Calls alice, who answers, and performs a script after another; the last one ends the call. */
async function performAll(lab: SipLab, scripts: Script[]) {
  const phone = await lab.phone("alice");
  const invitation = invite("alice");
  lab.service.answer = () => scripts.shift() ?? [];
  await lab.run(invitation.leg, inviteScript(invitation));
  await (await phone.nextCall()).answer();
  await lab.service.event("ended", invitation.leg);
  return lab.service.reports.filter(({ leg }) => leg === invitation.leg).map(({ event }) => event);
}

const hopsOf = (events: Awaited<ReturnType<typeof performAll>>) =>
  events.flatMap((event) => event.type === "next" ? event.action.hops : []);

sipTest("perform() hands an action back as it is when no time passed", async () => {
  await using lab = await startSipLab({ loadAudio: () => Promise.reject(new Error("no audio")) });

  const events = await performAll(lab, [
    [{ type: "play", url: "http://a.test/none.wav", loop: 1 }, next(3)],
    [next(4)],
  ]);

  assert.deepEqual(hopsOf(events), [3, 4]);
});

const pauses: [what: string, step: Script[number]][] = [
  ["audio played", { type: "play", url: "http://a.test/a.wav", loop: 1 }],
  ["a silence passed", { type: "silence", seconds: 0.01 }],
];

for (const [what, step] of pauses) {
  sipTest(`perform() counts hops from 0 in the script in which ${what}`, async () => {
    await using lab = await startSipLab();

    const events = await performAll(lab, [[step, next(3)], [next(1)]]);

    assert.deepEqual(hopsOf(events), [0, 1]);
  });
}

sipTest(
  "perform() counts hops from 0 after a dial that took a second, not a short one",
  async () => {
    await using lab = await startSipLab();
    await lab.phone("bob").then((bob) => bob.onCall = (call) => call.ring());
    const dial = (timeoutS: number): Script[number] => ({
      type: "dial",
      legs: [invite("bob")],
      media: "anchored",
      timeoutS,
      timeLimitS: 60,
      action: { url: "http://app.test/dialled", method: "POST", hops: 3 },
    });

    const events = await performAll(lab, [[dial(0.05)], [dial(1.1)]]);

    const hops = events.flatMap((event) => event.type === "dialled" ? event.action?.hops : []);
    assert.deepEqual(hops, [3, 0]);
  },
);

sipTest("play() reports a problem and goes on when the server says nothing", async () => {
  const silent = Promise.withResolvers<Response>();
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => silent.promise,
  );
  const { port } = server.addr;
  await using lab = await startSipLab({ loadAudio: loadAudio({ fetch, timeoutMs: 50 }) });

  const events = await performAll(lab, [[
    { type: "play", url: `http://me:secret@127.0.0.1:${port}/a.wav`, loop: 1 },
    next(0),
  ]]);
  silent.resolve(new Response());

  const problem = events.find(({ type }) => type === "problem");
  assert.equal(
    problem?.type === "problem" && problem.message,
    `Cannot load audio from "http://127.0.0.1:${port}/a.wav": it took over 50 ms`,
  );
  assert.deepEqual(hopsOf(events), [0]);
});

Deno.test("loadAudio() names no password when a redirect or the network fails", async () => {
  const load = loadAudio({
    fetch: (url) => Promise.reject(new Error(`error sending request for url (${url})`)),
  });

  await assert.rejects(
    load("https://me:s@cret@app.test/a.wav?mail=me@app.test", new AbortController().signal),
    {
      message: 'Cannot load audio from "https://app.test/a.wav?mail=me@app.test": ' +
        "error sending request for url (https://app.test/a.wav?mail=me@app.test)",
    },
  );
});

sipTest(
  "perform() hands a note back: without an action at once, with one for the next script",
  async () => {
    await using lab = await startSipLab();
    const serviceContext = { kind: "sms", body: "hi" };
    const action = { url: "http://app.test/sent", method: "POST", hops: 2 } as const;

    const events = await performAll(lab, [
      [{ type: "note", serviceContext }, { type: "note", serviceContext, action }, next(9)],
      [{ type: "hangup" }],
    ]);

    assert.deepEqual(events.filter(({ type }) => type === "noted" || type === "next"), [
      { type: "noted", serviceContext },
      { type: "noted", serviceContext, action },
    ]);
  },
);
