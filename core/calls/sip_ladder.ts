import type { Trace, TracedMessage } from "../protocol/traces.ts";

/** A message as a row of a ladder. */
export interface LadderRow extends Pick<TracedMessage, "direction" | "transport"> {
  /** Time, in ms. */
  at: number;
  /** Time since the first message of the trace, in ms. */
  offsetMs: number;
  from: string;
  to: string;
  /** The method of a request, or the status of a response with its reason. */
  summary: string;
  text: string;
}

/** The rows of a trace, in order of time. */
export function ladderOf({ messages }: Trace): LadderRow[] {
  const begin = messages[0]?.at ?? 0;
  return messages.map((message) => {
    const { at, direction, transport, text } = message;
    const [local, remote] = [addressOf(message.local), addressOf(message.remote)];
    const [from, to] = direction === "sent" ? [local, remote] : [remote, local];
    const ends = { direction, from, to, transport };
    return { ...ends, offsetMs: at - begin, at, text, summary: summaryOf(text) };
  });
}

const addressOf = ({ host, port }: TracedMessage["local"]): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;

function summaryOf(text: string): string {
  const [line = ""] = text.split(/\r?\n/, 1);
  const isResponse = line.startsWith("SIP/2.0 ");
  return isResponse ? line.slice("SIP/2.0 ".length) : line.replace(/ .*/, "");
}

/** Characters of a column, and of the time before the first one. */
const [columnWidth, timeWidth] = [30, 10];

/** The ladder of a trace as a text: a column for the service, and one for each peer. */
export function ladderText(trace: Trace): string {
  const service = "Switchboard";
  const rows = ladderOf(trace).map((row) =>
    row.direction === "sent" ? { ...row, from: service } : { ...row, to: service }
  );
  const columns = [...new Set(rows.flatMap(({ from, to }) => [from, to]))];
  const head = " ".repeat(timeWidth) + columns.map((name) => centred(name, columnWidth)).join("");
  const lines = rows.map((row) => {
    const time = (row.offsetMs / 1_000).toFixed(3).padStart(timeWidth - 1);
    return `${time} ${arrow(row, columns)} ${row.transport}`;
  });
  const gone = trace.dropped === 0 ? [] : [`(${trace.dropped} older messages are not kept)`];
  return [...gone, head.trimEnd(), ...lines, ""].join("\n");
}

/** A row between the lines of the columns, from the middle of one to the middle of another. */
function arrow({ from, to, summary }: LadderRow, columns: string[]): string {
  const middles = columns.map((_, at) => at * columnWidth + columnWidth / 2);
  const [a = 0, b = 0] = [middles[columns.indexOf(from)], middles[columns.indexOf(to)]];
  const [left, right] = [Math.min(a, b), Math.max(a, b)];
  const label = centred(` ${summary.slice(0, right - left - 6)} `, right - left - 3, "-");
  const shaft = a < b ? `-${label}>` : `<${label}-`;
  const cells = Array.from({ length: columns.length * columnWidth }, () => " ");
  for (const middle of middles) cells[middle] = "|";
  cells.splice(left + 1, right - left - 1, ...shaft);
  return cells.join("");
}

function centred(text: string, width: number, filling = " "): string {
  const before = Math.max(0, Math.floor((width - text.length) / 2));
  return (filling.repeat(before) + text).padEnd(width, filling);
}
