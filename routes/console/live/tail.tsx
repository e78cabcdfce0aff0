import { Hono } from "hono";
import { eventTypeNames } from "../../../core/webhooks/event_query.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";
import type { ConsoleEnv, Page } from "../frame/env.ts";
import { Heading, Problem } from "../frame/parts.tsx";
import { belowOf, showPage } from "../frame/render.tsx";

/** Events as they happen, one line each; a script writes them. */
export const tailPages = (ports: Ports): Hono<ConsoleEnv> =>
  new Hono<ConsoleEnv>().get("/", (c) => show(c, ports));

const isSid = (text: string): boolean => /^[A-Z]{2}[0-9a-f]{32}$/.test(text);

function show(c: Page, ports: Ports): Response {
  const below = belowOf(c, ports);
  const sent = new URL(c.req.url).searchParams;
  const chosen = sent.getAll("Type").filter((type) => (eventTypeNames as string[]).includes(type));
  const sid = (sent.get("Sid") ?? "").trim();
  const query = new URLSearchParams({
    ...chosen.length > 0 && { Type: chosen.join(",") },
    ...isSid(sid) && { Sid: sid },
  });
  const content = (
    <>
      <Heading title="Tail" kind="Events as they happen">
        <button type="button" id="tail-pause" aria-pressed="false" disabled>Pause</button>
        <button type="button" id="tail-clear" class="quiet" disabled>Clear</button>
      </Heading>
      {sid !== "" && !isSid(sid) && (
        <Problem>
          A Sid has two letters and 32 digits, as in CA019f2b7c0d1e4c5f8a9b0c1d2e3f4a5b.
        </Problem>
      )}
      <form action={`${below}/tail`} class="card stack">
        <fieldset class="choices">
          <legend>Show only</legend>
          {eventTypeNames.map((type) => (
            <label>
              <input type="checkbox" name="Type" value={type} checked={chosen.includes(type)} />
              {" "}
              {type}
            </label>
          ))}
        </fieldset>
        <div class="row">
          <label for="tail-sid">About Sid</label>
          <input id="tail-sid" name="Sid" value={sid} autocomplete="off" spellcheck={false} />
          <button type="submit" class="main">Show</button>
          {query.size > 0 && <a href={`${below}/tail`}>Clear filter</a>}
        </div>
      </form>
      <section class="card">
        <p id="tail-state" class="soft" role="status">Connecting…</p>
        <noscript>
          <p>This page needs scripts. In a terminal, `deno task tail` shows the same.</p>
        </noscript>
        <div class="tail" role="log" aria-label="Events, newest first" tabindex={0}>
          <ol id="tail" data-events={`${below}/Events?${query}`} data-below={below}></ol>
        </div>
      </section>
    </>
  );
  return showPage(c, { title: "Tail", section: "tail", content, script: "tail.js" }, ports);
}
