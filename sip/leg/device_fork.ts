import { createFork, type Fork, type ForkEvents, type ForkRefusal } from "./fork.ts";
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
export const createDeviceFork = (
  signalling: Signalling,
  invite: ForkInvite,
  device: ReachableDevice,
): Fork => new DeviceFork(signalling, invite, device);

/** A class for the reason that `inbound_leg.ts` tells. */
class DeviceFork implements Fork {
  readonly media: MediaLeg | undefined;
  readonly offer: string;
  readonly trunk = undefined;
  readonly #open: (binding: Binding) => Fork;
  readonly #untried: Binding[];
  #fork: Fork;
  #isCancelled = false;

  constructor(signalling: Signalling, invite: ForkInvite, device: ReachableDevice) {
    const { flows: [first, ...untried], offer, media } = device;
    this.media = media;
    this.offer = offer;
    this.#open = (binding) => createFork(signalling, invite, { ...wayBy(binding), offer, media });
    this.#untried = untried;
    this.#fork = this.#open(first);
  }
  get flow() {
    return this.#fork.flow;
  }
  get over() {
    return this.#fork.over;
  }
  send(events: ForkEvents) {
    const onRefused = (refusal: ForkRefusal) => {
      const next = !this.#isCancelled && hasFailed(this.#fork, refusal.status)
        ? this.#untried.shift()
        : undefined;
      if (next === undefined) return events.onRefused(refusal);
      this.#fork = this.#open(next);
      this.send(events);
    };
    this.#fork.send({ ...events, onRefused });
  }
  forget() {
    this.#fork.forget();
  }
  cancel(reason?: string) {
    this.#isCancelled = true;
    this.#fork.cancel(reason);
  }
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
