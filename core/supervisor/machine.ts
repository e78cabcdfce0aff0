import { z } from "zod";
import { rfc2822 } from "../base/wire.ts";
import { limits } from "../base/limits.ts";
import type { CompanionState } from "../ports/companion_ports.ts";
import type { Ports } from "../ports/ports.ts";

/** What a request for companions may say, and one for the configuration. */
export const companionsQuery = z.object({});
export const configurationQuery = z.object({});

/** The companions that were heard of, by the names of the wire; the last heard of first. */
export async function companionStates(ports: Ports): Promise<Record<string, unknown>[]> {
  const now = ports.now();
  const states = (await ports.companions.list()).toSorted((a, b) => b.seenAt - a.seenAt);
  return await Promise.all(states.map(async (state) => {
    const { id, seenAt, registered = 0, sipUri = null, bridgeUrl = null } = state;
    const calls = await ports.records.calls.group("live", id);
    return {
      id,
      status: statusOf(state, now),
      date_heard: rfc2822(seenAt),
      registered_users: registered,
      live_calls: calls.length,
      sip_uri: sipUri,
      bridge_url: bridgeUrl,
    };
  }));
}

const statusOf = ({ seenAt, isDraining }: CompanionState, now: number): string =>
  seenAt < now - limits.companionLostMs ? "lost" : isDraining ? "draining" : "live";

/** The configuration as the service runs with it, without secrets. */
export const configuration = (
  { settings }: Pick<Ports, "settings">,
): Record<string, unknown>[] =>
  settings.configuration.map(({ name, value, fallback, help }) => ({
    name,
    value,
    default: fallback,
    help,
  }));
