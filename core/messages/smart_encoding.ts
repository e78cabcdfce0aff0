/** Characters outside of the GSM alphabet (3GPP TS 23.038), by the characters in it that replace them. */
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

/**
 * Replaces characters by similar ones of the GSM alphabet, so that the text has fewer segments. The
 * result may be empty, or up to three times as long.
 */
export const smartEncoded = (text: string): string =>
  [...text].map((letter) => plain.get(letter) ?? letter).join("");
