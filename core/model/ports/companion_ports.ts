import { limits } from "../../base/limits.ts";
import type { Companion, ConferenceOrder } from "../../protocol/companion.ts";
import type { Level, LevelsRequest } from "../../protocol/leg_tasks.ts";
import type { Script } from "../../protocol/script.ts";
import type {
  MessageOrder,
  NotificationOrder,
  OutwardOrder,
  OutwardOutcome,
} from "../../protocol/messages.ts";
import type { RecordingRequest } from "../../protocol/recordings.ts";
import type { StreamRequest } from "../../protocol/streams.ts";
import type { PresenceChanges, RegisteredBinding } from "../../protocol/registrations.ts";

/** The part of the ports (`ports.ts`) that is about companions. */

/** A companion as last heard of. */
export interface CompanionState extends Companion {
  /** By the wall clock, in ms. */
  seenAt: number;
  /** Clients that have a device registered with it. */
  registered?: number;
  /** It takes no new calls, and stops once those that it has are over. */
  isDraining?: boolean;
  /** Resource that its machine lacks for further calls by plain RTP, in words. */
  shortage?: string;
  /** Tenants that have as many of its RTP ports as they may. */
  fullTenants?: string[];
  /** URL of its control, if it reported one. */
  bridgeUrl?: string;
  /** SIP URI at which other companions reach it. */
  sipUri?: string;
}

/** A companion, and for how long this process has seen no heartbeat of it while it ran, in ms. */
export interface HeardCompanion extends CompanionState {
  silentMs: number;
}

/** Returns whether a companion was silent for so long that it counts as lost. */
export const isLost = ({ silentMs }: Pick<HeardCompanion, "silentMs">): boolean =>
  silentMs > limits.companionLostMs;

export interface Companions {
  list(): Promise<HeardCompanion[]>;
  get(id: string): Promise<HeardCompanion | null>;
  /** Notes in this process alone that a companion is alive. */
  heard(state: Companion & Pick<CompanionState, "seenAt">): void;
  /** Notes that a companion is alive; for this process, even where the store does not take it. */
  beat(state: CompanionState): Promise<void>;
  /** Forgets a companion that is gone, and the registrations at it; not one that was heard since. */
  forget(companion: Companion & Pick<CompanionState, "seenAt">): Promise<void>;
  /** Instant of the last heartbeat of a companion that is forgotten, in ms; null where there is none. */
  lastHeardAt(): Promise<number | null>;
  /**
   * Takes a companion's changes of its registered Clients. False when earlier changes are missing:
   * then none is taken. Repeats are harmless.
   */
  takePresence(news: PresenceChanges): Promise<boolean>;
  /** True when this run of a companion has reported its registrations. */
  hasPresence(companion: Companion): Promise<boolean>;
  /** Those of the companions that have a device of this login. */
  holding(login: string, among: CompanionState[]): Promise<CompanionState[]>;
  /** Number of logins with a device at any of the companions. */
  countRegistered(among: CompanionState[]): Promise<number>;
}

/** Logins of which companions may keep that no Client has them. */
export interface AbsentLogins {
  /** Notes that a companion queries the credentials of a login; called before they are read. */
  noteQuery(login: string): void;
  /** Returns whether a companion may keep that no Client has the login. */
  mayBeCached(login: string): boolean;
}

/** Service to companions. Throws `unavailable` when one that is needed cannot be reached. */
export interface CompanionControl {
  /**
   * Replaces the script of a leg at its companion, or at the one that has the leg when none is
   * named. `other` replaces the script of the connected leg. Null when there is no such leg. The
   * address of a `CompanionState` is used without a read of the store.
   */
  run(
    leg: string,
    script: Script,
    options?: { at?: Pick<Companion, "id"> | CompanionState | null; other?: Script },
  ): Promise<Companion | null>;
  /**
   * Mutes or unmutes the audio from the peer of a leg, at the companion that has the leg. False when
   * the leg is not there or its media bypass the companion.
   */
  mute(leg: string, muted: boolean, at: Pick<Companion, "id">): Promise<boolean>;
  /** Drops the cached credentials of these logins at the companions. */
  invalidate(logins: string[]): Promise<void>;
  /** Notifies the companions: each requests the Gateways that it is to keep registered. */
  gatewaysChanged(): Promise<void>;
  /** The devices of a login, at all companions. */
  bindings(login: string): Promise<RegisteredBinding[]>;
  /**
   * Sends a message to every device of a Client, at all companions; the final status of each. Throws
   * `unavailable` when a companion with a device was out of reach and no device has the message.
   */
  message(order: MessageOrder): Promise<number[]>;
  /** Notifies the devices of a Client that know IMDN (RFC 5438); as `message`. */
  notification(order: NotificationOrder): Promise<number[]>;
  /**
   * Sends a message to a number elsewhere; its final status, null when no proxy accepted it. Throws
   * `unavailable` when no companion could be asked.
   */
  sendOut(order: OutwardOrder): Promise<OutwardOutcome>;
  /**
   * Does something in a conference of a companion; false when the conference, or the leg in it, is
   * not there.
   */
  conference(order: ConferenceOrder, at: Pick<Companion, "id">): Promise<boolean>;
  /**
   * Records a leg, or changes one of its recordings; false when the leg, its audio or the recording is
   * not there.
   */
  recording(request: RecordingRequest, at: Pick<Companion, "id">): Promise<boolean>;
  /** Has a leg open or end an audio stream; false when the leg is not there. */
  stream(request: StreamRequest, at: Pick<Companion, "id">): Promise<boolean>;
  /**
   * Levels of the peers of an account's legs that are at the companion and have audio there. The
   * companion measures for 15 s after each request.
   */
  levels(request: LevelsRequest, at: Pick<Companion, "id">): Promise<Level[]>;
  /**
   * The state of a run of a companion: `there`; `gone` when its address refuses connections or another
   * run answers there; `silent` when neither is certain.
   */
  look(at: Companion): Promise<"there" | "gone" | "silent">;
  /** True when a companion answers. */
  ready(): Promise<boolean>;
}
