import assert from "node:assert/strict";
import { type CompanionsLab, startCompanions } from "../support/service/companions_lab.ts";
import { made } from "../support/service/hand_companion.ts";
import { kamailioTest, startCarrier } from "../support/sip/kamailio.ts";
import { runSipp, sippTest } from "../support/sip/sipp.ts";
import { answering, calling, challenging } from "../support/sip/sipp_trunk.ts";
import { freePorts } from "../support/process/system.ts";
import { eventually } from "../support/process/eventually.ts";

const host = "127.0.0.1";
const ours = "+14155550101";
const far = "+442079460000";
const once = ["-m", "1", "-timeout", "15"];

const start = (trustedSources: string[] = []): Promise<CompanionsLab> =>
  startCompanions(["one"], { transports: { ports: { UDP: 0, TCP: 0 } }, trustedSources });

const gatewayAt = ({ app }: CompanionsLab, proxy: string, register: boolean) =>
  made(app.root, "Management/Gateways", {
    UserName: "trunk",
    Password: "pass",
    Proxy: proxy,
    TTL: "600",
    Register: String(register),
  });

/** Calls the far number from one of ours; resolves with the Sid of the call. */
async function callOut({ app }: CompanionsLab): Promise<string> {
  const form = { From: ours, To: far, Url: "https://app.test/voice" };
  const { sid } = await made(app.root, "Calls", form);
  await app.runJobs();
  return sid;
}

const callOf = async ({ app }: CompanionsLab, sid: string) =>
  (await app.ports.records.calls.get(app.root.sid, sid))!;

const talks = (lab: CompanionsLab) => {
  lab.app.answers = () =>
    new Response("<Response><Play>https://app.test/a.wav</Play><Pause length='60'/></Response>", {
      headers: { "content-type": "text/xml" },
    });
  return made(lab.app.root, "IncomingPhoneNumbers", {
    PhoneNumber: ours,
    VoiceUrl: "https://app.test/number",
  });
};

/** The call reaches the far end, where it is hung up from here. */
async function talkAndHangUp(lab: CompanionsLab): Promise<void> {
  const sid = await callOut(lab);
  await lab.until(async () => (await callOf(lab, sid)).status === "in-progress");
  await lab.app.root.post(`Calls/${sid}.json`, { Status: "completed" });
  await lab.app.runJobs();
  await lab.until(async () => (await callOf(lab, sid)).status === "completed");
}

/** The only call that came in, once it is over. */
async function arrived(lab: CompanionsLab) {
  const find = async () => {
    const { calls } = (await lab.app.root.get("Calls.json")).json();
    return calls.find(({ direction }: { direction: string }) => direction === "inbound");
  };
  await lab.until(async () => (await find())?.status === "completed");
  return await find();
}

for (const [transport, flag] of [["udp", "u1"], ["tcp", "t1"]] as const) {
  for (const [how, scenario] of [["answers", answering], ["challenges", challenging]] as const) {
    sippTest(`a call leaves by ${transport} through a Gateway that ${how}`, async () => {
      await using lab = await start();
      await talks(lab);
      const [port] = freePorts(1) as [number];
      await gatewayAt(lab, `${host}:${port};transport=${transport}`, false);
      const carrier = runSipp(scenario, { host, port: 9 }, "-p", `${port}`, "-t", flag, ...once);
      if (transport === "tcp") await listens(port);

      await talkAndHangUp(lab);

      assert.equal(await carrier, 0);
    });
  }

  sippTest(`a call of an allowed source comes in by ${transport} for a number`, async () => {
    await using lab = await start([`${host}/32`]);
    await talks(lab);
    const address = lab.companions[0]!.sipAddresses.get(transport === "udp" ? "UDP" : "TCP")!;

    const known = await runSipp(calling(ours), address, "-t", flag, ...once);
    const call = await arrived(lab);
    const unknown = await runSipp(calling("+14155550999"), address, "-t", flag, ...once);

    assert.equal(known, 0);
    assert.notEqual(unknown, 0);
    assert.deepEqual([call.from, call.to, call.caller_name], [far, ours, "Far"]);
  });
}

for (const algorithm of ["MD5", "SHA-256"] as const) {
  for (const transport of ["udp", "tcp"] as const) {
    const name =
      `a Gateway registers at Kamailio by ${transport} with ${algorithm}, and calls both ways`;
    kamailioTest(name, async () => {
      const [port, carrierPort] = freePorts(2) as [number, number];
      await using _carrier = await startCarrier({ port, carrierPort, algorithm });
      await using lab = await start();
      await talks(lab);
      const network = ["-p", `${carrierPort}`, ...once];

      const { sid } = await gatewayAt(lab, `${host}:${port};transport=${transport}`, true);
      await lab.app.runJobs();
      await lab.until(async () => (await gatewayOf(lab, sid)).status === "registered");
      const answers = runSipp(answering, { host, port }, ...network);
      await talkAndHangUp(lab);
      assert.equal(await answers, 0);
      const incoming = await runSipp(calling(ours), { host, port }, ...network);
      const call = await arrived(lab);
      await lab.app.root.delete(`Management/Gateways/${sid}.json`);
      await lab.app.runJobs();

      assert.equal(incoming, 0);
      assert.deepEqual([call.from, call.to], [far, ours]);
    });
  }
}

const gatewayOf = async ({ app }: CompanionsLab, sid: string) =>
  (await app.ports.records.gateways.get(app.root.sid, sid))!;

/** Waits until sipp takes connections. */
async function listens(port: number): Promise<void> {
  const connection = await eventually(
    `port ${port} listens`,
    () => Deno.connect({ hostname: host, port }).catch(() => undefined),
  );
  connection.close();
}
