import { z } from "zod";
import { type LogLevel, logLevels } from "../process/log.ts";
import { flag, same, type Variable } from "./variable.ts";

/** Settings of `setLog()`, by the variables. */
export const logSettings = ({ LOG_LEVEL, LOG_PII }: { LOG_LEVEL: LogLevel; LOG_PII: boolean }) => ({
  level: LOG_LEVEL,
  showsNumbers: LOG_PII,
});

/** The variables of what the processes log. */
export const logVariables = {
  LOG_LEVEL: {
    group: "log",
    schema: z.enum(logLevels, `must be one of ${logLevels.join(", ")}`),
    fallback: "info",
    help: "Lines of this level and of more urgent ones are logged: error, warn, info or debug.",
  },
  LOG_REQUESTS: {
    group: "log",
    sets: { loggedRequests: same },
    schema: z.coerce.number("must be a number").min(0).max(1),
    fallback: "0",
    help: "Part of the requests to the REST interface that are logged, such as 0.01; 1: each.",
  },
  LOG_PII: {
    group: "log",
    schema: flag,
    fallback: "false",
    help: "true logs phone numbers in full. Else the log shows their first and last two digits.",
  },
} satisfies Record<string, Variable>;
