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

/** Operations of the root account on the running instance. */
export const supervisorOperations: Operation[] = [
  supervised("metrics", {
    summary: "Reads the counters of the running instance",
    description: "Reads the counters of the instance that answers; for the root account only.",
    answer: refTo("Metrics"),
    query: [{
      name: "LiveCallDetails",
      in: "query",
      schema: { type: "boolean", default: false },
      description: "Whether the live calls are listed as well: true or false (default).",
    }],
  }),
  supervised("livecalls", {
    summary: "Lists the live calls of all accounts",
    description: "Lists the calls of all accounts that have not ended; for the root account only.",
    answer: { type: "array", items: refTo("LiveCall") },
  }),
  supervised("jobs", {
    summary: "Counts the jobs of the store",
    description: "Counts jobs by kind, and lists dead ones; for the root account only.",
    answer: refTo("Jobs"),
  }),
  supervised("store", {
    summary: "Counts the records of the store",
    description:
      "Tells kind, layout and size of the store, and counts the records of all accounts; " +
      "for the root account only.",
    answer: refTo("Store"),
  }),
  supervised("companions", {
    summary: "Lists the companions",
    description: "Lists the companions that were heard of; for the root account only.",
    answer: { type: "array", items: refTo("CompanionState") },
  }),
  supervised("configuration", {
    summary: "Reads the configuration",
    description: "Lists the variables of the instance that answers, with secrets masked; for the " +
      "root account only.",
    answer: { type: "array", items: refTo("ConfiguredVariable") },
  }),
  supervised("numbers", {
    method: "post",
    id: "importNumbers",
    summary: "Loads phone numbers into the stock",
    description: "A number that is in stock already is replaced; for the root account only.",
    form: refTo("NumberImport"),
    answer: refTo("NumbersImported"),
  }),
  supervised("jobs", {
    method: "post",
    id: "retryJob",
    summary: "Makes a dead job due again",
    description: "The job runs as a new one does; for the root account only.",
    form: refTo("JobRetry"),
    answer: refTo("JobRetried"),
  }),
];
