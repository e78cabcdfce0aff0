import { z } from "zod";
import { methodAttribute } from "../verb.ts";

/** Attributes of `UssdCollect`. */
export const collectAttributes = { action: z.string().optional(), method: methodAttribute };
