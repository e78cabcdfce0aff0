/**
 * ICE restarts of the peer (RFC 8445 §9): a second agent runs beside the first, which goes on until a pair
 * of the new one is nominated. DTLS and SRTP continue. An offer with another fingerprint or DTLS role is
 * refused by 488, and the call goes on. The companion begins no restart itself.
 */
import { type IceAgent, type IceOptions, newIceAgent } from "./ice.ts";
import type { Address } from "../rtp/latch.ts";

/**
 * ICE with one peer as long as it lasts, over its restarts (RFC 8445 §9). After one the peer is sent to
 * where it was, and its checks there are answered, until a pair of the new agents is nominated or it is
 * lost there. A restart that finds no way changes nothing while the peer consents where it was.
 */
export interface RestartableIce extends Pick<IceAgent, "onMessage" | "selected" | "knows"> {
  /** Begins anew, with what both sides said last; our role stays (§6.1.1). */
  restart(sides: Pick<IceOptions, "local" | "remote">): void;
  /** Resolves with the first way to the peer; never, when there is none. */
  readonly connected: Promise<void>;
  /** Resolves once with the reason, when there is no way any more; never by `close`. */
  readonly lost: Promise<string>;
  close(): void;
}

/** Starts ICE with the credentials and candidates of both sides. */
export function newRestartableIce(options: Omit<IceOptions, "onNominated">): RestartableIce {
  const connected = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<string>();
  let next: IceAgent | undefined;
  let former: IceAgent | undefined;

  const watch = (agent: IceAgent): IceAgent => {
    agent.connected.then(connected.resolve, () => {}); // `lost` gives the reason.
    void agent.lost.then((why) => {
      if (agent === next) next = undefined;
      else if (agent === current) next === undefined ? lost.resolve(why) : takeNext();
    });
    return agent;
  };
  const takeNext = () => {
    former = current;
    former.close();
    current = next!; // Called only while there is a next one.
    next = undefined;
  };
  let current = watch(newIceAgent(options));
  return {
    onMessage(bytes, from) {
      current.onMessage(bytes, from);
      next?.onMessage(bytes, from);
    },
    selected: () => current.selected(),
    // Packets under way to our former address are still the peer's.
    knows: (from: Address) =>
      current.knows(from) || next?.knows(from) === true || former?.knows(from) === true,
    restart(sides) {
      next?.close();
      const controlling = current.controlling();
      const agent = newIceAgent({
        ...options,
        ...sides,
        controlling,
        onNominated: () => next === agent && takeNext(),
      });
      next = watch(agent);
    },
    connected: connected.promise,
    lost: lost.promise,
    close() {
      current.close();
      next?.close();
    },
  };
}
