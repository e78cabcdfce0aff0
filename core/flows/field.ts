import { z } from "zod";
import { limits } from "../base/limits.ts";
import { flowErrors } from "./check_flow.ts";

/** The text of a flow. */
export const flowText = z.string().superRefine((text, context) => {
  const errors = flowErrors(text).slice(0, limits.flowErrors);
  if (errors.length > 0) context.addIssue({ code: "custom", message: errors.join("; ") });
}).meta({
  description: "What the application does, step by step; then no server is asked. A text of JSON.",
  contentMediaType: "application/json",
  contentSchema: { $ref: "#/components/schemas/Flow" },
});

/** The text of a flow; an empty one clears it. */
export const clearableFlow = z.union([z.literal("").transform(() => null), flowText]).nullable();
