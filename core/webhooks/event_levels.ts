import { z } from "zod";
import type { Level } from "../protocol/leg_tasks.ts";
import type { Companion } from "../protocol/companion.ts";
import { flag } from "../base/fields.ts";
import { Fault } from "../base/faults.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Parameters } from "../model/rest/parameters.ts";
import { eventLimits } from "./event_limits.ts";

const callSid = z.string().regex(/^CA[0-9a-f]{32}$/, "must be the Sid of a Call");

/** Parameters of a request for levels. */
export const levelQuery = z.object({
  callSid: z.union([z.string(), z.array(z.string())]).transform((sent) =>
    [sent].flat().flatMap((text) => text.split(/[\s,]+/)).filter((sid) => sid !== "")
  ).pipe(z.array(callSid).min(1).max(eventLimits.levels)).describe(
    "Sids of the calls whose levels are wanted, separated by commas.",
  ),
  follow: flag.optional().describe(
    "With false the response ends after the levels of this moment; it goes on unless sent.",
  ),
});

export type LevelQuery = z.infer<typeof levelQuery>;

export const levelParameters: Parameters = { schema: levelQuery };

/** A call whose audio can be measured, and the companion that has it. */
export interface Measured {
  sid: string;
  companion: Companion;
}

/** Those of the calls that are in progress. Throws `notFound` for one that the account has not. */
export async function measuredCalls(
  accountSid: string,
  { callSid }: LevelQuery,
  { records }: Pick<Ports, "records">,
): Promise<Measured[]> {
  const calls = await Promise.all(
    [...new Set(callSid)].map(async (sid) => {
      const call = await records.calls.get(accountSid, sid);
      if (call === null) throw new Fault("notFound", sid);
      return call;
    }),
  );
  return calls.flatMap(({ sid, status, companion }) =>
    status === "in-progress" && companion !== null ? [{ sid, companion }] : []
  );
}

/**
 * Levels of speech of calls' peers at this moment, in dBov. A companion that is out of reach, or of an
 * older program, has none.
 */
export async function levelsOf(
  accountSid: string,
  calls: readonly Measured[],
  { control }: Pick<Ports, "control">,
): Promise<Level[]> {
  const atEach = Map.groupBy(calls, ({ companion }) => companion.id);
  const asked = [...atEach].map(([id, here]) =>
    control.levels({ accountSid, legs: here.map(({ sid }) => sid) }, { id }).catch(() => [])
  );
  return (await Promise.all(asked)).flat();
}
