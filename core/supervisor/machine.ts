import { z } from "zod";
import { rfc2822 } from "../base/wire.ts";
import { type HeardCompanion, isLost } from "../model/ports/companion_ports.ts";
import type { Ports } from "../model/ports/ports.ts";

/** Parameters of a request for companions, and of one for the configuration. */
export const companionsQuery = z.object({});
export const configurationQuery = z.object({});

/** Companions that have sent a heartbeat, by the names of the wire; the latest first. */
export async function companionStates(ports: Ports): Promise<Record<string, unknown>[]> {
  const states = (await ports.companions.list()).toSorted((a, b) => a.silentMs - b.silentMs);
  return await Promise.all(states.map(async (state) => {
    const { id, seenAt, registered = 0, sipUri = null, bridgeUrl = null } = state;
    const calls = await ports.records.calls.group("live", id);
    return {
      id,
      status: statusOf(state),
      date_heard: rfc2822(seenAt),
      registered_users: registered,
      live_calls: calls.length,
      sip_uri: sipUri,
      bridge_url: bridgeUrl,
    };
  }));
}

const statusOf = (companion: HeardCompanion): string =>
  isLost(companion) ? "lost" : companion.isDraining ? "draining" : "live";

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
