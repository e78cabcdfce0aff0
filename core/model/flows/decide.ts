import { expand, type Variables } from "./expand.ts";
import type { StepOf } from "./steps.ts";

type Condition = NonNullable<StepOf<"control">["conditions"]>[number];
type Branch = NonNullable<StepOf<"gather">["branches"]>[number];

const isNumber = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text.trim());

const comparisons: Record<Condition["is"], (known: string, value: string) => boolean> = {
  equal: (known, value) => compared(known, value) === 0,
  notEqual: (known, value) => compared(known, value) !== 0,
  containing: (known, value) => known.includes(value),
  startingWith: (known, value) => known.startsWith(value),
  greater: (known, value) => compared(known, value) > 0,
  less: (known, value) => compared(known, value) < 0,
  empty: (known) => known === "",
  notEmpty: (known) => known !== "",
};

/** Below, at or above 0: as numbers where both are, else as texts. */
function compared(one: string, other: string): number {
  if (isNumber(one) && isNumber(other)) return Number(one) - Number(other);
  return one < other ? -1 : one > other ? 1 : 0;
}

/** True when a condition holds; a variable without a value is empty. */
export const holds = ({ variable, is, value = "" }: Condition, variables: Variables): boolean =>
  comparisons[is](
    Object.hasOwn(variables, variable) ? variables[variable]! : "",
    expand(value, variables),
  );

/** Target of an input: that of the first branch that takes it. */
export function branchFor(
  branches: readonly Branch[],
  { Digits, SpeechResult }: Variables,
): string | undefined {
  const said = ` ${wordsOf(SpeechResult ?? "")} `;
  return branches.find(({ digits, speech = "" }) =>
    digits === undefined ? said.includes(` ${wordsOf(speech)} `) : digits === Digits
  )?.next;
}

/** Words alone: a recogniser adds signs and capitals as it likes. */
const wordsOf = (text: string): string =>
  text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, " ").trim();
