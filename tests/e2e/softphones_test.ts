import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { type AppServer, startAppServer } from "../support/service/app_server.ts";
import {
  type BrowserSoftphone,
  openBrowserSoftphone,
  type SoftphoneKind,
} from "../support/browsers/browser_softphone.ts";
import { chromiumTest } from "../support/browsers/chromium.ts";
import { freeUdpPort } from "../support/media/free_udp_port.ts";
import { eventually } from "../support/process/eventually.ts";
import { sharedSystem } from "../support/process/shared_system.ts";
import { freePorts, startSystem, type System } from "../support/process/system.ts";
import { tone } from "../support/media/tone.ts";
import { udpPorts } from "../support/process/udp_ports.ts";
import { pcmFile } from "../support/media/wav_file.ts";

const kinds: SoftphoneKind[] = ["sip.js", "jssip"];
const heardPackets = 40;
const withSystem = sharedSystem();

/** A test with a browser, on a system that those of this file share. */
function softphoneTest(
  name: string,
  body: (browser: Browser, system: System) => Promise<void>,
): void {
  chromiumTest(name, (browser) => withSystem((system) => body(browser, system)));
}

/** Makes a Client and registers a browser's softphone as it. */
async function openPhone(
  { system, browser }: { system: System; browser: Browser },
  kind: SoftphoneKind,
  client: Record<string, string>,
): Promise<BrowserSoftphone> {
  const password = "secret";
  await system.post("Clients.json", { Password: password, ...client });
  const account = { login: client.Login!, password, domain: "localhost", wsUrl: system.wsUrl };
  const phone = await openBrowserSoftphone(browser, kind, account);
  await phone.register();
  return phone;
}

const callAlice = (app: AppServer) => ({
  From: "+15550001",
  To: "client:alice",
  Url: `${app.url}/voice`,
  StatusCallback: `${app.url}/events`,
  StatusCallbackEvent: "initiated ringing answered completed",
});

/** The calls that a system has from now on, newest first. */
async function callsFromNow(system: System): Promise<() => Promise<Record<string, string>[]>> {
  const { total: before } = await system.get("Calls.json");
  return async () => {
    const { total, calls } = await system.get("Calls.json");
    return calls.slice(0, total - before);
  };
}

const statusOf = async (system: System, sid: string) =>
  (await system.get(`Calls/${sid}.json`)).status;

for (const kind of kinds) {
  softphoneTest(
    `a REST call rings ${kind}, which answers and hears the WAV`,
    async (browser, system) => {
      await using app = startAppServer();
      app.pages.set("/voice", "<Response><Play loop='0'>tone.wav</Play></Response>");
      app.pages.set("/tone.wav", pcmFile(tone(1_000, 2)));
      const phone = await openPhone({ system, browser }, kind, { Login: "alice" });

      const { sid } = await system.post("Calls.json", callAlice(app));
      await phone.waitFor("answered");
      await phone.awaitTone(1_000);
      assert.equal(await statusOf(system, sid), "in-progress");
      await phone.hangup();

      const last = await app.asked("/events", ({ CallStatus }) => CallStatus === "completed");
      const told = app.sent("/events").toSorted((a, b) =>
        Number(a.SequenceNumber) - Number(b.SequenceNumber)
      );
      assert.deepEqual(
        told.map(({ CallStatus, SequenceNumber }) => `${SequenceNumber} ${CallStatus}`),
        ["0 initiated", "1 ringing", "2 in-progress", "3 completed"],
      );
      const call = await system.get(`Calls/${sid}.json`);
      assert.equal(call.status, "completed");
      assert.equal(call.duration, last.CallDuration);
      await phone.close();
    },
  );

  softphoneTest(
    `${kind} declines, lets it ring, is called off: failed, no-answer, canceled`,
    async (browser, system) => {
      await using app = startAppServer();
      const phone = await openPhone({ system, browser }, kind, { Login: "alice" });

      await phone.setAnswerMode("decline");
      const declined = await system.post("Calls.json", callAlice(app));
      // Both libraries decline with 480, which is no sign of being busy.
      await eventually("failed", async () => await statusOf(system, declined.sid) === "failed");

      await phone.setAnswerMode("manual");
      const ignored = await system.post("Calls.json", { ...callAlice(app), Timeout: "1" });
      await phone.waitFor("incoming");
      await eventually(
        "no-answer",
        async () => await statusOf(system, ignored.sid) === "no-answer",
      );

      const canceled = await system.post("Calls.json", callAlice(app));
      await eventually("ringing", async () => await statusOf(system, canceled.sid) === "ringing");
      await system.post(`Calls/${canceled.sid}.json`, { Status: "canceled" });
      await eventually("canceled", async () => await statusOf(system, canceled.sid) === "canceled");
      await phone.close();
    },
  );

  softphoneTest(
    `${kind} with a VoiceUrl gets its markup, and Dial joins it with another`,
    async (browser, system) => {
      await using app = startAppServer();
      app.pages.set("/in", "<Response><Dial action='done'><Client>bob</Client></Dial></Response>");
      app.pages.set("/done", "<Response><Play loop='0'>tone.wav</Play></Response>");
      app.pages.set("/tone.wav", pcmFile(tone(1_500, 2)));
      const callsOf = await callsFromNow(system);
      const client = { Login: "alice", VoiceUrl: `${app.url}/in` };
      const alice = await openPhone({ system, browser }, kind, client);
      const bob = await openPhone({ system, browser }, "jssip", { Login: "bob" });

      await alice.call("1234");
      await Promise.all([alice.waitFor("answered"), bob.waitFor("answered")]);
      await Promise.all([alice.awaitAudio(heardPackets), bob.awaitAudio(heardPackets)]);
      await bob.hangup();
      await alice.awaitTone(1_500); // The action's document, after bob is gone.
      await alice.hangup();

      const [action] = app.sent("/done");
      assert.equal(action?.DialCallStatus, "completed");
      await eventually("all calls end", async () => {
        const calls = await callsOf();
        return calls.length === 2 && calls.every(({ status }) => status === "completed");
      });
      await Promise.all([alice.close(), bob.close()]);
    },
  );
}

