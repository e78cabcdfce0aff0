import { createFork, type Fork, type ForkEvents } from "./fork.ts";
import type { ForkInvite } from "./fork_invite.ts";
import { type Binding, type Flows, targetOf } from "../registrar/location.ts";
import type { MediaLeg } from "../media/port.ts";
import type { Signalling } from "../signalling.ts";

/** A device, with the SDP to offer it: of our media, or the caller's. */
export interface ReachableDevice {
  /** The ways to it, the one to try first first. */
  flows: Flows;
  offer: string;
  media: MediaLeg | undefined;
}

/** The INVITE to a device by one of its flows; by the next one when that has failed (RFC 5626 §5.3). */
export function createDeviceFork(
  signalling: Signalling,
  invite: ForkInvite,
  { flows: [first, ...untried], offer, media }: ReachableDevice,
): Fork {
  let fork = createFork(signalling, invite, { ...wayBy(first), offer, media });
  let isCancelled = false;

  const send = (events: ForkEvents) => {
    const onRefused = (...refusal: Parameters<ForkEvents["onRefused"]>) => {
      const next = !isCancelled && hasFailed(fork, refusal[0]) ? untried.shift() : undefined;
      if (next === undefined) return events.onRefused(...refusal);
      fork = createFork(signalling, invite, { ...wayBy(next), offer, media });
      send(events);
    };
    fork.send({ ...events, onRefused });
  };

  return {
    media,
    offer,
    trunk: undefined,
    get flow() {
      return fork.flow;
    },
    get over() {
      return fork.over;
    },
    send,
    forget: () => fork.forget(),
    cancel(reason) {
      isCancelled = true;
      fork.cancel(reason);
    },
  };
}

/** A refusal by the device itself ends the matter; only of a flow that failed is there another. */
const hasFailed = ({ flow }: Fork, status: number): boolean =>
  status === 408 || status === 430 || flow.closed;

/** The proxies that the registration came by are the way back (RFC 3327 §5.3). */
const wayBy = (binding: Binding) => ({
  flow: binding.flow,
  uri: targetOf(binding),
  routeSet: binding.path,
});
