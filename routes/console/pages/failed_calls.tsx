import type { Row } from "../frame/api.ts";
import { Table } from "../frame/table.tsx";
import { causeText } from "./call_end.ts";

/** Causes that are listed each by itself. */
const mostCauses = 5;

interface Failure extends Row {
  count: number;
}

/**
 * The calls that could not be set up by what ended them; they add up to the failed ones of the
 * chart.
 */
export function FailedCalls({ below, state }: { below: string; state: Row }) {
  const failures = state.failures as Failure[]; // As the declaration of statistics has them.
  if (failures.length === 0) return null;
  const [listed, others] = failures.length > mostCauses + 1
    ? [failures.slice(0, mostCauses), failures.slice(mostCauses)]
    : [failures, []];
  const isEstimated = Number(state.sampled_calls) < Number(state.calls);
  const rows = [
    ...listed.map((one) => ({ sid: "", text: causeText(one), count: one.count })),
    ...others.length > 0
      ? [{ sid: "", text: `${others.length} rarer causes`, count: sumOf(others) }]
      : [],
  ];
  return (
    <section class="card">
      <div class="heading-row">
        <h2>Failed calls by cause</h2>
        <a href={`${below}/Calls?Status=failed`}>Failed calls</a>
      </div>
      <p class="soft">
        {isEstimated && "About "}
        {sumOf(failures).toLocaleString("en")}{" "}
        in total. Calls that were busy, not answered or canceled are not counted here.
      </p>
      <Table
        caption="Failed calls by cause"
        rows={rows}
        columns={[
          { title: "Cause", isWide: true, cell: ({ text }) => String(text) },
          {
            title: "Calls",
            isNumber: true,
            cell: ({ count }) => Number(count).toLocaleString("en"),
          },
        ]}
      />
    </section>
  );
}

const sumOf = (failures: readonly Failure[]): number =>
  failures.reduce((sum, { count }) => sum + count, 0);
