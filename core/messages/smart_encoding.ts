/** What is not in the GSM alphabet (3GPP TS 23.038), by what is there and reads the same. */
const alike: Record<string, string> = {
  '"': "«»“”„‟ʺˮ″‶〝〞＂",
  "'": "‘’‛ʻʼʽˈˊ′‵＇",
  ",": "‚，",
  "-": "‐‑‒–—―−﹣－",
  "...": "…",
  ".": "․",
  "<": "‹",
  ">": "›",
  "/": "⁄∕÷",
  "|": "¦∣",
  "~": "˜∼",
  "^": "ˆ",
  "*": "•∗",
  ":": "ː∶",
  "!": "ǃ",
  " ":
    "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
  "": "\u00ad\u200b\u200c\u200d\u2060\ufeff",
};

const plain = new Map(
  Object.entries(alike).flatMap(([gsm, letters]) => [...letters].map((one) => [one, gsm])),
);

/** A text with letters of the GSM alphabet for those that look the same, so that it has fewer parts. */
export const smartEncoded = (text: string): string =>
  [...text].map((letter) => plain.get(letter) ?? letter).join("");
