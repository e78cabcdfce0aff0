import { isSid } from "../../../core/base/sid.ts";
import { calls } from "../../../core/model/resources/calls.ts";
import { clients } from "../../../core/model/resources/clients.ts";
import { incomingPhoneNumbers } from "../../../core/model/resources/incoming_phone_numbers.ts";
import { messages } from "../../../core/model/resources/messages.ts";
import { dialString, e164Of } from "../../../core/model/values/dialled.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { type Api, ApiRefusal, type Row } from "../frame/api.ts";
import type { Page } from "../frame/env.ts";
import { goTo, homeOf, recordPath } from "../frame/links.ts";
import { Empty, Heading } from "../frame/parts.tsx";
import { belowOf, showPage } from "../frame/render.tsx";
import { type Column, Table } from "../frame/table.tsx";
import { withErrors } from "../faults/ended_by_error.ts";
import { callColumns } from "./call_columns.tsx";
import { kinds } from "./kinds.tsx";

/** Most results of one kind, and most accounts in which a Sid is looked for. */
const [most, mostAccounts] = ["10", 100];

/** Finds a record by its Sid, or calls, texts, numbers and Clients by a number or a Login. */
export async function search(c: Page, ports: Ports): Promise<Response> {
  const query = (c.req.query("q") ?? "").trim().slice(0, 200);
  const home = homeOf(ports.settings.baseUrl);
  const prefix = query.slice(0, 2).toUpperCase();
  const sid = prefix + query.slice(2).toLowerCase();
  if (isSid(sid, prefix)) {
    const path = await pathOfSid(c, sid);
    if (path !== null) return goTo(c, `${home}/${path}`);
    return show(c, query, [], ports);
  }
  return show(
    c,
    query,
    query === "" ? [] : await found(c.var.api, query, {
      below: belowOf(c, ports),
      country: ports.settings.trunks.country,
    }),
    ports,
  );
}

/** The path of the page of a Sid, in this account or in one below the caller's; null: nowhere. */
async function pathOfSid(c: Page, sid: string): Promise<string | null> {
  const path = recordPath(sid);
  if (path === undefined) return null;
  if (sid.startsWith("AC")) {
    const account = await c.var.apiFor(sid).read("").catch(absent);
    return account && sid;
  }
  const children = await c.var.api.list("/", { PageSize: String(mostAccounts) });
  const sids = [c.var.account.sid, c.var.caller.sid, ...children.items.map(({ sid }) => sid)];
  for (const accountSid of new Set(sids)) {
    const record = await c.var.apiFor(accountSid).find(path).catch(absent);
    if (record !== null) return `${accountSid}/${path}`;
  }
  return null;
}

/** A record that the caller may not see counts as absent. */
function absent(error: unknown): null {
  if (error instanceof ApiRefusal && error.status < 500) return null;
  throw error;
}

interface Found {
  title: string;
  rows: Row[];
  columns: Column[];
  /** The list that has more of it: its path and filters. */
  all?: { path: string; sought: readonly string[] };
}

