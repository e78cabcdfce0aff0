import { closed, described, type JsonSchema } from "./schemas.ts";

const text: JsonSchema = { type: "string" };
const count: JsonSchema = { type: "integer", minimum: 0 };
const list = (items: JsonSchema): JsonSchema => ({ type: "array", items });

/** The schemas of what the root account reads of the store. */
export const supervisorSchemas: Record<string, JsonSchema> = {
  Jobs: described(
    "The jobs of the store.",
    closed({
      whole: described("Whether all jobs were counted.", { type: "boolean" }),
      kinds: described(
        "Numbers of jobs by kind.",
        list(closed({
          kind: described("Kind of the jobs.", text),
          waiting: described("Jobs that are due later.", count),
          due: described("Jobs that are due and have not begun.", count),
          leased: described("Jobs that run.", count),
          dead: described("Jobs whose attempts have all failed.", count),
          oldest_due: described("Date since when the oldest job is due, null without one.", {
            type: ["string", "null"],
          }),
        })),
      ),
      dead: described(
        "Jobs whose attempts have all failed, 200 at most.",
        list(closed({
          id: described("Id of the job.", text),
          kind: described("Kind of the job.", text),
          lane: described("Lane of the job.", text),
          attempts: described("Number of attempts.", count),
          error: described("Error of the last attempt.", text),
          date_created: described("Date when the job was made.", text),
        })),
      ),
    }),
  ),
  JobRetried: described(
    "A job that is due again.",
    closed({
      id: described("Id of the job.", text),
      status: described("Always due.", { type: "string", const: "due" }),
    }),
  ),
};
