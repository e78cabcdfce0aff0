import assert from "node:assert/strict";
import { type App, startApp } from "../support/service/app.ts";
import { callOf, companionOf, made, xml } from "../support/service/hand_companion.ts";

const wanted = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice" };

async function placed(app: App, form: Record<string, string>): Promise<string> {
  await made(app.root, "Clients", { Login: "alice", Password: "secret" });
  app.answers = () => xml("<Hangup/>");
  const { sid } = await made(app.root, "Calls", { ...wanted, ...form });
  await app.runJobs();
  return sid;
}

Deno.test("POST /Calls with MachineDetection requests the Url once the answerer is detected", async () => {
  using app = await startApp();
  const sid = await placed(app, {
    MachineDetection: "Enable",
    StatusCallback: "https://app.test/events",
    StatusCallbackEvent: "answered completed",
  });
  const [step] = app.scripts[0]!.script;
  assert.ok(step?.type === "invite");
  assert.deepEqual(step.machineDetection, {
    timeoutS: 30,
    untilEnd: false,
    speechThresholdMs: 2_400,
    speechEndMs: 1_200,
    silenceMs: 5_000,
  });

  const leg = companionOf(app, sid);
  await leg.report({ type: "answered" }, { wantsScript: false });
  assert.equal((await callOf(app, sid)).status, "in-progress");
  assert.equal(app.fetched.length, 0);
  const script = await leg.report({ type: "detected", answeredBy: "machine" });
  assert.deepEqual(script, [{ type: "hangup" }]);
  const [request] = app.fetched;
  const form = new URLSearchParams(await request!.text());
  assert.equal(form.get("AnsweredBy"), "machine");
  assert.equal((await callOf(app, sid)).answered_by, "machine");

  await leg.report({ type: "ended", outcome: "completed" });
  await app.runJobs();
  const told = await Promise.all(app.fetched.slice(1).map((one) => one.clone().text()));
  const callbacks = told.map((text) => new URLSearchParams(text));
  const completed = callbacks.find((one) => one.get("CallStatus") === "completed");
  assert.equal(completed?.get("AnsweredBy"), "machine");
});

Deno.test("POST /Calls takes how long to listen, and until when", async () => {
  using app = await startApp();
  await placed(app, {
    MachineDetection: "DetectMessageEnd",
    MachineDetectionTimeout: "10",
    MachineDetectionSpeechThreshold: "4800",
    MachineDetectionSpeechEndThreshold: "900",
    MachineDetectionSilenceTimeout: "3000",
  });
  const [step] = app.scripts[0]!.script;
  assert.ok(step?.type === "invite");
  assert.deepEqual(step.machineDetection, {
    timeoutS: 10,
    untilEnd: true,
    speechThresholdMs: 4_800,
    speechEndMs: 900,
    silenceMs: 3_000,
  });

  for (
    const [form, message] of [
      [{ MachineDetection: "maybe" }, /MachineDetection must be one of Enable, DetectMessageEnd/],
      [{ MachineDetectionTimeout: "2" }, /MachineDetectionTimeout/],
      [{ MachineDetectionTimeout: "60" }, /MachineDetectionTimeout/],
      [{ MachineDetectionSpeechThreshold: "999" }, /MachineDetectionSpeechThreshold/],
      [{ MachineDetectionSpeechThreshold: "6001" }, /MachineDetectionSpeechThreshold/],
      [{ MachineDetectionSpeechEndThreshold: "499" }, /MachineDetectionSpeechEndThreshold/],
      [{ MachineDetectionSpeechEndThreshold: "5001" }, /MachineDetectionSpeechEndThreshold/],
      [{ MachineDetectionSilenceTimeout: "1999" }, /MachineDetectionSilenceTimeout/],
      [{ MachineDetectionSilenceTimeout: "soon" }, /MachineDetectionSilenceTimeout/],
    ] as const
  ) {
    const answer = await app.root.post("Calls.json", { ...wanted, ...form });
    assert.equal(answer.status, 400);
    assert.match(answer.json().message, message);
  }
});
