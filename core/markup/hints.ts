import { z } from "zod";
import { limits } from "../base/limits.ts";

/** Words and phrases that speech recognition may expect, separated by commas. */
export const hintsAttribute = z.string().max(limits.hintsLength)
  .transform((text) => text.split(",").map((hint) => hint.trim()).filter(Boolean))
  .pipe(z.array(z.string()).max(limits.hints)).optional().transform((hints) => hints ?? []);
