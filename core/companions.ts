import type { Target } from "./bridge.ts";
import type { PresenceNews } from "./bridge_registrations.ts";
import { limits } from "./limits.ts";
import type { CompanionState, Ports } from "./ports.ts";

type Known = Pick<Ports, "companions" | "now">;

/** The companions that were heard of lately, the last heard of first. */
export async function liveCompanions({ companions, now }: Known): Promise<CompanionState[]> {
  const oldest = now() - limits.companionLostMs;
  const live = (await companions.list()).filter(({ seenAt }) => seenAt >= oldest);
  return live.sort((a, b) => b.seenAt - a.seenAt);
}

/**
 * Takes what a companion tells about who is registered there. False when news before these are
 * missing: nothing is taken then.
 */
export async function takePresence(
  news: PresenceNews,
  { companions }: Pick<Ports, "companions">,
): Promise<boolean> {
  if (!await companions.takePresence(news)) return false;
  const { companion: { id, runId }, registered } = news;
  const state = await companions.get(id);
  if (state?.runId === runId) await companions.beat({ ...state, registered });
  return true;
}

/**
 * Where a call is to be placed: of a Client at a companion that has a device of it, else at any. Null
 * while no companion is known.
 */
export async function companionFor(target: Target, ports: Known): Promise<CompanionState | null> {
  const live = await liveCompanions(ports);
  const [first = null] = live;
  if (live.length <= 1 || target.kind !== "client") return first;
  const [holder = first] = await ports.companions.holding(target.login, live);
  return holder;
}
