import type { Rows } from "../frame/api.ts";
import { Table } from "../frame/table.tsx";
import { adviceOf } from "../build/advice.ts";

/** Causes that are shown. */
const mostCauses = 5;

/**
 * The most frequent error codes, with advice. `failures` are the latest
 * Notifications.
 */
export function Causes({ below, failures }: { below: string; failures: Rows }) {
  const groups = [...Map.groupBy(failures.items, ({ error_code }) => Number(error_code))]
    .toSorted(([, one], [, other]) => other.length - one.length);
  if (groups.length === 0) return null;
  const rest = groups.slice(mostCauses).reduce((sum, [, rows]) => sum + rows.length, 0);
  const isWhole = (failures.total ?? 0) <= failures.items.length;
  return (
    <section class="card">
      <div class="heading-row">
        <h2>Errors and warnings by code</h2>
        <a href={`${below}/Notifications`}>Error log</a>
      </div>
      <p class="soft">
        {isWhole
          ? `${failures.items.length.toLocaleString("en")} Notifications. `
          : `The latest ${failures.items.length} of ${failures.total?.toLocaleString("en")} ` +
            "Notifications. "}
        A call may cause several or none, and messages and requests cause some too.
        {groups.length > mostCauses &&
          ` ${rest} of ${groups.length - mostCauses} rarer codes are left out.`}
      </p>
      <Table
        caption="Errors and warnings by code"
        rows={groups.slice(0, mostCauses).map(([code, rows]) => ({
          sid: String(code),
          count: rows.length,
          text: rows[0]?.message_text,
        }))}
        columns={[
          {
            title: "Code",
            cell: ({ sid }) => <a href={`${below}/Notifications?ErrorCode=${sid}`}>{sid}</a>,
          },
          { title: "Count", isNumber: true, cell: ({ count }) => String(count) },
          { title: "Latest", cell: ({ text }) => <span class="value">{String(text)}</span> },
          {
            title: "What to do",
            cell: ({ sid, text }) => <span class="cure">{adviceOf(sid, text) ?? "–"}</span>,
          },
        ]}
      />
    </section>
  );
}
