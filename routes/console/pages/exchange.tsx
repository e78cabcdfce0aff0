import type { Row } from "../frame/api.ts";
import type { Page } from "../frame/env.ts";
import { Empty } from "../frame/parts.tsx";

/** Request to a server, and its response. */
export interface Exchanged {
  variables: string;
  headers: string;
  body: string;
}

export const exchangeOf = (row: Row): Exchanged => ({
  variables: String(row.request_variables ?? ""),
  headers: String(row.response_headers ?? ""),
  body: String(row.response_body ?? ""),
});

const Parameters = ({ variables }: Pick<Exchanged, "variables">) => (
  <dl class="facts small">
    {[...new URLSearchParams(variables)].map(([name, value]) => (
      <div>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

const Answer = ({ headers, body }: Pick<Exchanged, "headers" | "body">) => (
  <pre tabindex={0}>{[headers, body].filter(Boolean).join("\n\n")}</pre>
);

const isAnswered = ({ headers, body }: Exchanged): boolean => headers !== "" || body !== "";

/** Request and response, folded. */
export function Exchange(all: Exchanged) {
  if (all.variables === "" && !isAnswered(all)) return null;
  return (
    <details>
      <summary>Request and response</summary>
      {all.variables !== "" && <Parameters {...all} />}
      {isAnswered(all) && <Answer {...all} />}
    </details>
  );
}

/** The parameters of the request of a record, as a part of its page. */
export const RequestCard = ({ row }: { row: Row }) => (
  <section class="card">
    <h2>Parameters of the request</h2>
    {row.request_variables
      ? <Parameters {...exchangeOf(row)} />
      : <Empty>It had no parameters.</Empty>}
  </section>
);

/** Request and response of a record, as parts of its page. */
export function exchangeExtra(_c: Page, row: Row) {
  const exchanged = exchangeOf(row);
  return (
    <>
      <RequestCard row={row} />
      <section class="card">
        <h2>Response</h2>
        {isAnswered(exchanged) ? <Answer {...exchanged} /> : <Empty>None.</Empty>}
      </section>
    </>
  );
}
