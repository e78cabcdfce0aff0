import { accounts } from "../../../core/twilio/accounts.ts";
import { nouns } from "../../../core/twilio/mod.ts";
import type { AnyNoun, State } from "../../../core/twilio/noun/noun.ts";

const words: Record<State, string> = {
  works: "works",
  stored: "stored only",
  informational: "kept",
  ignored: "no effect",
  refused: "refused",
};

interface Declared {
  state: State;
  note: string;
}

const escaped = (text: string): string => text.replaceAll("|", "\\|");

/** The rows of an operation: one for all that works without a note, and one for each other. */
function rowsOf(operation: string, declared: Record<string, Declared>): string[] {
  const entries = Object.entries(declared);
  const plain = entries.filter(([, { state, note }]) => state === "works" && note === "");
  const others = entries.filter((entry) => !plain.includes(entry));
  const names = plain.map(([name]) => `\`${name}\``).join(", ");
  const first = plain.length > 0 || others.length === 0
    ? [`| ${operation} | ${names || "no parameters"} | works | |`]
    : [];
  return [
    ...first,
    ...others.map(([name, { state, note }]) =>
      `| ${operation} | \`${name}\` | ${words[state]} | ${escaped(note)} |`
    ),
  ];
}

function sectionOf(noun: AnyNoun): string {
  const { path, otherPaths = [], create, fetch, update, remove, listed, note, isAccount } = noun;
  const title = isAccount ? "Accounts" : path;
  const also = otherPaths.length === 0 ? "" : ` Also at \`${otherPaths.join("`, `")}\`.`;
  const rows = [
    ...create ? rowsOf("create", create.parameters) : [],
    ...fetch ? rowsOf("fetch", {}) : [],
    ...update ? rowsOf("update", update.parameters) : [],
    ...remove ? rowsOf("remove", {}) : [],
    ...listed ? rowsOf("list", listed.filters) : [],
  ];
  const said = note === undefined ? "" : `${note.charAt(0).toUpperCase()}${note.slice(1)}.`;
  const text = `${said}${also}`.trim();
  return [
    `## ${title}${title === "OutgoingCallerIds" && create ? " (validation requests)" : ""}`,
    ...text === "" ? [] : [text],
    ["| Operation | Parameter | State | Note |", "| --- | --- | --- | --- |", ...rows].join("\n"),
  ].join("\n\n");
}

/** Each operation of each noun of Twilio's interface, with what becomes of its parameters. */
export const conformance = (): string => [accounts, ...nouns].map(sectionOf).join("\n\n");
