import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { StreamChange, StreamOrder } from "../../core/protocol/streams.ts";
import { closeLostCompanions } from "../../core/reports/heartbeats.ts";
import type { Stream } from "../../core/model/resources/streams.ts";
import { type App, startApp } from "../support/service/app.ts";
import { companion, made, notifications } from "../support/service/hand_companion.ts";
import { caller, consult, leg } from "../support/sip/conference_callers.ts";

const streamUrl = "wss://agent.test/audio";

/** A call that is answered, and the order of the stream in its markup. */
async function streaming(app: App, markup: string) {
  const call = await caller(app, "1", markup);
  await call.report({ type: "answered" }, { wantsScript: false });
  const [step] = await consult(call, call.script);
  assert.ok(step?.type === "stream", Deno.inspect(step));
  let seq = 0;
  const tell = (news: StreamChange) =>
    call.report({ type: "stream", sid: step.stream.sid, seq: seq++, news });
  return { ...call, step, stream: step.stream, tell };
}

const connect = (attributes = "", inside = "") =>
  `<Connect${attributes}><Stream url="${streamUrl}" name="agent" ` +
  `statusCallback="/streams">${inside}</Stream></Connect><Hangup/>`;

const recordOf = async (app: App, { sid }: StreamOrder) =>
  (await app.root.get(`Streams/${sid}.json`)).json();

/** Events and errors of the status callbacks. */
async function callbacks(app: App): Promise<string[][]> {
  await app.runJobs();
  const sent = app.fetched.filter(({ url }) => url === "https://app.test/streams");
  const forms = await Promise.all(
    sent.map(async (request) => new URLSearchParams(await request.clone().text())),
  );
  return forms.map((form) => [form.get("StreamEvent") ?? "", form.get("StreamError") ?? ""]);
}

Deno.test("Connect with a Stream makes a record, and an order with a signed handshake", async () => {
  using app = await startApp();
  const parameter = '<Parameter name="room" value="7"/>';

  const { stream, script } = await streaming(app, connect("", parameter));

  assert.deepEqual(script.map(({ type }) => type), ["answer", "consult", "hangup"]);
  const { headers, ...order } = stream;
  assert.match(order.sid, /^MZ[0-9a-f]{32}$/);
  assert.deepEqual(order, {
    sid: order.sid,
    accountSid: app.root.sid,
    name: "agent",
    url: streamUrl,
    tracks: ["inbound"],
    isBidirectional: true,
    parameters: { room: "7" },
    encoding: "audio/x-mulaw",
    queueS: 120,
  });
  const token = app.root.token;
  const signature = createHmac("sha1", token).update(streamUrl).digest("base64");
  assert.equal(headers["x-twilio-signature"], signature);
  const [at] = /(?<=t=)\d+/.exec(headers["x-switchboard-signature"]!)!;
  const own = createHmac("sha256", token).update(`${at}.GET.${streamUrl}.`).digest("hex");
  assert.equal(headers["x-switchboard-signature"], `t=${at},v1=${own}`);
  const record = await recordOf(app, stream);
  assert.deepEqual(
    [record.status, record.call_sid, record.name, record.track, record.bidirectional],
    ["in-progress", leg("1"), "agent", "inbound_track", true],
  );
});

Deno.test("The credentials in the URL of a Stream become a header, and no record has them", async () => {
  using app = await startApp();
  const markup = '<Connect><Stream url="wss://me:secret@agent.test/"/></Connect>';

  const { stream } = await streaming(app, markup);

  assert.equal(stream.url, "wss://agent.test/");
  assert.equal(stream.headers.authorization, `Basic ${btoa("me:secret")}`);
  assert.equal((await recordOf(app, stream)).url, "wss://agent.test/");
});

Deno.test("A report of a consult that comes again brings the same stream", async () => {
  using app = await startApp();
  const { stream, repeat, script } = await streaming(app, connect());
  assert.equal(script.length, 3);

  const [step] = await repeat();

  assert.ok(step?.type === "stream");
  assert.equal(step.stream.sid, stream.sid);
  assert.equal((await app.root.get("Streams.json")).json().total, 1);
});

Deno.test("Callbacks report the start, an error and the end of a stream, each once", async () => {
  using app = await startApp();
  const { tell, repeat, stream } = await streaming(app, connect());

  await tell({ kind: "started" });
  await repeat();
  await tell({ kind: "problem", fault: "overflow", message: "too much audio" });
  await tell({ kind: "ended", how: "closed", lostFrames: 0 });
  await tell({ kind: "ended", how: "closed", lostFrames: 0 });

  assert.deepEqual(await callbacks(app), [
    ["stream-started", ""],
    ["stream-error", "too much audio"],
    ["stream-stopped", ""],
  ]);
  assert.equal((await recordOf(app, stream)).status, "stopped");
  assert.match(
    (await notifications(app))[0]!,
    /^Cannot queue more audio .*: MZ.*: too much audio$/,
  );
});

