/**
 * Browsers by a part of their header User-Agent; the first that fits: most name others as
 * well.
 */
const browsers: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdg(?:A|iOS)?\/(\d+)/, "Edge"],
  [/\bOPR\/(\d+)/, "Opera"],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, "Firefox"],
  [/\b(?:Headless)?(?:Chrome|CriOS)\/(\d+)/, "Chrome"],
  [/\bVersion\/(\d+)(?:\.[\d.]*)? (?:Mobile\/\w+ )?Safari\//, "Safari"],
];

const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X|Macintosh/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
];

/** A header User-Agent in words, such as "Firefox 140 on Linux"; unchanged where it is unknown. */
export function browserName(userAgent: string): string {
  const browser = browsers.find(([pattern]) => pattern.test(userAgent));
  if (browser === undefined) return userAgent || "unknown";
  const [pattern, name] = browser;
  const system = systems.find(([pattern]) => pattern.test(userAgent))?.[1];
  const version = pattern.exec(userAgent)?.[1] ?? "";
  return `${name} ${version}${system === undefined ? "" : ` on ${system}`}`;
}
