const [quote, comma, bracket, brace] = [...'",[{'].map((sign) => sign.charCodeAt(0));

/**
 * Tells whether a JSON text has more values than so many: members, elements, arrays and objects, but not what
 * stands in its strings. JSON.parse takes up to a hundred times as long for many small values as for a few
 * long ones, so foreign texts are looked at before. Takes any text.
 */
export function hasMoreValues(text: string, most: number): boolean {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = stringEnd(text, at);
    else if (code === comma || code === bracket || code === brace) {
      if (++count > most) return true;
    }
  }
  return false;
}

/** Where the string ends that begins at a place: at its quote, or with the text. */
function stringEnd(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === "\\") backslashes++;
  return backslashes % 2 === 1;
}
