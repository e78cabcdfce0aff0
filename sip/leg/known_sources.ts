import { isIP } from "node:net";
import type { Flow } from "../base/flow.ts";
import type { Trunk } from "../contracts/trunk.ts";

/**
 * Addresses that RTP may come from beside that of the SDP: a phone behind a NAT sends from where it
 * signals, and a trunk from any of its servers.
 */
export const knownSources = (flows: readonly Flow[], trunk?: Trunk): string[] => [
  ...new Set([
    ...flows.map(({ remote }) => remote.host).filter((host) => isIP(host) !== 0),
    ...trunk?.addresses ?? [],
  ]),
];
