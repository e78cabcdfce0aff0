import type { Session } from "../../../sip/media/sdp/sdp.ts";
import { ofKind } from "../../../sip/media/sdp/parse_sdp.ts";
import { bindDatagrams, type Datagrams } from "../../../sip/media/rtp/rtp_sockets.ts";
import type { Address } from "../../../sip/media/rtp/latch.ts";

/** A machine in the path between two WebRTC peers, which sees and may do everything but decrypt. */
export interface UdpRelay {
  /** Offer for the answerer, with this machine's address in place of the offerer's. */
  offer: Session;
  /** Datagrams that went from the answerer to the offerer. */
  passed: Uint8Array<ArrayBuffer>[];
  /** Sends a datagram to the offerer in the answerer's name. */
  inject(bytes: Uint8Array): void;
  /** From now on nothing gets through. */
  cut(): void;
  close(): Promise<void>;
}

/** Relays between the offerer and the answerer; the answer must name no candidates. */
export async function udpRelay(offer: Session): Promise<UdpRelay> {
  const address = "127.0.0.1";
  const { audio, ...session } = ofKind("webrtc", offer);
  // A socket for each port that was offered, so that each stays a way of its own.
  const ways = await Promise.all(audio.candidates.map(async (candidate) => {
    const port = Number(candidate.split(" ")[5]);
    return { to: { address, port }, outer: await bind(), inner: await bind() };
  }));
  const passed: Uint8Array<ArrayBuffer>[] = [];
  let isCut = false;
  let inject = (_: Uint8Array) => {};
  for (const { to, outer, inner } of ways) {
    let answerer: Address | undefined;
    outer.onMessage = (bytes, from) => {
      if (isCut) return;
      answerer = from;
      passed.push(new Uint8Array(bytes));
      inner.send(passed.at(-1)!, to);
    };
    inner.onMessage = (bytes) => {
      if (isCut || answerer === undefined) return;
      inject = (forged) => inner.send(forged, to);
      outer.send(new Uint8Array(bytes), answerer);
    };
  }
  const candidates = audio.candidates.map((candidate, i) =>
    candidate.replace(/ \d+ typ/, ` ${ways[i]!.outer.port} typ`)
  );
  return {
    offer: { ...session, audio: { ...audio, candidates } },
    passed,
    inject: (bytes) => inject(bytes),
    cut: () => void (isCut = true),
    close: async () =>
      void await Promise.all(ways.flatMap(({ outer, inner }) => [outer.close(), inner.close()])),
  };
}

const bind = (): Promise<Datagrams> => bindDatagrams("127.0.0.1", 0);