Deno.test("A stream whose server is gone leaves an error, a Notification and the lost frames", async () => {
  using app = await startApp();
  const { tell, stream } = await streaming(app, connect());

  await tell({ kind: "started" });
  await tell({
    kind: "ended",
    how: "failed",
    fault: "unreachable",
    message: "the connection broke off",
    lostFrames: 3,
  });

  const record = await recordOf(app, stream);
  assert.deepEqual(
    [record.status, record.error, record.lost_frames],
    ["stopped", "the connection broke off", 3],
  );
  assert.deepEqual((await callbacks(app)).map(([event]) => event), [
    "stream-started",
    "stream-error",
    "stream-stopped",
  ]);
  assert.match((await notifications(app))[0]!, /server is not reached: MZ.*broke off/);
});

Deno.test("The action of Connect is requested with the stream that ended", async () => {
  using app = await startApp();
  const { tell, step, report, stream } = await streaming(app, connect(' action="/after"'));
  assert.ok(step.type === "stream" && step.action);
  await tell({ kind: "ended", how: "closed", lostFrames: 0 });

  await report({ type: "streamed", sid: stream.sid, action: step.action });

  const request = app.fetched.find(({ url }) => url === "https://app.test/after");
  const form = new URLSearchParams(await request?.text());
  assert.deepEqual(
    [form.get("StreamSid"), form.get("StreamName"), form.get("StreamStatus")],
    [stream.sid, "agent", "stopped"],
  );
});

Deno.test("Start begins copies beside the document, and answers no caller of a Dial", async () => {
  using app = await startApp();
  const start = `<Start><Stream url="${streamUrl}" track="both_tracks"/></Start>`;

  const { script } = await caller(app, "1", `${start}<Dial><Client>bob</Client></Dial>`);
  const paused = await caller(app, "2", `${start}<Pause length="9"/>`);

  assert.deepEqual(script.map(({ type }) => type), ["consult", "dial", "hangup"]);
  assert.deepEqual(paused.script.map(({ type }) => type), [
    "answer",
    "consult",
    "silence",
    "hangup",
  ]);
  const [step] = await consult(paused, paused.script);
  assert.ok(step?.type === "stream");
  assert.deepEqual(step.stream.tracks, ["inbound", "outbound"]);
  assert.equal(step.stream.isBidirectional, false);
  assert.equal(step.stream.name, step.stream.sid);
});

Deno.test("Stop ends a stream by its name", async () => {
  using app = await startApp();

  const { script } = await caller(app, "1", '<Stop><Stream name="agent"/></Stop><Say>Bye</Say>');

  assert.deepEqual(script[0], { type: "stopStream", name: "agent" });
});

for (
  const [what, url] of [
    ["ws", "ws://agent.test/"],
    ["a query", "wss://agent.test/?a=1"],
    ["http", "https://agent.test/"],
  ]
) {
  Deno.test(`A Stream with ${what} in its URL leaves a Notification`, async () => {
    using app = await startApp();
    const markup = `<Start><Stream url="${url}"/></Start><Hangup/>`;

    const call = await caller(app, "1", markup);
    if (call.script.some(({ type }) => type === "consult")) await consult(call, call.script);

    assert.match(
      (await notifications(app))[0]!,
      /ws is not encrypted|query in the url|no wss address/,
    );
  });
}

Deno.test("A fifth copy, and a second stream of a name, are refused with a Notification", async () => {
  using app = await startApp();
  const stream = (name: string) => `<Start><Stream url="${streamUrl}" name="${name}"/></Start>`;
  const names = ["a", "b", "b", "c", "d", "e"];
  const call = await caller(app, "1", names.map(stream).join("") + "<Pause/>");
  await call.report({ type: "answered" }, { wantsScript: false });

  const answers = [];
  for (const step of call.script) {
    if (step.type !== "consult") continue;
    app.clock.now += 10;
    const { serviceContext } = step;
    answers.push(await call.report({ type: "consulting", serviceContext }));
  }

  assert.deepEqual(answers.map(({ length }) => length), [1, 1, 0, 1, 1, 0]);
  const told = await notifications(app);
  assert.match(told[1]!, /a stream named "b" is open$/);
  assert.match(told[0]!, /the call has 4$/);
});

Deno.test("POST Calls/{Sid}/Streams starts a copy with parameters, and Status=stopped ends it", async () => {
  using app = await startApp();
  const call = await caller(app, "1", "<Pause length='60'/>");
  await call.report({ type: "answered" }, { wantsScript: false });
  const path = `Calls/${call.leg}/Streams`;

  const started = await made(app.root, path, {
    Url: streamUrl,
    Name: "monitor",
    Track: "both_tracks",
    "Parameter1.Name": "room",
    "Parameter1.Value": "7",
    "Parameter2.Name": "empty",
  });
  const byName = await made(app.root, `${path}/monitor`, { Status: "stopped" });
  const list = (await app.root.get(`${path}.json`)).json();

  const [start, stop] = app.streamOrders;
  assert.ok(start?.order.type === "start");
  assert.deepEqual(start.order.stream.parameters, { room: "7", empty: "" });
  assert.deepEqual(start.order.stream.tracks, ["inbound", "outbound"]);
  assert.deepEqual(stop, { leg: call.leg, order: { type: "stop", sid: started.sid } });
  assert.equal(started.status, "in-progress");
  assert.equal(byName.sid, started.sid);
  assert.deepEqual(list.streams.map(({ sid }: { sid: string }) => sid), [started.sid]);
});

