import type { Row } from "../frame/api.ts";
import { type Field, Inputs, valuesOf } from "../frame/form.tsx";
import { None } from "../frame/parts.tsx";
import { Table } from "../frame/table.tsx";

/** The limits that count something: the field of each, that of the tightest, and that of the use. */
const counted = [
  ["Calls at once", "max_concurrent_calls", "concurrent_calls"],
  ["Calls a second", "max_calls_per_second", null],
  ["Messages a day", "max_texts_per_day", "texts_today"],
  ["E-mails a day", "max_emails_per_day", "emails_today"],
  ["Money a day", "max_spend_per_day", "spend_today"],
] as const;

/** The variables of the limits of the root account. */
const variables = "MAX_CONCURRENT_CALLS, MAX_CALLS_PER_SECOND, MAX_TEXTS_PER_DAY, " +
  "MAX_EMAILS_PER_DAY, MAX_SPEND_PER_DAY, DESTINATION_PREFIXES and PREMIUM_PREFIXES";

const text = (value: unknown, unset: string) => String(value ?? unset);

/** Used money: charges, and the cost of live calls and waiting messages. */
const usedOf = (limits: Row, use: string | null) => {
  if (use === null || limits[use] === null) return <None />;
  const reserved = use === "spend_today" ? Number(limits.spend_reserved) : 0;
  return reserved > 0 ? `${limits[use]}, ${limits.spend_reserved} reserved` : String(limits[use]);
};

/** The limits of an account with their use, and the form for accounts that may set them. */
export const Limits = ({ limits, fields, isRoot, maySet, to, csrf }: {
  limits: Row;
  fields: Field[];
  isRoot: boolean;
  maySet: boolean;
  to: string;
  csrf: string;
}) => (
  <section class="card stack" id="limits">
    <h2>Limits</h2>
    <p>
      Each limit counts what the account and all accounts below it use. {isRoot
        ? `The operator sets those of the root account by ${variables}.`
        : "The account above sets it."}
    </p>
    <Table
      caption="Limits"
      rows={counted.map(([title, own, use]) => ({ sid: own, title, own, use }))}
      columns={[
        { title: "Limit", cell: ({ title }) => String(title) },
        {
          title: "Of this account",
          isNumber: true,
          cell: ({ own }) => text(limits[String(own)], "no limit"),
        },
        {
          title: "In force",
          isNumber: true,
          cell: ({ own }) => text(limits[`effective_${own}`], "no limit"),
        },
        {
          title: "Used",
          isNumber: true,
          cell: ({ use }) => usedOf(limits, use as string | null),
        },
      ]}
    />
    <p>
      Destination prefixes: {text(limits.destination_prefixes, "no limit")}. Premium prefixes:{" "}
      {text(limits.premium_prefixes, "those of the account above")}.
    </p>
    {maySet && (
      <form method="post" action={`${to}/limits`} class="stack">
        <input type="hidden" name="csrf" value={csrf} />
        <Inputs fields={fields} values={valuesOf(fields, limits)} />
        <button type="submit" class="main">Set limits</button>
      </form>
    )}
  </section>
);
