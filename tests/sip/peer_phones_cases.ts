import { mediaEngine } from "../../sip/media/engine.ts";
import { webrtcTransport } from "../../sip/media/peer.ts";
import { rtpTransport } from "../../sip/media/plain_rtp.ts";
import { systemClock } from "../../sip/media/ticker.ts";
import { assertHeard, baresipTest, startBaresip } from "../support/baresip.ts";
import { startCompanions } from "../support/companions_lab.ts";
import { testDomain } from "../support/fake_service.ts";
import { made, xml } from "../support/hand_companion.ts";

const host = "127.0.0.1";
const number = "+14155550101";

/** What a companion has in service. */
const bothKinds = () => ({
  transports: { ports: { UDP: 0 } },
  trustedSources: [host],
  media: mediaEngine({
    transports: [
      webrtcTransport({ bindAddress: host }),
      rtpTransport({ bindAddress: host, host, ports: { first: 0, last: 0 }, now: systemClock.now }),
    ],
    log: () => {},
  }),
});

baresipTest("baresip at one companion talks to baresip at another", async () => {
  const only = { one: bothKinds(), two: bothKinds() };
  await using lab = await startCompanions(["one", "two"], { only });
  const [one, two] = lab.companions;
  const { companions: known, records } = lab.app.ports;
  await lab.until(async () => (await known.list()).every(({ sipUri }) => sipUri !== undefined));
  await lab.client("bob");
  await made(lab.app.root, "IncomingPhoneNumbers", {
    PhoneNumber: number,
    VoiceUrl: "https://app.test/voice",
  });
  lab.app.answers = () => xml("<Dial timeLimit='3'><Client>bob</Client></Dial>");
  const udp = { domain: testDomain, transport: "udp" } as const;
  const registrar = two!.sipAddresses.get("UDP")!;
  await using phone = await startBaresip({ ...udp, login: "bob", registrar, saysHz: 1_500 });
  await lab.until(async () => (await known.holding("bob", await known.list())).length > 0);

  const { port } = one!.sipAddresses.get("UDP")!;
  const calls = `sip:${number}@${host}:${port}`;
  await using carrier = await startBaresip({ ...udp, login: "far", calls, saysHz: 900 });
  await lab.until(async () => {
    const { calls } = (await lab.app.root.get("Calls.json")).json();
    const found = calls.find(({ to }: { to: string }) => to === "client:bob");
    const call = found && await records.calls.get(lab.app.root.sid, found.sid);
    return call?.status === "completed";
  });

  assertHeard(900, await phone.stop());
  assertHeard(1_500, await carrier.stop());
});
