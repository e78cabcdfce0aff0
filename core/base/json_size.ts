const [quote, comma, bracket, brace] = [...'",[{'].map((sign) => sign.charCodeAt(0));

/**
 * True when a JSON text has more than so many values: members, elements, arrays and objects. Text
 * in its strings does not count. JSON.parse takes up to a hundred times as long for many small
 * values as for a few long ones, so texts of others are counted before. Takes any text.
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

/** Index of the end of the string that begins at `from`: its quote, or the end of the text. */
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
