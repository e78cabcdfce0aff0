import { z } from "zod";
import { flag, same, type Variable } from "./variable.ts";

/** The variables of the console. */
export const consoleVariables = {
  CONSOLE: {
    group: "console",
    schema: flag,
    fallback: "true",
    help: "Whether the console is served at /console.",
  },
  CONSOLE_IDLE_MINUTES: {
    group: "console",
    sets: { consoleIdleMs: (minutes: number) => minutes * 60_000 },
    schema: z.coerce.number("must be a number of minutes").int().min(1).max(720),
    fallback: "60",
    help: "Minutes without a request after which a session at the console ends; at most 720.",
  },
  CALL_MONITORING: {
    group: "console",
    sets: { monitorsCalls: same },
    schema: flag,
    fallback: "true",
    help:
      "Whether an account may listen to its calls and conferences (Monitors, Listen at the console).",
  },
} satisfies Record<string, Variable>;
