/** The lines of a text that comes in pieces, without their ends. */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of pieces) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield line.replace(/\r$/, "");
  }
  if (rest !== "") yield rest.replace(/\r$/, "");
}

/** The cells of one line of CSV (RFC 4180 §2), trimmed; a quoted one may not hold a line break. */
export function cellsOf(line: string): string[] {
  const cells = `,${line}`.matchAll(/,[ \t]*(?:"((?:[^"]|"")*)"[ \t]*(?=,|$)|([^,]*))/g);
  return [...cells].map(([, quoted, plain = ""]) => quoted?.replaceAll('""', '"') ?? plain.trim());
}
