import type { Action } from "../protocol/action.ts";

/** Result of a step, for the document at its action. */
export interface StepResult {
  action: Action;
  params: Record<string, string>;
  /** The name of its delivery, such as `gather.action`. */
  event: string;
}

/** The result of a step; null where the step has no action. */
export const resultAt = (
  action: Action | undefined,
  params: Record<string, string>,
  event: string,
): StepResult | null => action === undefined ? null : { action, params, event };