softphoneTest("sip.js and JsSIP call each other directly and talk", async (browser, system) => {
  const callsOf = await callsFromNow(system);
  const alice = await openPhone({ system, browser }, "sip.js", { Login: "alice" });
  const bob = await openPhone({ system, browser }, "jssip", { Login: "bob" });

  for (const [caller, callee, name] of [[alice, bob, "bob"], [bob, alice, "alice"]] as const) {
    await caller.call(name);
    await Promise.all([caller.waitFor("answered"), callee.waitFor("answered")]);
    await Promise.all([caller.awaitAudio(heardPackets), callee.awaitAudio(heardPackets)]);
    const stats = await callee.stats();
    assert.ok(stats.packetsSent > 0 && stats.totalAudioEnergy > 0);
    await callee.hangup();
    await Promise.all([caller.waitFor("ended"), callee.waitFor("ended")]);
  }
  const calls = await eventually("four records", async () => {
    const calls = await callsOf();
    return calls.length === 4 && calls;
  });
  const shown = calls.map((call) => `${call.direction} ${call.from} ${call.to}`).toSorted();
  assert.deepEqual(shown, [
    "inbound client:alice client:bob",
    "inbound client:bob client:alice",
    "outbound-dial client:alice client:bob",
    "outbound-dial client:bob client:alice",
  ]);
  await Promise.all([alice.close(), bob.close()]);
});

chromiumTest("two softphones talk by MEDIA_PORT, the only UDP port there is", async (browser) => {
  const port = freeUdpPort();
  await using app = startAppServer();
  app.pages.set("/in", "<Response><Dial><Client>bob</Client></Dial></Response>");
  await using system = await startSystem({ env: { MEDIA_PORT: String(port) } });
  const client = { Login: "alice", VoiceUrl: `${app.url}/in` };
  const alice = await openPhone({ system, browser }, "sip.js", client);
  const bob = await openPhone({ system, browser }, "jssip", { Login: "bob" });

  await alice.call("1234");
  await Promise.all([alice.waitFor("answered"), bob.waitFor("answered")]);
  await Promise.all([alice.awaitAudio(heardPackets), bob.awaitAudio(heardPackets)]);

  assert.deepEqual(await udpPorts(system.pids("sip/main.ts")[0]), new Set([port]));
  await bob.hangup();
  await alice.waitFor("ended");
  await Promise.all([alice.close(), bob.close()]);
});

chromiumTest("a softphone on MEDIA_PORT talks by a trunk that leads back here", async (browser) => {
  const [sipPort] = freePorts(1) as [number];
  const host = "127.0.0.1";
  const number = "+14155550101";
  await using app = startAppServer();
  app.pages.set(
    "/out",
    `<Response><Dial><Sip>sip:${number}@${host}:${sipPort}</Sip></Dial></Response>`,
  );
  app.pages.set("/in", "<Response><Play loop='0'>tone.wav</Play></Response>");
  app.pages.set("/tone.wav", pcmFile(tone(1_500, 2)));
  await using system = await startSystem({
    env: {
      MEDIA_PORT: String(freeUdpPort()),
      RTP_PORTS: "0",
      SIP_UDP_PORT: String(sipPort),
      DIAL_SIP_HOSTS: host,
      SIP_TRUSTED_SOURCES: host,
    },
  });
  await system.post("IncomingPhoneNumbers.json", {
    PhoneNumber: number,
    VoiceUrl: `${app.url}/in`,
  });
  const client = { Login: "alice", VoiceUrl: `${app.url}/out` };
  const alice = await openPhone({ system, browser }, "sip.js", client);

  await alice.call("1234");
  await alice.awaitTone(1_500);
  await alice.hangup();

  await eventually("all three calls end", async () => {
    const { calls } = await system.get("Calls.json");
    return calls.length === 3 &&
      calls.every(({ status }: { status: string }) => status === "completed");
  });
  await alice.close();
});

softphoneTest("a softphone with the wrong password is not let in", async (browser, system) => {
  await system.post("Clients.json", { Login: "alice", Password: "secret" });
  for (const kind of kinds) {
    const account = { login: "alice", password: "guess", domain: "localhost", wsUrl: system.wsUrl };
    const phone = await openBrowserSoftphone(browser, kind, account);
    const refused = kind === "sip.js" ? "unregistered" : "registrationFailed";
    void phone.register().catch(() => {}); // It waits for what will not come.
    await phone.waitFor(refused);
    await phone.close().catch(() => {});
  }
  const failed = await system.post("Calls.json", {
    From: "me",
    To: "client:alice",
    Url: "http://127.0.0.1/never",
  });
  await eventually("failed", async () => await statusOf(system, failed.sid) === "failed");
});
