import { mediaEngine } from "../../../sip/media/engine/engine.ts";
import type { MediaEngine, MediaKind } from "../../../sip/media/base/port.ts";
import { rtpTransport } from "../../../sip/media/transports/plain_rtp.ts";
import { systemClock } from "../../../sip/media/base/ticker.ts";
import { type SipLab, startSipLab } from "./sip_lab.ts";
import { testCertificates } from "../process/test_certificates.ts";

export interface EchoLab extends SipLab {
  /** The kind of media of each offer of the companion. */
  readonly offered: readonly (MediaKind | undefined)[];
}

/** The number of the companion in `startEchoLab`. */
export const echoNumber = "+14155550101";

/**
 * A companion that phones reach by UDP, TCP and TLS, and that echoes every call: a phone hears its own tone
 * only if both directions work. With `isTrunk`, their calls are a trunk's, and `echoNumber` is the number.
 */
export async function startEchoLab({ isTrunk = false } = {}): Promise<EchoLab> {
  const directory = await Deno.makeTempDir();
  const certificate = { certFile: `${directory}/cert.pem`, keyFile: `${directory}/key.pem` };
  await Deno.writeTextFile(certificate.certFile, testCertificates.first.cert);
  await Deno.writeTextFile(certificate.keyFile, testCertificates.first.key);
  const place = { bindAddress: "127.0.0.1", host: "127.0.0.1", ports: { first: 0, last: 0 } };
  const transport = rtpTransport({ ...place, now: systemClock.now });
  const engine = mediaEngine({ transports: [transport], log: () => {} });
  const offered: (MediaKind | undefined)[] = [];
  const offer: MediaEngine["offer"] = (kind, options) => {
    offered.push(kind);
    return engine.offer(kind, options);
  };
  const lab = await startSipLab({
    engine: { ...engine, offer },
    transports: { ports: { UDP: 0, TCP: 0, TLS: 0 }, certificate },
    ...isTrunk && { trustedSources: ["127.0.0.1"] },
  });
  lab.service.trunks.number = ({ dialled }) =>
    dialled.includes(echoNumber)
      ? {
        accountSid: `AC${"2".repeat(32)}`,
        numberSid: `PN${"2".repeat(32)}`,
        dialled: echoNumber,
        allowed: true,
      }
      : null;
  lab.service.answer = ({ event }) =>
    event.type === "incoming" || event.type === "incomingNumber"
      ? [{ type: "answer" }, { type: "echo", seconds: 60 }]
      : event.type === "answered"
      ? [{ type: "echo", seconds: 60 }]
      : [];
  return {
    ...lab,
    offered,
    async [Symbol.asyncDispose]() {
      await lab[Symbol.asyncDispose]();
      await Deno.remove(directory, { recursive: true });
    },
  };
}
