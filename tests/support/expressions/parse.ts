/** The syntax of a regular expression (ECMA-262 §22.2.1), as far as it matters to how it backtracks. */
export type Node =
  /** One character; `source` is an expression of its own. */
  | { type: "atom"; source: string }
  | { type: "sequence" | "choice"; items: Node[] }
  | { type: "repeat"; body: Node; min: number; max: number }
  /** `^`, which holds at the beginning alone. */
  | { type: "begin" }
  /** `$` and `\b`, which take nothing. */
  | { type: "nothing" }
  /** A look ahead or behind, which takes nothing but matches something. */
  | { type: "look"; body: Node }
  /** `\1`: text that a group took. */
  | { type: "reference" };

const quantifier = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y;
const escaped =
  /\\(?:[dDwWsStnrvf0]|[pP]\{[^}]*\}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[^A-Za-z0-9])/y;
const groupBegin = /\((\?(?:[:=!]|<[=!]|<[\w$]+>|[ims-]+:))?/y;

/** Parses the source of an expression; throws at syntax that it does not know. */
export function parseExpression(source: string): Node {
  let at = 0;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found !== null) at += found[0].length;
    return found;
  };
  const is = (text: string) => source.startsWith(text, at);

  function choice(): Node {
    const items = [sequence()];
    while (is("|")) {
      at++;
      items.push(sequence());
    }
    return items.length === 1 ? items[0]! : { type: "choice", items };
  }
  function sequence(): Node {
    const items: Node[] = [];
    while (at < source.length && !is("|") && !is(")")) items.push(quantified());
    return items.length === 1 ? items[0]! : { type: "sequence", items };
  }
  function quantified(): Node {
    const body = single();
    const found = take(quantifier);
    if (found === null) return body;
    const [, sign, least, comma, most] = found;
    const min = sign === undefined ? Number(least) : sign === "+" ? 1 : 0;
    const max = sign === undefined
      ? comma === undefined ? min : most === "" ? Infinity : Number(most)
      : sign === "?"
      ? 1
      : Infinity;
    return { type: "repeat", body, min, max };
  }
  function single(): Node {
    if (is("(")) return group();
    if (is("[")) return { type: "atom", source: characterClass() };
    if (is("^")) return at++, { type: "begin" };
    if (is("$")) return at++, { type: "nothing" };
    if (is("\\b") || is("\\B")) return at += 2, { type: "nothing" };
    if (take(/\\(?:[1-9]\d*|k<[^>]*>)/y) !== null) return { type: "reference" };
    const escape = take(escaped);
    if (escape !== null) return { type: "atom", source: escape[0] };
    if (is("\\")) throw new Error(`unknown escape at ${at} of ${source}`);
    const [character] = source.slice(at);
    at += character!.length;
    return { type: "atom", source: character! };
  }
  function group(): Node {
    const kind = take(groupBegin)?.[1] ?? "";
    const body = choice();
    if (!is(")")) throw new Error(`a group has no end: ${source}`);
    at++;
    return /^\?<?[=!]$/.test(kind) ? { type: "look", body } : body;
  }
  function characterClass(): string {
    const begin = at++;
    for (let depth = 1; depth > 0; at++) {
      if (at >= source.length) throw new Error(`a class has no end: ${source}`);
      if (is("\\")) at++;
      else if (is("]")) depth--;
    }
    return source.slice(begin, at);
  }

  const node = choice();
  if (at < source.length) throw new Error(`cannot parse from ${at}: ${source}`);
  return node;
}
