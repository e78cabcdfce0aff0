import assert from "node:assert/strict";
import { mediaEngine } from "../../../sip/media/engine/engine.ts";
import { webrtcTransport } from "../../../sip/media/webrtc/peer.ts";
import { ownSockets } from "../../../sip/media/webrtc/sockets.ts";
import { rtpTransport } from "../../../sip/media/transports/plain_rtp.ts";
import { systemClock } from "../../../sip/media/base/ticker.ts";
import { baresipTest, startBaresip } from "../../support/sip/baresip.ts";
import { type CompanionsLab, startCompanions } from "../../support/service/companions_lab.ts";
import { testDomain } from "../../support/sip/fake_service.ts";
import { made, xml } from "../../support/service/hand_companion.ts";
import { runSipp } from "../../support/sip/sipp.ts";
import { pressing, registering } from "../../support/sip/sipp_scenarios.ts";
import { freePorts } from "../../support/process/system.ts";

const host = "127.0.0.1";
const number = "+14155550101";

/** What a companion has in service. */
const bothKinds = () => ({
  transports: { ports: { UDP: 0 } },
  trustedSources: [host],
  media: mediaEngine({
    transports: [
      webrtcTransport(ownSockets(host)),
      rtpTransport({ bindAddress: host, host, ports: { first: 0, last: 0 }, now: systemClock.now }),
    ],
    log: () => {},
  }),
});

/** A number that calls come in for at one companion, and bob's phone, which is at the other one. */
async function startTwo(): Promise<CompanionsLab> {
  const lab = await startCompanions(["one", "two"], {
    only: { one: bothKinds(), two: bothKinds() },
  });
  const { companions } = lab.app.ports;
  await lab.until(async () =>
    (await companions.list()).every(({ sipUri }) => sipUri !== undefined)
  );
  await lab.client("bob");
  await made(lab.app.root, "IncomingPhoneNumbers", {
    PhoneNumber: number,
    VoiceUrl: "https://app.test/voice",
  });
  return lab;
}

const udpAddresses = ({ companions }: CompanionsLab) =>
  companions.map(({ sipAddresses }) => sipAddresses.get("UDP")!);

baresipTest("baresip at one companion talks to baresip at another", async () => {
  await using lab = await startTwo();
  const [one, registrar] = udpAddresses(lab);
  const { companions: known, records } = lab.app.ports;
  lab.app.answers = () => xml("<Dial><Client>bob</Client></Dial>");
  const udp = { domain: testDomain, transport: "udp" } as const;
  await using phone = await startBaresip({
    ...udp,
    login: "bob",
    registrar: registrar!,
    saysHz: 1_500,
  });
  await lab.until(async () => (await known.holding("bob", await known.list())).length > 0);

  const calls = `sip:${number}@${host}:${one!.port}`;
  await using carrier = await startBaresip({ ...udp, login: "far", calls, saysHz: 900 });
  await Promise.all([phone.untilHears(900), carrier.untilHears(1_500)]);
  await phone.stop();
  await lab.until(async () => {
    const { calls } = (await lab.app.root.get("Calls.json")).json();
    const found = calls.find(({ to }: { to: string }) => to === "client:bob");
    const call = found && await records.calls.get(lab.app.root.sid, found.sid);
    return call?.status === "completed";
  });
});

baresipTest("INFO of a plain phone at another companion reaches the markup as digits", async () => {
  await using lab = await startTwo();
  const [one, registrar] = udpAddresses(lab);
  const bob = { login: "bob", domain: testDomain };
  const [port] = freePorts(1);
  const sipp = (scenario: string, ...options: string[]) =>
    runSipp(scenario, registrar!, "-p", `${port}`, "-m", "1", "-timeout", "15", ...options);
  lab.app.answers = ({ url }) => {
    if (url.endsWith("/voice")) {
      return xml("<Dial><Client url='https://app.test/screen'>bob</Client></Dial>");
    }
    return xml(
      url.endsWith("/screen")
        ? "<Gather numDigits='4' finishOnKey='' timeout='10' action='https://app.test/typed'/>"
        : "<Hangup/>",
    );
  };
  assert.equal(await sipp(registering(bob), "-auth_uri", testDomain), 0);
  const { companions } = lab.app.ports;
  await lab.until(async () =>
    (await companions.holding("bob", await companions.list())).length > 0
  );

  const phone = sipp(pressing("4#2*"));
  const calls = `sip:${number}@${host}:${one!.port}`;
  await using _carrier = await startBaresip({
    domain: testDomain,
    transport: "udp",
    login: "far",
    calls,
  });
  const typed = () => lab.app.fetched.find(({ url }) => url.endsWith("/typed"));
  await lab.until(() => typed() !== undefined);

  assert.equal(new URLSearchParams(await typed()!.text()).get("Digits"), "4#2*");
  assert.equal(await phone, 0);
});
