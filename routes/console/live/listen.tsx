import { Hono } from "hono";
import type { Ports } from "../../../core/ports/ports.ts";
import { clients } from "../../../core/resources/clients.ts";
import { change } from "../frame/change.ts";
import type { ConsoleEnv, Page } from "../frame/env.ts";
import { mendable } from "../frame/mendable.ts";
import { Empty, Heading, Problem } from "../frame/parts.tsx";
import { belowOf, showPage } from "../frame/render.tsx";
import { readForm } from "../frame/session.ts";
import { goTo } from "../frame/links.ts";

/** Clients that the form offers. */
const most = "100";

/** What can be listened to, by its path below the account. */
const kinds = { Calls: "call", Conferences: "conference" } as const;

/** Listening to a call or a conference: the form that asks which softphone is to ring. */
export function listenPages(ports: Ports): Hono<ConsoleEnv> {
  const app = new Hono<ConsoleEnv>();
  for (const path of Object.keys(kinds) as (keyof typeof kinds)[]) {
    app.get(`/${path}/:sid/listen`, (c) => form(c, path, ports));
    app.post(`/${path}/:sid/listen`, async (c) => {
      const sent = await readForm(c, ports);
      const form_ = new URLSearchParams({ To: sent.get("To") ?? "" });
      const of = `${path}/${c.req.param("sid")}`;
      try {
        await change(c, { path: `${of}/Monitors`, form: form_ }, ports);
      } catch (error) {
        return await form(c, path, ports, mendable(c, error));
      }
      const back = path === "Calls" ? of : "live";
      return goTo(c, `${belowOf(c, ports)}/${back}?done=listening`);
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
    c.var.api.list(clients.path, { PageSize: most }),
  ]);
  const logins = phones.items.filter(({ status }) => status === "1").map(({ login }) =>
    String(login)
  );
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
        {logins.length === 0
          ? <Empty>The account has no Client that could be rung.</Empty>
          : (
            <div class="filter-row">
              <div>
                <label for="listen-to">Client</label>
                <select id="listen-to" name="To">
                  {logins.map((login) => <option value={`client:${login}`}>{login}</option>)}
                </select>
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
