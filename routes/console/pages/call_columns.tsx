import type { Row } from "../frame/api.ts";
import { None, seconds, Status, Time } from "../frame/parts.tsx";
import type { Column } from "../frame/table.tsx";

/** The columns of a list of calls, which may be those of `withErrors`. */
export function callColumns(below: string): Column[] {
  return [
    {
      title: "Started",
      cell: (row) => (
        <a href={`${below}/Calls/${row.sid}`}>
          <Time at={row.start_time ?? row.date_created} />
        </a>
      ),
    },
    { title: "From", cell: (row) => <span class="cut">{String(row.from)}</span> },
    { title: "To", cell: (row) => <span class="cut">{String(row.to)}</span> },
    { title: "Direction", cell: (row) => directionOf(row) },
    { title: "Status", cell: (row) => <Outcome row={row} below={below} /> },
    { title: "Duration", isNumber: true, cell: lengthOf },
  ];
}

/** The status of a call; where an error ended it, the error too. */
function Outcome({ row, below }: { row: Row; below: string }) {
  const error = row.ended_by as Row | undefined; // As `withErrors` puts it there.
  if (error === undefined) return <Status value={row.status} />;
  return (
    <>
      <Status value={row.status} />{" "}
      <a class="status bad" href={`${below}/Calls/${row.sid}`} title={String(error.message_text)}>
        error {String(error.error_code)}
      </a>
    </>
  );
}

const lengthOf = ({ duration }: Row) => duration === null ? <None /> : seconds(duration);

/** The direction of a call or a text in words. */
export const directionOf = ({ direction }: Row): string =>
  ({
    "inbound": "Inbound",
    "outbound-api": "Outbound (API)",
    "outbound-dial": "Outbound (Dial)",
    "outbound-call": "Outbound (markup)",
  })[
    String(direction)
  ] ?? String(direction);
