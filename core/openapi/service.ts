import { accountPath, jsonType, type Operation } from "./operation.ts";
import { refTo } from "./schemas.ts";

const supervised = (name: string, own: Partial<Operation>): Operation => ({
  method: "get",
  path: `${accountPath}/Supervisor/${name}`,
  id: name,
  summary: name,
  tag: "Supervisor",
  types: [jsonType],
  ...own,
});

/** What the root account sees of the running instance. */
export const supervisorOperations: Operation[] = [
  supervised("metrics", {
    summary: "What the running instance counts; for the root account",
    answer: refTo("Metrics"),
    query: [{
      name: "LiveCallDetails",
      in: "query",
      schema: { type: "boolean", default: false },
      description: "Whether the live calls are listed as well.",
    }],
  }),
  supervised("livecalls", {
    summary: "The live calls of all accounts; for the root account",
    answer: { type: "array", items: refTo("LiveCall") },
  }),
];

const open = (path: string, summary: string, own: Partial<Operation>): Operation => ({
  method: "get",
  path,
  id: path.split("/")[1]!,
  summary,
  tag: "Service",
  types: [jsonType],
  access: "open",
  ...own,
});

/** What stands beside the accounts, open to anybody. */
export const serviceOperations: Operation[] = [
  open("/health", "Whether the process lives", { answer: refTo("Health") }),
  open("/ready", "Whether it reaches what it needs; 503 when not", {
    answer: refTo("Ready"),
    unavailable: refTo("Unready"),
  }),
  open("/errors/{Code}", "What an error code means and what to do", {
    answer: {},
    types: ["text/html"],
  }),
  open("/openapi", "This document", { answer: { type: "object" } }),
  open("/docs", "This document as a page", { answer: {}, types: ["text/html"] }),
];
