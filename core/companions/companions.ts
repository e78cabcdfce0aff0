import type { Companion } from "../protocol/companion.ts";
import type { RemoteCompanion } from "../protocol/peers.ts";
import type { Invitation, Script, Target } from "../protocol/script.ts";
import type { PresenceChanges } from "../protocol/registrations.ts";
import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import type { Ports } from "../model/ports/ports.ts";
import {
  type CompanionState,
  type HeardCompanion,
  isLost,
} from "../model/ports/companion_ports.ts";

type Known = Pick<Ports, "companions" | "steadyNow">;

/** Last result of `liveCompanions` for a store, and its time. */
const lastRead = new WeakMap<Known["companions"], { at: number; live: CompanionState[] }>();

/** Live companions, the last heard of first. */
export const liveCompanions = async (ports: Known): Promise<CompanionState[]> =>
  (await companionsByState(ports)).live;

/** The live companions, and those whose heartbeats stopped lately; the last heard of first. */
export async function companionsByState(
  { companions, steadyNow }: Known,
): Promise<{ live: HeardCompanion[]; lost: HeardCompanion[] }> {
  const at = steadyNow();
  const known = (await companions.list()).toSorted((a, b) => a.silentMs - b.silentMs);
  const live = known.filter((one) => !isLost(one));
  lastRead.set(companions, { at, live });
  return { live, lost: known.slice(live.length) };
}

/**
 * Takes a companion's changes of its registered Clients. False when earlier changes are missing: then
 * none is taken.
 */
export async function takePresence(
  news: PresenceChanges,
  { companions, log }: Pick<Ports, "companions" | "log">,
): Promise<boolean> {
  if (!await companions.takePresence(news)) return false;
  const { companion: { id, runId }, registered, came, went } = news;
  const level = "info";
  for (const login of came) log("A Client has registered", { level, login, companion: id });
  for (const login of went) log("A Client is registered no more", { level, login, companion: id });
  const state = await companions.get(id);
  if (state?.runId === runId) await companions.beat({ ...state, registered });
  return true;
}

/** True when there are live companions, and each of them drains. */
export const areDraining = (live: readonly CompanionState[]): boolean =>
  live.length > 0 && live.every(({ isDraining }) => isDraining);

const fullTenant =
  "the account and those that share its tenant have as many calls as one tenant may have of RTP_PORTS";

/** Names the resource that a companion lacks for another plain RTP call of a tenant; undefined for none. */
const shortageFor = (
  tenant: string,
  { shortage, fullTenants }: CompanionState,
): string | undefined => shortage ?? (fullTenants?.includes(tenant) ? fullTenant : undefined);

/**
 * Throws where no companion takes a new call of a tenant to an address. `draining`: all are about
 * to stop. `exhausted`: none has ports for further plain RTP, of that tenant or at all; a Client's
 * browser needs none. The state read is at most `limits.drainCacheMs` old.
 */
export async function refuseWithoutTaker(
  { to, tenant }: { to: unknown; tenant: string },
  ports: Known,
): Promise<void> {
  const known = lastRead.get(ports.companions);
  const isRecent = known !== undefined && ports.steadyNow() - known.at < limits.drainCacheMs;
  const live = isRecent ? known.live : await liveCompanions(ports);
  if (areDraining(live)) throw new Fault("draining");
  if (String(to).startsWith("client:")) return;
  const [first, ...others] = live.filter(({ isDraining }) => !isDraining)
    .map((one) => shortageFor(tenant, one));
  const isShort = first !== undefined && others.every((shortage) => shortage !== undefined);
  if (isShort) throw new Fault("exhausted", first);
}

/**
 * The companion that places a call: for a Client one that has a device of it, else any. One that
 * drains, or lacks RTP ports, is chosen only where all do. Null while no companion is live.
 */
export async function companionFor(
  { target, tenant }: { target: Target; tenant: string },
  live: CompanionState[],
  { companions }: Pick<Ports, "companions">,
): Promise<CompanionState | null> {
  const staying = areDraining(live) ? live : live.filter(({ isDraining }) => !isDraining);
  const roomy = staying.filter((one) => shortageFor(tenant, one) === undefined);
  const taking = roomy.length === 0 ? staying : roomy;
  const [first = null] = taking;
  if (taking.length <= 1 || target.kind !== "client") return first;
  const [holder = first] = await companions.holding(target.login, taking);
  return holder;
}

/**
 * The script with the addresses of other companions at which the Clients that it calls have
 * devices. Returns the same script while there is no other companion. `live`: the live companions,
 * if the caller has read them.
 */
export async function withPeers(
  script: Script,
  { at, live }: { at: Pick<Companion, "id"> | null; live?: CompanionState[] },
  ports: Known,
): Promise<Script> {
  const calls = script.flatMap(invitationsOf);
  if (at === null || !calls.some(({ target }) => target.kind === "client")) return script;
  const others = (live ?? await liveCompanions(ports))
    .filter(({ id, sipUri }) => id !== at.id && sipUri !== undefined);
  if (others.length === 0) return script;
  const told = (invitation: Invitation) => withPeersOf(invitation, others, ports);
  return await Promise.all(script.map(async (step) => {
    if (step.type === "invite") return { ...step, invitation: await told(step.invitation) };
    if (step.type === "dial") return { ...step, legs: await Promise.all(step.legs.map(told)) };
    return step;
  }));
}

/**
 * Companion at which a call meets a conference or waiting call: undefined at the same one, null
 * where that one is gone or was started anew.
 */
export async function remoteCompanionOf(
  holder: Companion,
  requester: Pick<Companion, "id">,
  ports: Known,
): Promise<RemoteCompanion | null | undefined> {
  if (holder.id === requester.id) return undefined;
  const live = await liveCompanions(ports);
  const found = live.find(({ id, runId }) => id === holder.id && runId === holder.runId);
  return found?.sipUri === undefined ? null : { sipUri: found.sipUri, runId: found.runId };
}

function invitationsOf(step: Script[number]): Invitation[] {
  if (step.type === "invite") return [step.invitation];
  return step.type === "dial" ? step.legs : [];
}

async function withPeersOf(
  invitation: Invitation,
  others: CompanionState[],
  { companions }: Known,
): Promise<Invitation> {
  const { target } = invitation;
  if (target.kind !== "client") return invitation;
  const holders = await companions.holding(target.login, others);
  const peers = holders.flatMap(({ sipUri }) => sipUri === undefined ? [] : [{ sipUri }]);
  return peers.length === 0 ? invitation : { ...invitation, target: { ...target, peers } };
}
