import type { Row } from "../frame/api.ts";
import { seconds, Status, Time } from "../frame/parts.tsx";
import type { Column } from "../frame/table.tsx";

/** The columns of a list of calls. */
export function callColumns(below: string): Column[] {
  return [
    {
      title: "Began",
      cell: (row) => (
        <a href={`${below}/Calls/${row.sid}`}>
          <Time at={row.start_time ?? row.date_created} />
        </a>
      ),
    },
    { title: "From", cell: (row) => <span class="cut">{String(row.from)}</span> },
    { title: "To", cell: (row) => <span class="cut">{String(row.to)}</span> },
    { title: "Direction", cell: (row) => directionOf(row) },
    { title: "Status", cell: (row) => <Status value={row.status} /> },
    { title: "Length", isNumber: true, cell: (row) => seconds(row.duration) },
  ];
}

/** The direction of a call in words. */
export const directionOf = ({ direction }: Row): string =>
  ({ "inbound": "in", "outbound-api": "out, by request", "outbound-dial": "out, by Dial" })[
    String(direction)
  ] ?? String(direction);