/** Looks for a number or a Login in all that has one. */
async function found(
  api: Api,
  query: string,
  { below, country }: { below: string; country: string | null },
): Promise<Found[]> {
  const dialled = dialString(query);
  const isNumber = dialled !== null && !/[*#]/.test(dialled);
  const text = isNumber ? dialled : query.replace(/^client:/, "");
  // People leave the + out, or write a number as they dial it, and the store has it in E.164 form.
  const known = isNumber ? e164Of(query, country) : null;
  const number = isNumber && !text.startsWith("+") ? `+${text}` : text;
  const texts = [...new Set(known === null ? [text, number] : [text, number, known])];
  const list = async (path: string, filter: Record<string, string>) =>
    (await api.list(path, { ...filter, PageSize: most }).catch(absent))?.items ?? [];
  const both = async (path: string) => {
    const asked = texts.flatMap((one) => [list(path, { From: one }), list(path, { To: one })]);
    const all = await Promise.all(asked);
    return all.flat().toSorted((one, other) => one.sid < other.sid ? 1 : -1).slice(0, Number(most));
  };
  const columnsOf = (definition: unknown) =>
    kinds.find((kind) => kind.definition === definition)?.columns(below) ?? [];
  const isPart = isNumber && known === null;
  const digits = text.replace(/^\+/, "");
  const [ofCalls, ofTexts, ofNumbers, ofClients] = await Promise.all([
    both(calls.path).then((rows) => isPart ? endingWith(api, calls.path, digits, rows) : rows),
    both(messages.path).then((rows) =>
      isPart ? endingWith(api, messages.path, digits, rows) : rows
    ),
    isNumber
      ? Promise.all(
        (isPart ? [digits] : texts).map((PhoneNumber) =>
          list(incomingPhoneNumbers.path, { PhoneNumber })
        ),
      )
      : among(api, incomingPhoneNumbers.path, ({ friendly_name }) => isLike(friendly_name, text)),
    isNumber ? [] : among(
      api,
      clients.path,
      ({ login, friendly_name }) =>
        String(login).toLowerCase().startsWith(text.toLowerCase()) || isLike(friendly_name, text),
    ),
  ]);
  return [
    {
      title: "Numbers",
      rows: distinct(ofNumbers.flat()),
      columns: columnsOf(incomingPhoneNumbers),
    },
    { title: "Clients", rows: ofClients, columns: columnsOf(clients) },
    {
      title: "Calls",
      rows: await withErrors(api, ofCalls),
      columns: callColumns(below),
      all: { path: calls.path, sought: texts },
    },
    {
      title: "Messages",
      rows: ofTexts,
      columns: columnsOf(messages),
      all: { path: messages.path, sought: texts },
    },
  ].filter(({ rows }) => rows.length > 0);
}

/** Records that a search looks at where no index finds them: a page of the list. */
const mostLooked = "1000";

/** The records of a list that fit, among its first ones. */
const among = async (api: Api, path: string, fits: (row: Row) => boolean): Promise<Row[]> =>
  ((await api.list(path, { PageSize: mostLooked }).catch(absent))?.items ?? [])
    .filter(fits).slice(0, Number(most));

/** Latest records from or to a number that ends with some digits, besides those found already. */
async function endingWith(api: Api, path: string, digits: string, known: Row[]): Promise<Row[]> {
  if (digits.length < leastDigits) return known;
  const ends = (value: unknown) => String(value).endsWith(digits);
  const found = await among(api, path, ({ from, to }) => ends(from) || ends(to));
  return distinct([...known, ...found]).toSorted((one, other) => one.sid < other.sid ? 1 : -1)
    .slice(0, Number(most));
}

/** Fewer digits end too many numbers. */
const leastDigits = 3;

const distinct = (rows: Row[]): Row[] =>
  rows.filter(({ sid }, at) => rows.findIndex((one) => one.sid === sid) === at);

const isLike = (value: unknown, text: string): boolean =>
  String(value ?? "").toLowerCase().includes(text.toLowerCase());

function show(c: Page, query: string, all: Found[], ports: Ports): Response {
  const content = (
    <>
      <Heading
        title={query === ""
          ? "Find"
          : all.length === 0
          ? `Nothing found for “${query}”`
          : `Found for “${query}”`}
      />
      {all.length === 0 && (
        <Empty>
          {query === ""
            ? "Enter a Sid, a phone number or the Login of a Client."
            : "Nothing here has this Sid, number, Login or name. Last digits are sought among the latest 1,000 calls and messages."}
        </Empty>
      )}
      {all.map(({ title, rows, columns, all: list }) => (
        <section class="card">
          <div class="heading-row">
            <h2>{title}</h2>
            {list && (
              <More to={`${belowOf(c, ports)}/${list.path}`} rows={rows} sought={list.sought} />
            )}
          </div>
          <Table caption={title} columns={columns} rows={rows} />
        </section>
      ))}
    </>
  );
  return showPage(c, { title: "Find", section: "search", content, query }, ports);
}

/** Links to all calls or messages from and to the searched text, older ones too. */
const More = ({ to, rows, sought }: { to: string; rows: Row[]; sought: readonly string[] }) => {
  const isSought = (value: unknown) => sought.includes(String(value).replace(/^client:/, ""));
  const ends = ["From", "To"].map((name) => {
    const field = name.toLowerCase();
    return { name, value: rows.find((row) => isSought(row[field]))?.[field] };
  });
  return (
    <p class="actions">
      {ends.filter(({ value }) => value !== undefined).map(({ name, value }) => (
        <a href={`${to}?${new URLSearchParams({ [name]: String(value) })}`}>
          All {name.toLowerCase()} {String(value)}
        </a>
      ))}
    </p>
  );
};
