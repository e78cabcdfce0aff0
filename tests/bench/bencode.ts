/** Writes texts, whole numbers, lists and dictionaries in bencode; texts are ASCII. */
export function encodeBencode(value: unknown): string {
  if (typeof value === "number") return `i${value}e`;
  if (typeof value === "string") return `${value.length}:${value}`;
  if (Array.isArray(value)) return `l${value.map(encodeBencode).join("")}e`;
  const entries = Object.entries(value as object).toSorted(([a], [b]) => a < b ? -1 : 1);
  return `d${entries.map((entry) => entry.map(encodeBencode).join("")).join("")}e`;
}

/** Reads a dictionary. */
export function decodeBencode(text: string): Record<string, unknown> {
  let at = 0;
  const until = (end: string) => {
    const from = at;
    at = text.indexOf(end, from) + 1;
    return text.slice(from, at - 1);
  };
  const items = (): unknown[] => {
    const found: unknown[] = [];
    while (text[at] !== "e" && at < text.length) found.push(read());
    at++;
    return found;
  };
  const read = (): unknown => {
    if (text[at] === "i") return at++, Number(until("e"));
    if (text[at] === "l") return at++, items();
    if (text[at] === "d") {
      at++;
      const flat = items();
      return Object.fromEntries(
        flat.flatMap((key, i) => i % 2 === 0 ? [[String(key), flat[i + 1]]] : []),
      );
    }
    const length = Number(until(":"));
    at += length;
    return text.slice(at - length, at);
  };
  return read() as Record<string, unknown>;
}
