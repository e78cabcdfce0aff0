import { html } from "hono/html";
import { siteHeader } from "./site_header.ts";
import { qualitiesOf, suffixOf } from "./format.ts";

/** Styles and images of the documentation, whose search is the way on; no script. */
export const missingPagePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * True when a person in a browser requests an address. Programs that accept `text/html` by default,
 * such as those with Java's HttpURLConnection, also accept `*`, which no browser sends.
 */
export function isForPeople(request: Request): boolean {
  if (!["GET", "HEAD"].includes(request.method) || suffixOf(request) !== null) return false;
  const accept = request.headers.get("Accept")?.toLowerCase() ?? "";
  const ranges = qualitiesOf(accept);
  const [first] = ranges;
  return first?.type === "text/html" && first.quality > 0 &&
    ranges.every(({ type, quality }) => type !== "*" && quality <= first.quality);
}

interface Missing {
  /** Message of the error. */
  message: string;
  code: number;
  /** The first segments of the paths that the service has. */
  served: readonly string[];
  /** The path of the service's address, without a slash at its end. */
  prefix: string;
}

const ways = [
  { name: "console", title: "Console", text: "Calls, messages, numbers and errors of an account." },
  { name: "docs", title: "Documentation", text: "Tutorials, how-to guides and explanations." },
  { name: "softphone", title: "Softphone", text: "Make a call in this browser." },
];

/** The page of an address that does not exist, with ways on. It needs no script. */
export const missingPage = ({ message, code, served, prefix }: Missing) =>
  html`
    <!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Page not found – Switchboard</title>
        ${served.includes("docs")
          ? html`
            <link rel="icon" href="${prefix}/docs/assets/icon.svg" type="image/svg+xml">
            <link rel="stylesheet" href="${prefix}/docs/assets/docs.css">
          `
          : ""}
      </head>
      <body class="home">
        ${siteHeader({ prefix, served })}
        <main>
          <h1>Page not found</h1>
          <p>${message}</p>
          ${served.includes("docs")
            ? html`
              <form role="search" class="search" action="${prefix}/docs/search">
                <label for="q">Search the documentation</label>
                <input id="q" name="q" type="search">
                <button type="submit">Search</button>
              </form>
            `
            : ""}
          <ul class="cards">
            ${ways.filter(({ name }) => served.includes(name)).map(({ name, title, text }) =>
              html`<li><a href="${prefix}/${name}">${title}</a> <span>${text}</span></li>`
            )}
          </ul>
          <p><a href="${prefix}/errors/${code}">Error ${code}</a></p>
        </main>
      </body>
    </html>
  `;
