import type { Trace } from "../../../core/protocol/traces.ts";
import { wavHeader } from "../../../core/recordings/wav_header.ts";
import { resources } from "../../../core/model/resources/mod.ts";
import type { App } from "./app.ts";
import { makeParticipant, makeSample, sampledNames } from "./samples.ts";

const ends = {
  transport: "UDP",
  local: { host: "192.0.2.1", port: 5060 },
  remote: { host: "198.51.100.7", port: 5060 },
} as const;

/** The trace of a call that is busy. */
export const sampleTrace: Trace = {
  dropped: 0,
  messages: [
    {
      ...ends,
      at: Date.UTC(2024, 0, 31, 12),
      direction: "sent",
      text: "INVITE sip:alice@sip.test SIP/2.0\r\nCall-ID: one\r\nCSeq: 1 INVITE\r\n\r\n",
    },
    {
      ...ends,
      at: Date.UTC(2024, 0, 31, 12, 0, 0, 25),
      direction: "received",
      text: "SIP/2.0 486 Busy Here\r\nCall-ID: one\r\nCSeq: 1 INVITE\r\n\r\n",
    },
  ],
};

/** A dry run: a key is pressed in a menu, and the response of the server is still missing. */
export const dryRun = {
  Flow: JSON.stringify({
    start: "menu",
    steps: {
      menu: {
        type: "gather",
        prompts: [{ say: "Press 1" }],
        branches: [{ digits: "1", next: "find" }],
      },
      find: {
        type: "externalService",
        url: "https://crm.example.com/$From",
        extract: { name: "customer.name" },
      },
    },
  }),
  Inputs: JSON.stringify([{ type: "keys", digits: "1" }]),
};

/** Makes one of everything that can be read; returns what fills a path's parameters with it. */
export async function fillIn(app: App): Promise<(path: string) => string> {
  const sids: Record<string, string> = {};
  for (const name of sampledNames) {
    sids[resources[name].path] = await makeSample(app, app.root, { name });
  }
  await makeParticipant(app, sids.Conferences!, sids.Calls!);
  await app.ports.records.streams.update(
    app.root.sid,
    sids.Streams!,
    (record) => ({ record: { ...record, callSid: sids.Calls! } }),
  );
  await app.ports.blobs.write(app.root.sid, sids.Recordings!, 0, wavHeader(1, 0));
  await app.ports.sipTraces.put(
    { accountSid: app.root.sid, sid: sids.Calls! },
    sampleTrace,
    app.ports.settings.sipTraceMs,
  );
  const lookUp = { DeviceIdentifier: "+59899077937", StatusCallback: "https://app.test/found" };
  const fence = {
    EventGeofenceLatitude: "-33.4",
    EventGeofenceLongitude: "-70.5",
    GeofenceRange: "500",
    GeofenceEvent: "in",
  };
  for (const type of ["Immediate", "Notification"]) {
    const form = type === "Immediate" ? lookUp : { ...lookUp, ...fence };
    sids[`Geolocation/${type}`] =
      (await app.root.post(`Geolocation/${type}.json`, form)).json().sid;
  }
  sids.Geolocation = sids["Geolocation/Immediate"]!;
  const email = { From: "a@app.test", To: "b@app.test", Subject: "Hi", Body: "hello" };
  await app.root.post("Email/Messages.json", email);
  const [sent] = (await app.root.get("Email/Messages.json")).json().messages;
  sids["Email/Messages"] = sent.sid;
  await app.root.post("AuthTokens/Secondary.json");
  sids.Keys = (await app.root.post("Keys.json")).json().sid;
  // An account whose limits the root account sets.
  const below = await app.subAccount(app.root, "limited");
  const values: Record<string, string> = {
    AccountSid: app.root.sid,
    CallSid: sids.Calls!,
    StreamSid: sids.Streams!,
    CountryCode: "CA",
    Day: "2024-01-31",
    Category: "phonenumbers",
    Code: "20404",
  };
  return (path) => {
    if (/\}\/Limits\b/.test(path)) return path.replace("{AccountSid}", below.sid);
    const list = /\{AccountSid\}\/(.+?)\/\{Sid\}/.exec(path)?.[1] ?? "";
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => values[name] ?? sids[list]!);
    // Only a stream that ends can be read as a whole.
    if (filled.endsWith("/Levels")) return `${filled}?CallSid=${sids.Calls}&Follow=false`;
    return filled.endsWith("/Events") ? `${filled}?Follow=false` : filled;
  };
}
