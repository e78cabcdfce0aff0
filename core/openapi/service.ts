import { jsonType, type Operation } from "./operation.ts";
import { refTo } from "./schemas.ts";

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

/** What the service says of itself. */
export const serviceOperations: Operation[] = [
  open("/health", "Whether the process lives", { answer: refTo("Health") }),
  open("/ready", "Whether it reaches what it needs; 503 when not", {
    answer: refTo("Ready"),
    also: {
      503: { description: "Out of reach.", content: { [jsonType]: { schema: refTo("Unready") } } },
    },
  }),
  open("/errors/{Code}", "What an error code means and what to do", {
    answer: {},
    types: ["text/html"],
  }),
  open("/openapi", "This document", { answer: { type: "object" } }),
  open("/docs", "This document as a page", { answer: {}, types: ["text/html"] }),
];
