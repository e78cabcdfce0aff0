import type { Flow } from "../model/flows/steps.ts";

/** Differences of a step, or of the flow as a whole. */
export interface FlowDifference {
  /** Null: the flow as a whole. */
  step: string | null;
  kind: "added" | "removed" | "changed";
  fields: FieldDifference[];
}

/** A value that differs; null where there is none. */
export interface FieldDifference {
  path: string;
  before: string | null;
  after: string | null;
}

/** Differences of two flows, step by step. Positions in the designer are ignored. */
export function flowDiff(before: Flow, after: Flow): FlowDifference[] {
  const whole = ({ start, variables = {} }: Flow) => ({ start, variables });
  const own = differences(whole(before), whole(after));
  const names = [...new Set([...Object.keys(before.steps), ...Object.keys(after.steps)])];
  return [
    ...own.length > 0 ? [{ step: null, kind: "changed" as const, fields: own }] : [],
    ...names.flatMap((step) => {
      const [former, current] = [before.steps[step], after.steps[step]];
      const fields = differences(former ?? {}, current ?? {});
      const kind = former === undefined ? "added" : current === undefined ? "removed" : "changed";
      return fields.length > 0 ? [{ step, kind, fields } as const] : [];
    }),
  ];
}

function differences(before: object, after: object): FieldDifference[] {
  const [former, current] = [leavesOf(before), leavesOf(after)];
  const paths = [...new Set([...former.keys(), ...current.keys()])];
  return paths.map((path) => ({
    path,
    before: former.get(path) ?? null,
    after: current.get(path) ?? null,
  })).filter((one) => one.before !== one.after);
}

/** The values of an object by their paths, such as branches.0.digits. */
function leavesOf(value: unknown, path: string[] = []): Map<string, string> {
  if (typeof value !== "object" || value === null) {
    return new Map([[path.join("."), String(value)]]);
  }
  return new Map(Object.entries(value).flatMap(([key, one]) => [...leavesOf(one, [...path, key])]));
}
