import { jsonType, type Operation } from "./operation.ts";
import { refTo } from "./schemas.ts";

const open = (path: string, summary: string, own: Partial<Operation>): Operation => ({
  method: "get",
  path,
  id: path.replace(/^\/([^/]*).*/, "$1"),
  summary,
  tag: "Service",
  types: [jsonType],
  access: "open",
  ...own,
});

/** The operations about the service itself. */
export const serviceOperations: Operation[] = [
  open("/health", "Tells whether the process runs", { answer: refTo("Health") }),
  open("/ready", "Tells whether the service reaches what it needs", {
    description: "Answers 503 while the store or the companion is out of reach.",
    answer: refTo("Ready"),
    also: {
      503: {
        description: "The store or the companion is out of reach.",
        content: { [jsonType]: { schema: refTo("Unready") } },
      },
    },
  }),
  open("/errors/{Code}", "Explains an error code", {
    id: "explainError",
    description: "A page that says what the code means and what to do.",
    answer: {},
    types: ["text/html"],
  }),
  open("/openapi", "Describes the interface", {
    description: "This document, in OpenAPI 3.1.",
    answer: { type: "object" },
  }),
];
