import type { Trace } from "../../../core/protocol/traces.ts";
import { newBase } from "../../../core/model/resource.ts";
import { wavHeader } from "../../../core/recordings/wav_header.ts";
import { type Recording, recordings } from "../../../core/model/resources/recordings.ts";
import { transcriptions } from "../../../core/model/resources/transcriptions.ts";
import type { App } from "../service/app.ts";
import { dayMs, deliver, document, insertCall, notice, server } from "./records.ts";

/** Yesterday's call whose second markup could not be fetched. */
export async function brokenCall(app: App): Promise<string> {
  const startTime = app.clock.now;
  const call = await insertCall(app, {
    from: "+14155550142",
    to: "+12125550100",
    status: "completed",
    startTime,
    answeredAt: startTime + 320,
    endTime: startTime + 19_400,
    duration: 19,
    price: "0.0085",
    direction: "inbound",
  });
  await document(app, call.sid, { startTime: startTime + 40 });
  app.clock.now = startTime + 19_000;
  const url = `${server}/ivr/billing`;
  const messageText = "Cannot fetch the markup document: the server answered 502";
  await document(app, call.sid, {
    url,
    startTime: startTime + 18_700,
    status: 502,
    duration: 312,
    requestVariables: { CallSid: call.sid, Digits: "2", From: call.from, To: call.to },
    responseHeaders: "content-type: text/html\nserver: nginx",
    responseBody: "<html><body><h1>502 Bad Gateway</h1></body></html>",
    verbs: "",
    error: messageText,
  });
  await notice(app, { callSid: call.sid, errorCode: 11210, messageText, requestUrl: url });
  await deliver(app, call, "delivered");
  return call.sid;
}

/** A call that the carrier refused. */
export async function refusedCall(app: App): Promise<string> {
  const startTime = app.clock.now;
  const call = await insertCall(app, {
    from: "+12125550100",
    to: "+442079460018",
    status: "failed",
    startTime,
    endTime: startTime + 1_900,
    direction: "outbound-api",
  });
  const ends = {
    transport: "TLS",
    local: { host: "192.0.2.1", port: 5061 },
    remote: { host: "198.51.100.7", port: 5061 },
  } as const;
  const message = (at: number, direction: "sent" | "received", first: string) => ({
    ...ends,
    at: startTime + at,
    direction,
    text:
      `${first}\r\nVia: SIP/2.0/TLS 192.0.2.1:5061;branch=z9hG4bK7d8a\r\nCall-ID: 6f2d@sip.test\r\nCSeq: 1 INVITE\r\n\r\n`,
  });
  const trace: Trace = {
    dropped: 0,
    messages: [
      message(40, "sent", "INVITE sip:+442079460018@sip.carrier.example SIP/2.0"),
      message(62, "received", "SIP/2.0 100 Trying"),
      message(410, "received", "SIP/2.0 183 Session Progress"),
      message(1_870, "received", "SIP/2.0 503 Service Unavailable"),
      message(1_880, "sent", "ACK sip:+442079460018@sip.carrier.example SIP/2.0"),
    ],
  };
  await app.ports.sipTraces.put({ accountSid: app.root.sid, sid: call.sid }, trace, dayMs);
  await deliver(app, call, "failed");
  return call.sid;
}

/** A call with a leg, input, a recording with its text, callbacks and something skipped. */
export async function wholeCall(app: App) {
  const startTime = app.clock.now;
  const call = await insertCall(app, {
    from: "+12125550177",
    to: "+12125550100",
    callerName: "Grace Hopper",
    status: "completed",
    startTime,
    answeredAt: startTime + 640,
    endTime: startTime + 184_000,
    duration: 183,
    price: "0.0340",
    direction: "inbound",
  });
  const documentSid = await document(app, call.sid, {
    startTime: startTime + 60,
    skipped: "verb Fax; attribute voice of Say",
    verbs: "Say, Gather, Fax",
  });
  app.clock.now = startTime + 9_000;
  await document(app, call.sid, {
    url: `${server}/ivr/sales`,
    requestVariables: { CallSid: call.sid, Digits: "1", From: call.from, To: call.to },
    verbs: "Dial",
    duration: 22,
  });
  await insertCall(app, {
    parentCallSid: call.sid,
    from: call.from,
    to: "client:ana.moreno",
    status: "completed",
    startTime: startTime + 9_100,
    answeredAt: startTime + 14_000,
    endTime: startTime + 183_900,
    duration: 170,
    direction: "outbound-dial",
  });
  const recording: Recording = {
    ...newBase(recordings, app.root.sid, app.ports),
    callSid: call.sid,
    duration: 4.25,
    apiVersion: "2012-04-24",
    fileUri: null,
    status: "completed",
    s3Uri: null,
    channels: 1,
    statusCallback: null,
    transcribe: true,
    transcribeCallback: null,
    isStored: true,
    source: "DialVerb",
    track: "both",
    conferenceSid: null,
    halt: null,
    changes: 0,
    liveSlot: null,
  };
  await app.ports.records.recordings.insert({ record: recording });
  const samples = Int16Array.from(
    { length: 34_000 },
    (_, at) => 9_000 * Math.sin(at / 9) * Math.abs(Math.sin(at / 2_600)) ** 3,
  );
  const wav = new Uint8Array(44 + samples.byteLength);
  wav.set(wavHeader(1, samples.byteLength));
  wav.set(new Uint8Array(samples.buffer), 44);
  await app.ports.blobs.write(app.root.sid, recording.sid, 0, wav);
  const text = {
    ...newBase(transcriptions, app.root.sid, app.ports),
    status: "completed" as const,
    recordingSid: recording.sid,
    duration: 4.25,
    transcriptionText:
      "Hello, this is Grace. I would like to order forty of the large ones, to be delivered on Friday.",
    price: "0.05",
  };
  await app.ports.records.transcriptions.insert({
    record: text,
    charges: [{ category: "transcriptions", priceMicros: 50_000, usage: 1, at: app.clock.now }],
  });
  const delivery = await deliver(app, { ...call }, "delivered");
  return {
    sid: call.sid,
    sids: {
      Recordings: recording.sid,
      Transcriptions: text.sid,
      "Webhooks/Documents": documentSid,
      "Webhooks/Deliveries": delivery.sid,
    },
  };
}
