import { parseArgs } from "node:util";
import { fail, say } from "../machine/process/process.ts";
import {
  createAccount,
  listAccounts,
  resetSecondFactor,
  rotateToken,
  setStatus,
} from "./accounts.ts";
import { endCall, listCalls } from "./calls.ts";
import { listClients, listRegistered } from "./clients.ts";
import { connect, type Connected } from "./connection.ts";
import { listDeadJobs, listJobs, retryJob } from "./jobs.ts";
import { diagnose } from "./doctor.ts";
import { importNumbers, showStore } from "./store.ts";
import { machine } from "./machine.ts";
import { createService, type Service } from "./service.ts";
import { type Row, table } from "./table.ts";

/** Input of a command. */
interface Given {
  service: Service;
  connected: Connected;
  /** The argument of a command that takes one. */
  word: string;
  account: string | undefined;
  name: string | undefined;
  /** A test account is to be made. */
  isTest: boolean;
}

interface Command {
  /** The name of the word that it takes; absent for none. */
  takes?: string;
  says: string;
  run(given: Given): Promise<Row[]>;
}

const commands: Record<string, Command> = {
  "calls": {
    says: "the live calls of all accounts",
    run: ({ service }) => listCalls(service),
  },
  "calls end": {
    takes: "SID",
    says: "ends a live call",
    run: ({ service, word }) => endCall(service, word),
  },
  "clients": {
    says: "the Clients of all accounts, or of one: --account SID",
    run: ({ service, account }) => listClients(service, account),
  },
  "clients registered": {
    says: "the devices that are registered, and from where; --account SID",
    run: ({ service, account }) => listRegistered(service, account),
  },
  "jobs": {
    says: "the jobs by kind: waiting, due, leased, dead",
    run: ({ service }) => listJobs(service),
  },
  "jobs dead": {
    says: "the jobs whose attempts have all failed, with the last error",
    run: ({ service }) => listDeadJobs(service),
  },
  "jobs retry": {
    takes: "ID",
    says: "makes a dead job due again, with all its attempts",
    run: ({ service, word }) => retryJob(service, word),
  },
  "store": {
    says: "kind, layout and size of the store, and its records by resource",
    run: ({ service }) => showStore(service),
  },
  "numbers import": {
    takes: "FILE",
    says: "loads phone numbers from a CSV file, for NUMBERS_PROVIDER=inventory",
    run: ({ service, word }) => importNumbers(service, word),
  },
  "doctor": {
    says: "checks clock, certificate, credentials, TURN; here also ports, DNS, addresses, secrets",
    run: async ({ service, connected }) => {
      const findings = await diagnose(service, connected.config, machine);
      if (findings.some(({ result }) => result === "failed")) Deno.exitCode = 1;
      return findings.map((finding) => ({ ...finding }));
    },
  },
  "accounts": {
    says: "the root account and its sub-accounts",
    run: ({ service }) => listAccounts(service),
  },
  "accounts create": {
    takes: "EMAIL",
    says: "makes a sub-account and prints its AuthToken; --name NAME, --test",
    run: ({ service, word, name, isTest }) => createAccount(service, word, { name, isTest }),
  },
  "accounts suspend": statusCommand("suspended", "suspends an account: it may change nothing"),
  "accounts activate": statusCommand("active", "ends a suspension"),
  "accounts close": statusCommand("closed", "closes an account for ever"),
  "accounts rotate": {
    takes: "SID",
    says: "gives an account a new AuthToken and prints it; the old one stops at once",
    run: ({ service, word }) => rotateToken(service, word),
  },
  "accounts reset-factor": {
    takes: "SID",
    says: "turns an account's second factor at the console off, when it is lost",
    run: ({ service, word }) => resetSecondFactor(service, word),
  },
};

function statusCommand(status: string, says: string): Command {
  return {
    takes: "SID",
    says,
    run: ({ service, word }) => setStatus(service, word, status),
  };
}

const help = (): string => {
  const lines = Object.entries(commands).map(([name, { takes, says }]) => {
    return `  ${[name, takes ?? ""].join(" ").padEnd(24)}  ${says}`;
  });
  return [
    "deno task admin COMMAND [--json] [--url URL] [--account-sid SID]",
    ...lines,
    "Environment: SWITCHBOARD_URL, ACCOUNT_SID, AUTH_TOKEN; without them the service of DATA_DIR here.",
    "API_KEY_SID and API_KEY_SECRET stand for AUTH_TOKEN.",
  ].join("\n");
};

/** The command that words name: the longest name that they begin with. Throws where none does. */
function find(words: string[]): { command: Command; word: string } {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(" ");
    const command = commands[name];
    if (command === undefined || words.length < length) continue;
    const [word = "", ...more] = words.slice(length);
    if (more.length === 0 && (word !== "") === (command.takes !== undefined)) {
      return { command, word };
    }
    const usage = [name, command.takes ?? ""].join(" ").trimEnd();
    throw new Error(`Cannot do that: the command is \`deno task admin ${usage}\``);
  }
  throw new Error(
    `Cannot do that: there is no command ${words.join(" ")}; \`deno task admin help\` lists them`,
  );
}

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({
    args: Deno.args,
    allowPositionals: true,
    options: {
      json: { type: "boolean" },
      url: { type: "string" },
      "account-sid": { type: "string" },
      account: { type: "string" },
      name: { type: "string" },
      test: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help || positionals.length === 0 || positionals[0] === "help") return say(help());
  const { command, word } = find(positionals);
  const connected = connect(values);
  const { account, name, test: isTest = false } = values;
  const service = createService(connected);
  const rows = await command.run({ service, connected, word, account, name, isTest });
  if (values.json) say(JSON.stringify(rows));
  else say(rows.length === 0 ? "None" : table(rows));
}

if (import.meta.main) {
  try {
    await run();
  } catch (error) {
    fail(error);
  }
}
