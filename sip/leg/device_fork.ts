import { createFork } from "./create_fork.ts";
import type { Fork, ForkEvents, ForkRefusal } from "../contracts/fork.ts";
import type { ForkInvite } from "./fork_invite.ts";
import { type Binding, type Flows, targetOf } from "../text/location.ts";
import type { MediaLeg } from "../media/mod.ts";
import type { Signalling } from "../contracts/signalling.ts";

/** A device, with the SDP to offer it: of our media, or the caller's. */
export interface ReachableDevice {
  /** The ways to it, the one to try first first. */
  flows: Flows;
  offer: string;
  media: MediaLeg | undefined;
  /** Offer after a refusal as not acceptable; undefined where there is no other. */
  another?(): Promise<Pick<ReachableDevice, "offer" | "media">> | undefined;
}

/** The INVITE to a device by one of its flows; by the next one when that has failed (RFC 5626 §5.3). */
export const createDeviceFork = (
  signalling: Signalling,
  invite: ForkInvite,
  device: ReachableDevice,
): Fork => new DeviceFork(signalling, invite, device);

/** A class for the reason that `inbound_leg.ts` gives. */
class DeviceFork implements Fork {
  media: MediaLeg | undefined;
  offer: string;
  readonly trunk = undefined;
  readonly #open: (binding: Binding) => Fork;
  readonly #another: NonNullable<ReachableDevice["another"]>;
  #binding: Binding;
  /** Another offer is being made. */
  #isOpening = false;
  readonly #untried: Binding[];
  #fork: Fork;
  #isCancelled = false;

  constructor(signalling: Signalling, invite: ForkInvite, device: ReachableDevice) {
    const { flows: [first, ...untried], offer, media, another = () => undefined } = device;
    this.media = media;
    this.offer = offer;
    this.#another = another;
    this.#binding = first;
    this.#open = (binding) => {
      const { offer, media } = this;
      return createFork(signalling, invite, { ...wayBy(binding), offer, media });
    };
    this.#untried = untried;
    this.#fork = this.#open(first);
  }
  get flow() {
    return this.#fork.flow;
  }
  get over() {
    return !this.#isOpening && this.#fork.over;
  }
  send(events: ForkEvents) {
    const onRefused = (refusal: ForkRefusal) => {
      const next = !this.#isCancelled && hasFailed(this.#fork, refusal.status)
        ? this.#untried.shift()
        : undefined;
      if (next !== undefined) return this.#sendBy(next, events);
      const another = !this.#isCancelled && isUnacceptable(refusal.status)
        ? this.#another()
        : undefined;
      if (another === undefined) return events.onRefused(refusal);
      this.#isOpening = true;
      void another.then((offer) => this.#sendAnother(offer, events), () => {
        this.#isOpening = false;
        events.onRefused(refusal);
      });
    };
    this.#fork.send({ ...events, onRefused });
  }
  #sendBy(binding: Binding, events: ForkEvents) {
    this.#binding = binding;
    this.#fork = this.#open(binding);
    this.send(events);
  }
  #sendAnother({ offer, media }: Pick<ReachableDevice, "offer" | "media">, events: ForkEvents) {
    this.#isOpening = false;
    if (this.#isCancelled) {
      media?.close();
      return events.onRefused({ status: 487, headers: {}, retryAfterS: 0 });
    }
    this.media?.close();
    this.media = media;
    this.offer = offer;
    this.#sendBy(this.#binding, events);
  }
  forget() {
    this.#fork.forget();
  }
  cancel(reason?: string) {
    this.#isCancelled = true;
    this.#fork.cancel(reason);
  }
}

/** The callee takes none of what was offered (RFC 3261 §21.4.26, §21.4.13, §21.6.4). */
export const isUnacceptable = (status: number): boolean =>
  status === 488 || status === 415 || status === 606;

/** A refusal by the device itself ends the matter; only of a flow that failed is there another. */
const hasFailed = ({ flow }: Fork, status: number): boolean =>
  status === 408 || status === 430 || flow.closed;

/** The proxies that the registration came by are the way back (RFC 3327 §5.3). */
const wayBy = (binding: Binding) => ({
  flow: binding.flow,
  uri: targetOf(binding),
  routeSet: binding.path,
});
