import { Hono } from "hono";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { canRing, NoPhone, PhoneChoice, phonesOf } from "../build/phones.tsx";
import { change } from "../frame/change.ts";
import type { ConsoleEnv, Page } from "../frame/env.ts";
import { problemOf } from "../frame/problem_of.ts";
import { Heading, Problem } from "../frame/parts.tsx";
import { belowOf, showPage } from "../frame/render.tsx";
import { readForm } from "../frame/session.ts";
import { goTo } from "../frame/links.ts";

/** Resources that can be listened to, by path below the account. */
const kinds = { Calls: "call", Conferences: "conference" } as const;

/** Listening to a call or a conference: a form with the softphone that is to ring. */
export function listenPages(ports: Ports): Hono<ConsoleEnv> {
  const app = new Hono<ConsoleEnv>();
  for (const path of Object.keys(kinds) as (keyof typeof kinds)[]) {
    app.get(`/${path}/:sid/listen`, (c) => form(c, path, ports));
    app.post(`/${path}/:sid/listen`, async (c) => {
      const sent = await readForm(c, ports);
      const form_ = new URLSearchParams({ To: sent.get("To") ?? "" });
      const of = `${path}/${c.req.param("sid")}`;
      try {
        const made = await change(c, { path: `${of}/Monitors`, form: form_ }, ports);
        // The page of the listening call shows its outcome.
        return goTo(c, `${belowOf(c, ports)}/Calls/${made?.sid}`);
      } catch (error) {
        return await form(c, path, ports, problemOf(c, error));
      }
    });
  }
  return app;
}

async function form(
  c: Page,
  path: keyof typeof kinds,
  ports: Ports,
  problem?: string,
): Promise<Response> {
  const sid = c.req.param("sid") ?? "";
  const [record, phones] = await Promise.all([
    c.var.api.read(`${path}/${sid}`),
    phonesOf(c, ports),
  ]);
  const what = path === "Calls" ? `${record.from} → ${record.to}` : String(record.friendly_name);
  const kind = kinds[path];
  const content = (
    <>
      <Heading title={`Listen to ${what}`} kind={`Live, ${kind}`} />
      {problem && <Problem>{problem}</Problem>}
      <form
        method="post"
        action={`${belowOf(c, ports)}/live/${path}/${sid}/listen`}
        class="card stack"
      >
        <input type="hidden" name="csrf" value={c.var.csrf} />
        <p>
          Rings a softphone of the account. It hears all parties of the {kind}{" "}
          until it hangs up or the {kind} ends. Nobody hears it.
        </p>
        <p class="soft">
          The parties are not told. In many countries they have to agree before: ask or announce it
          first. The audit log{path === "Calls" && " and the timeline of the call"}{" "}
          will say who listened.
        </p>
        {!canRing(phones)
          ? <NoPhone phones={phones} below={belowOf(c, ports)} />
          : (
            <div class="filter-row">
              <div>
                <label for="listen-to">Client</label>
                <PhoneChoice id="listen-to" name="To" phones={phones} prefix="client:" />
              </div>
              <div class="filter-go">
                <button type="submit" class="main">Ring and listen</button>
              </div>
            </div>
          )}
      </form>
    </>
  );
  return showPage(c, { title: "Listen", section: "live", content }, ports);
}
