import type { Random } from "./generator.ts";
import { type Planted, planted } from "./planted.ts";

/** One thing that is fuzzed. */
export interface Target {
  /** Runs one case; throws where what must always hold did not. */
  run(random: Random): void | Promise<void>;
}

/** The targets, and how large a part of the time each gets; names are those of their modules. */
export const shares = {
  dtls: 16,
  webrtc: 12,
  stun: 3,
  srtp: 3,
  sdp: 4,
  sip: 7,
  markup: 4,
  numbers: 2,
  cpim: 2,
  cost: 10,
} as const;

export type TargetName = keyof typeof shares;

export const targetNames = Object.keys(shares) as TargetName[];

export const isTarget = (name: string): name is TargetName => name in shares;

export async function loadTarget(name: TargetName | Planted): Promise<Target> {
  if (name in planted) return planted[name as Planted];
  const { target } = await import(`./${name}.ts`) as { target: Target };
  return target;
}
