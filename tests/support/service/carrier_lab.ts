import { type AppServer, startAppServer } from "./app_server.ts";
import { freePorts, startSystem, type System } from "../process/system.ts";
import { eventually } from "../process/eventually.ts";
import { amplitudeOf } from "../media/tone.ts";
import { openVoice, type Voice } from "../media/voice.ts";
import { portOf, soundOf } from "../sip/plain_peer.ts";
import { openTrunk, type TrunkPeer } from "../sip/trunk_peer.ts";

/** One installation, whose calls to numbers elsewhere leave by a carrier. */
export interface CarrierLab extends AsyncDisposable {
  app: AppServer;
  system: System;
  trunk: TrunkPeer;
  /** Has the carrier answer the next call that reaches it. */
  answered(): Promise<Voice>;
}

export async function startCarrierLab(): Promise<CarrierLab> {
  const app = startAppServer();
  const [port] = freePorts(1) as [number];
  const trunk = await openTrunk({ host: "127.0.0.1", port });
  const env = {
    RTP_PORTS: "0",
    SIP_UDP_PORT: String(port),
    OUTBOUND_PROXY: `127.0.0.1:${trunk.port}`,
  };
  const system = await startSystem({ env });
  return {
    app,
    system,
    trunk,
    async answered() {
      const voice = await openVoice();
      const invite = await trunk.request("INVITE");
      trunk.answer(invite, { sdp: voice.sdp });
      voice.speakTo(portOf(invite.body));
      return voice;
    },
    async [Symbol.asyncDispose]() {
      await system[Symbol.asyncDispose]();
      await trunk[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}

/** Resolves when the level of a tone in the last 0.4 s that a voice heard fits. */
export const untilVoiceHears = (voice: Voice, hz: number, fits: (level: number) => boolean) =>
  eventually(`${hz} Hz`, () => {
    const packets = voice.heard.filter(({ payloadType }) => payloadType === 0).slice(-20);
    return packets.length === 20 && fits(amplitudeOf(hz, soundOf("PCMU", packets)));
  });