Deno.test("POST Calls/{Sid}/Streams names the wrong parameter", async () => {
  using app = await startApp();
  const call = await caller(app, "1", "<Pause length='60'/>");
  const path = `Calls/${call.leg}/Streams.json`;
  const refused = async (form: Record<string, string>) => (await app.root.post(path, form)).json();

  const early = await refused({ Url: streamUrl });
  await call.report({ type: "answered" }, { wantsScript: false });
  const answers = [
    await refused({}),
    await refused({ Url: "https://agent.test" }),
    await refused({ Url: "wss://agent.test/?a=1" }),
    await refused({ Url: streamUrl, Track: "inbound" }),
    await refused({ Url: streamUrl, "Parameter1.Value": "x" }),
    await refused({ Url: streamUrl, "Parameter1.Name": "mediaFormat", "Parameter1.Value": "mp3" }),
  ];

  assert.equal(early.code, 21221);
  assert.deepEqual(answers.map(({ code }) => code), [31940, 31940, 31940, 20001, 20001, 20001]);
  assert.deepEqual(app.streamOrders, []);
});

Deno.test("a stream whose order was lost with the service that committed it ends, and says so", async () => {
  const directory = await Deno.makeTempDir();
  const location = `${directory}/store`;
  const path = `Calls/${leg("1")}/Streams.json`;
  try {
    {
      using killed = await startApp({ shared: { location, instance: 0 } });
      const call = await caller(killed, "1", "<Pause length='600'/>");
      await call.report({ type: "answered" }, { wantsScript: false });
      // It is killed after the commit, before the companion had the order.
      const committed = Promise.withResolvers<void>();
      killed.ports.control.stream = () => (committed.resolve(), new Promise(() => {}));
      void killed.root.post(path, { Url: streamUrl, StatusCallback: "https://app.test/streams" });
      await committed.promise;
    }
    using app = await startApp({ shared: { location, instance: 1 } });
    const list = async (): Promise<Stream[]> => (await app.root.get(path)).json().streams;
    assert.deepEqual((await list()).map(({ status }) => status), ["in-progress"]);
    app.clock.now += 29_000;
    await app.runJobs();
    assert.deepEqual((await list()).map(({ status }) => status), ["in-progress"]);
    app.clock.now += 2_000;
    const message = "the service was interrupted before the stream began; start it again";
    const told = await callbacks(app);

    const [stream] = await list();
    assert.equal(stream?.status, "stopped");
    assert.deepEqual(told, [["stream-error", message], ["stream-stopped", ""]]);
    const stop = { leg: leg("1"), order: { type: "stop", sid: stream.sid } };
    assert.deepEqual(app.streamOrders, [stop]);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("a stream of a request that its companion has reported goes on", async () => {
  using app = await startApp();
  const call = await caller(app, "1", "<Pause length='600'/>");
  await call.report({ type: "answered" }, { wantsScript: false });
  const { sid } = await made(app.root, `Calls/${call.leg}/Streams`, { Url: streamUrl });
  await call.report({ type: "stream", sid, seq: 0, news: { kind: "started" } });
  app.clock.now += 31_000;
  await app.runJobs();

  assert.equal((await app.root.get(`Streams/${sid}.json`)).json().status, "in-progress");
  assert.deepEqual(app.streamOrders.map(({ order }) => order.type), ["start"]);
});

Deno.test("No account reaches the streams of another", async () => {
  using app = await startApp();
  const { stream } = await streaming(app, connect());
  const other = await app.subAccount(app.root, "other");

  for (const path of [`Streams/${stream.sid}`, `Calls/${leg("1")}/Streams/${stream.sid}`]) {
    assert.equal((await other.get(`${path}.json`)).status, 404);
  }
});

Deno.test("The end of a call ends its streams", async () => {
  using app = await startApp();
  const { report, stream } = await streaming(app, connect());

  await report({ type: "ended", outcome: "completed" });

  assert.equal((await recordOf(app, stream)).status, "stopped");
  assert.deepEqual(await callbacks(app), [["stream-stopped", ""]]);
});

Deno.test("The death of a companion ends the streams of its calls", async () => {
  using app = await startApp();
  const { stream } = await streaming(app, connect());
  await app.ports.companions.beat({ ...companion, seenAt: app.clock.now });
  app.clock.now += 60_000;

  await closeLostCompanions(app.ports);

  assert.equal((await recordOf(app, stream)).status, "stopped");
  assert.deepEqual(await callbacks(app), [["stream-stopped", ""]]);
});
