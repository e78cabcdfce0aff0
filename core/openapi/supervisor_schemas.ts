import { closed, described, type JsonSchema } from "./schemas.ts";

const text: JsonSchema = { type: "string" };
const textOrNone: JsonSchema = { type: ["string", "null"] };
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
  Store: described(
    "What the store holds.",
    closed({
      kind: described("file, memory, or shared with other services.", {
        type: "string",
        enum: ["file", "memory", "shared"],
      }),
      failure: described("The reason why it cannot write, null while it can.", textOrNone),
      date_failed: described("Since when it cannot write, as an ISO 8601 date in UTC.", textOrNone),
      layout: described("Version of its layout.", count),
      bytes: described("Size of the file and its write-ahead log, null for any other store.", {
        type: ["integer", "null"],
        minimum: 0,
      }),
      building: described("Resources whose indexes are under construction.", list(text)),
      whole: described("Whether the records of all accounts were counted.", { type: "boolean" }),
      accounts: described("Accounts whose records were counted.", count),
      records: described(
        "Numbers of records by resource.",
        list(closed({
          name: described("Name of the resource.", text),
          count: described("Number of its records.", count),
        })),
      ),
    }),
  ),
  CompanionState: described(
    "A companion as it was last heard of.",
    closed({
      id: described("Name of the companion (COMPANION_ID).", text),
      status: described("live, draining (it takes no new calls), or lost (not heard of lately).", {
        type: "string",
        enum: ["live", "draining", "lost"],
      }),
      date_heard: described("Date of its latest heartbeat.", text),
      registered_users: described("Clients with a device registered with it.", count),
      live_calls: described("Legs that it has.", count),
      sip_uri: described("SIP address for other companions, null where it said none.", {
        type: ["string", "null"],
      }),
      bridge_url: described("Address of its control, null where it said none.", {
        type: ["string", "null"],
      }),
    }),
  ),
  ConfiguredVariable: described(
    "A variable of the configuration as it runs.",
    closed({
      name: described("Name of the variable.", text),
      value: described("Its value; ******** for a secret.", text),
      default: described("Its value unless set, null where that follows from others.", {
        type: ["string", "null"],
      }),
      help: described("What it is for.", text),
    }),
  ),
  NumbersImported: described(
    "What came of an import of phone numbers.",
    closed({
      read: described("Numbers that were read.", count),
      added: described("Numbers that were not in stock before.", count),
      refused: described("Lines that were left out.", count),
      problems: described("Why lines were left out; the first ones.", list(text)),
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
