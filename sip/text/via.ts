import { isToken, parseParameters, splitOutside } from "./grammar.ts";

/** The top Via in the shape that the transaction layer reads. */
export interface Via {
  protocol: string;
  transport: string;
  host: string;
  port: number | undefined;
  branch: string | undefined;
}

// Any version: a request of another one gets 505.
const head =
  /^SIP ?\/ ?\d+\.\d+ ?\/ ?([^ ]+) (\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+) ?(?:: ?(\d{1,5}))?$/i;

/** Characters of an unusual Via; in any other, `rport` is found by its text. */
const unusual = /["<>\t]|received|rport/i;

const oneBlank = (text: string): string =>
  /\t| {2}/.test(text) ? text.replace(/[ \t]+/g, " ") : text;

/** Most Vias: with a branch, and no other parameters than these. */
const plain = new RegExp(
  [
    /^SIP\/2\.0\/([A-Z]+) ([A-Za-z0-9._-]+)(?::(\d{1,5}))?/,
    /(?:;rport(?:=\d+)?)?;branch=([A-Za-z0-9\-.!%*_+`'~]+)(?:;rport(?:=\d+)?)?(?:;received=[\d.]+)?$/,
  ].map(({ source }) => source).join(""),
);

/** One Via value (RFC 3261 §20.42); undefined when it breaks the grammar. */
export function parseVia(text: string): Via | undefined {
  const [, transport, host, port, branch] = plain.exec(text) ?? [];
  if (transport === undefined || host === undefined || Number(port ?? 0) > 65_535) {
    return parseAnyVia(text);
  }
  return { protocol: "SIP", transport, host, port: port ? Number(port) : undefined, branch };
}

function parseAnyVia(text: string): Via | undefined {
  const end = text.indexOf(";");
  const sent = end < 0 ? text : text.slice(0, end).trim();
  // Runs of blanks become one, so that the pattern needs no repetition over them.
  const [, transport, host, port] = head.exec(oneBlank(sent)) ?? [];
  if (transport === undefined || host === undefined || !isToken(transport)) return undefined;
  if (Number(port ?? 0) > 65_535) return undefined;
  const parameters = end < 0 ? [] : parseParameters(text.slice(end + 1));
  if (parameters === undefined) return undefined;
  const branch = parameters.find((parameter) => parameter.name === "branch")?.value;
  return { protocol: "SIP", transport, host, port: port ? Number(port) : undefined, branch };
}

/** The Via with where the request really came from (RFC 3261 §18.2.1, RFC 3581 §4). */
export function receivedVia(text: string, via: Via, from: { host: string; port: number }): string {
  const isSender = via.host === from.host || via.host === `[${from.host}]`;
  if (!/received|rport/i.test(text)) return isSender ? text : `${text};received=${from.host}`;
  const [before = "", behind = ".", ...more] = text.split(";rport");
  if (more.length === 0 && /^(?:;|$)/.test(behind) && !unusual.test(before + behind)) {
    return `${before};rport=${from.port}${behind};received=${from.host}`;
  }
  const kept = (splitOutside(text, ";") ?? [text]).filter((part) => !/^received *=/i.test(part));
  const rport = kept.findIndex((part) => /^rport$/i.test(part));
  if (rport < 0 && isSender) return kept.join(";");
  if (rport >= 0) kept[rport] = `rport=${from.port}`;
  return `${kept.join(";")};received=${from.host}`;
}
