import { Hono } from "hono";
import { html } from "hono/html";
import { examplePassword } from "../../core/openapi/example_password.ts";
import { Fault } from "../../core/base/faults.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import { siteHeader } from "../http/site_header.ts";
import { allParts, pagePolicy, prefixOf } from "./docs.ts";

/**
 * `GET /` for browsers: the way to the console, the softphone, the documentation and the first
 * request.
 */
export function home(
  { settings }: Pick<Ports, "settings">,
  served: readonly string[] = allParts,
): Hono {
  const { baseUrl, clientPasswordMin } = settings;
  const password = examplePassword(clientPasswordMin);
  return new Hono().get("/", (c) => {
    const isBrowser = /\btext\/html\b/i.test(c.req.header("Accept") ?? "");
    if (!isBrowser) throw new Fault("notFound", "/"); // Programs get no page.
    c.header("Content-Security-Policy", pagePolicy);
    c.header("Referrer-Policy", "no-referrer");
    c.header("Vary", "Accept");
    return c.html(page(prefixOf(baseUrl), { baseUrl, password, served }));
  });
}

interface Home {
  baseUrl: string;
  password: string;
  served: readonly string[];
}

const page = (prefix: string, { baseUrl, password, served }: Home) =>
  html`
    <!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Switchboard</title>
        <link rel="icon" href="${prefix}/docs/assets/icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="${prefix}/docs/assets/docs.css">
      </head>
      <body class="home">
        ${siteHeader({ prefix, served })}
        <main>
          <h1>Switchboard</h1>
          <p>Programmable telephony and messaging. The service runs.</p>
          <ul class="cards">
            ${served.includes("console")
              ? html`<li><a href="${prefix}/console">Console</a> <span>Calls and why they failed, numbers, flows and settings.</span></li>`
              : ""}
            <li><a href="${prefix}/softphone">Softphone</a> <span>Make a first call in this browser.</span></li>
            <li><a href="${prefix}/docs">Documentation</a> <span>Tutorials, how-to guides and explanations.</span></li>
            <li><a href="${prefix}/docs/api/overview">REST interface</a> <span>Every resource, with examples.</span></li>
            <li><a href="${prefix}/openapi.json">OpenAPI</a> <span>The interface for code generators.</span></li>
          </ul>
          <h2>First request</h2>
          <p>The first start wrote <code>account_sid</code> and <code>auth_token</code> to
            <code>credentials.json</code> in the data folder.</p>
          <pre tabindex="0"><code>${`curl "${baseUrl}/2012-04-24/Accounts/$ACCOUNT_SID/Clients.json" \\
  -u "$ACCOUNT_SID:$AUTH_TOKEN" \\
  -d Login=alice -d Password=${password}`}</code></pre>
          <p>It creates a Client. Log in as <code>alice</code>, password <code>${password}</code>, at the <a href="${prefix}/softphone">softphone</a>.</p>
        </main>
      </body>
    </html>
  `;
