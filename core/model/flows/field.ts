import { z } from "zod";
import { limits } from "../../base/limits.ts";
import { draftProblem, flowErrors } from "./check_flow.ts";

/** The text of a flow. */
export const flowText = z.string().superRefine((text, context) => {
  const errors = flowErrors(text).slice(0, limits.flowErrors);
  if (errors.length > 0) context.addIssue({ code: "custom", message: errors.join("; ") });
}).meta({
  description: "What the application does, step by step; then no server is asked. A text of JSON.",
  contentMediaType: "application/json",
  contentSchema: { $ref: "#/components/schemas/Flow" },
});

/**
 * The text of a flow that is being made: an object with steps, within the limits of size. The rules of
 * steps count when it becomes the flow of an application.
 */
export const flowDraft = z.string().superRefine((text, context) => {
  const message = draftProblem(text);
  if (message !== null) context.addIssue({ code: "custom", message });
}).meta({ contentMediaType: "application/json" });

/** The text of a draft; an empty one clears it. */
export const clearableDraft = z.union([z.literal("").transform(() => null), flowDraft]).nullable();

/** The text of a flow; an empty one clears it. */
export const clearableFlow = z.union([z.literal("").transform(() => null), flowText]).nullable();
