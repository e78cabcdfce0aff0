import { Hono } from "hono";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { incomingPhoneNumbers } from "../../../core/model/resources/incoming_phone_numbers.ts";
import { outgoingCallerIds } from "../../../core/model/resources/outgoing_caller_ids.ts";
import { change } from "../frame/change.ts";
import type { ConsoleEnv, Page } from "../frame/env.ts";
import { problemOf } from "../frame/problem_of.ts";
import { Heading, Problem } from "../frame/parts.tsx";
import { belowOf, showPage } from "../frame/render.tsx";
import { readForm } from "../frame/session.ts";
import { goTo } from "../frame/links.ts";

/** Caller IDs that the form suggests. */
const suggested = "20";

interface TestCallProps {
  c: Page;
  ports: Ports;
  /** The callee; undefined: an input of the form. */
  to?: string;
  /** The Gateway that it leaves by. */
  gatewaySid?: string | undefined;
  values?: Record<string, string>;
}

/** A form that places a call which says that it works, and leads to its timeline. */
export async function TestCall({ c, ports, to, gatewaySid, values = {} }: TestCallProps) {
  const froms = await callerIdsOf(c);
  return (
    <form method="post" action={`${belowOf(c, ports)}/test-call`} class="card stack">
      <h2>Test call</h2>
      <p class="soft">
        {to === undefined
          ? "Calls a number by this Gateway alone. The timeline has its SIP answer."
          : `Rings ${to.replace("client:", "")}, on every phone that is registered.`}{" "}
        Whoever answers hears a chime and a sentence. It is charged as any call.
      </p>
      <input type="hidden" name="csrf" value={c.var.csrf} />
      {gatewaySid && <input type="hidden" name="GatewaySid" value={gatewaySid} />}
      <div class="filter-row">
        <div>
          <label for="test-from">From</label>
          <input
            id="test-from"
            name="From"
            list="test-froms"
            value={values.From ?? froms[0] ?? "+15550100"}
            required
            autocomplete="off"
          />
          <datalist id="test-froms">{froms.map((from) => <option value={from} />)}</datalist>
        </div>
        {to === undefined
          ? (
            <div>
              <label for="test-to">To</label>
              <input
                id="test-to"
                name="To"
                value={values.To ?? ""}
                placeholder="+1…"
                inputmode="tel"
                required
                autocomplete="off"
              />
            </div>
          )
          : <input type="hidden" name="To" value={to} />}
        <div class="filter-go">
          <button type="submit" class="main">Call</button>
        </div>
      </div>
    </form>
  );
}

/** Numbers and caller IDs that the account may show. */
async function callerIdsOf(c: Page): Promise<string[]> {
  const lists = await Promise.all(
    [incomingPhoneNumbers.path, outgoingCallerIds.path].map((path) =>
      c.var.api.list(path, { PageSize: suggested })
    ),
  );
  return [...new Set(lists.flatMap(({ items }) => items.map((row) => String(row.phone_number))))];
}

/** Places the call of a form of `TestCall`. */
export function testCallPages(ports: Ports): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>().post("/", async (c) => {
    const sent = await readForm(c, ports);
    const [From, To] = [sent.get("From") ?? "", sent.get("To") ?? ""];
    const gatewaySid = sent.get("GatewaySid") ?? undefined;
    const form = new URLSearchParams({
      From,
      To,
      Url: `${ports.settings.baseUrl}/demo/welcome`,
      ...gatewaySid && { GatewaySid: gatewaySid },
    });
    try {
      const made = await change(c, { path: "Calls", form }, ports);
      return goTo(c, `${belowOf(c, ports)}/Calls/${made?.sid}`);
    } catch (error) {
      const problem = problemOf(c, error);
      const of = {
        c,
        ports,
        gatewaySid,
        values: { From, To },
        ...To.startsWith("client:") && { to: To },
      };
      const content = (
        <>
          <Heading title="Test call" />
          <Problem>{problem}</Problem>
          {await TestCall(of)}
        </>
      );
      return showPage(c, { title: "Test call", section: "Calls", content }, ports);
    }
  });
}
