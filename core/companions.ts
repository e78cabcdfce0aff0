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
 * Where a call of a Client is to be placed: at a companion that has a device of it, else at any.
 * Null while no companion is known.
 */
export async function companionFor(login: string, ports: Known): Promise<CompanionState | null> {
  const live = await liveCompanions(ports);
  if (live.length <= 1) return live[0] ?? null;
  const [holder] = await ports.companions.holding(login, live);
  return holder ?? live[0]!;
}
