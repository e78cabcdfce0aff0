import { availablePhoneNumbers } from "../../../core/model/resources/available_phone_numbers.ts";
import { incomingPhoneNumbers } from "../../../core/model/resources/incoming_phone_numbers.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { kindSegments } from "../../../core/model/values/phone_number.ts";
import { ApiRefusal, type Row, type Rows } from "../frame/api.ts";
import { Choice } from "../frame/choice.tsx";
import type { Page } from "../frame/env.ts";
import { Empty, Heading, Problem } from "../frame/parts.tsx";
import { belowOf, showPage } from "../frame/render.tsx";
import { Pager, Table } from "../frame/table.tsx";

const { path } = incomingPhoneNumbers;

/** Rows of one search, and of the list of countries. */
const [pageSize, mostChoices] = ["25", "1000"];

/** The kinds of numbers in words, by their segment of the path. */
const kindTitles: Record<string, string> = {
  Local: "local",
  TollFree: "toll-free",
  Mobile: "mobile",
};

/** Filters of a search besides country and kind. */
const searchNames = ["Contains", "AreaCode", "VoiceEnabled", "SmsEnabled", "Page"] as const;

/** The search of available numbers. */
export async function showSearch(c: Page, ports: Ports): Promise<Response> {
  const sent = new URL(c.req.url).searchParams;
  const countries = await c.var.api.list(availablePhoneNumbers.path, { PageSize: mostChoices });
  const codes = countries.items.map(({ iso_country }) => String(iso_country));
  const country = codes.find((code) => code === sent.get("Country")) ??
    (codes.includes("US") ? "US" : codes[0]);
  const kind = Object.keys(kindSegments).find((one) => one === sent.get("Kind")) ?? "Local";
  const found = country === undefined ? null : await searchFor(c, { country, kind });
  const content = (
    <>
      <Heading title="Buy a number" kind="Numbers" up={`${belowOf(c, ports)}/${path}`}>
        <a class="button" href={`${belowOf(c, ports)}/${path}/new`}>Bring your own number</a>
      </Heading>
      {country === undefined
        ? <Empty>No numbers are on offer. Bring a number of your carrier instead.</Empty>
        : <SearchForm {...{ countries: countries.items, country, kind, sent }} />}
      {found instanceof ApiRefusal && <Problem>{found.message}</Problem>}
      {country !== undefined && found !== null && !(found instanceof ApiRefusal) && (
        <Offers below={belowOf(c, ports)} rows={found} {...{ country, kind }} />
      )}
    </>
  );
  return showPage(c, { title: "Buy a number", section: path, content }, ports);
}

interface Wanted {
  country: string;
  kind: string;
}

/** Numbers that the interface offers; the refusal where it refuses a search. */
async function searchFor(c: Page, { country, kind }: Wanted): Promise<Rows | ApiRefusal> {
  const sent = new URL(c.req.url).searchParams;
  const query = new URLSearchParams({ PageSize: pageSize });
  for (const name of searchNames) query.set(name, sent.get(name) ?? "");
  for (const [name, value] of [...query]) if (value === "") query.delete(name);
  try {
    return await c.var.api.list(`${availablePhoneNumbers.path}/${country}/${kind}`, query);
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 400) return error;
    throw error;
  }
}

const SearchForm = ({ countries, country, kind, sent }: Wanted & {
  countries: Row[];
  sent: URLSearchParams;
}) => (
  <form class="card filter-row">
    <div>
      <label for="country">Country</label>
      <Choice
        id="country"
        name="Country"
        value={country}
        options={countries.map((
          { iso_country, country },
        ) => [String(iso_country), String(country)])}
      />
    </div>
    <div>
      <label for="kind">Kind</label>
      <Choice id="kind" name="Kind" value={kind} options={Object.entries(kindTitles)} />
    </div>
    <div>
      <label for="contains">With the digits</label>
      <input
        id="contains"
        name="Contains"
        value={sent.get("Contains") ?? ""}
        placeholder="415*00"
        inputmode="tel"
        autocomplete="off"
        aria-describedby="contains-hint"
      />
    </div>
    <div>
      <label for="sms">Text messages</label>
      <Choice
        id="sms"
        name="SmsEnabled"
        value={sent.get("SmsEnabled") ?? ""}
        options={[["", "with or without"], ["true", "with"], ["false", "without"]]}
      />
    </div>
    <div class="filter-go">
      <button type="submit" class="main">Search</button>
    </div>
    <p class="hint" id="contains-hint">* stands for any one digit.</p>
  </form>
);

function Offers({ below, rows, country, kind }: Wanted & { below: string; rows: Rows }) {
  const to = `${below}/${path}/buy`;
  const chosen = ({ phone_number }: Row) =>
    new URLSearchParams({ PhoneNumber: String(phone_number), Kind: kind });
  if (rows.items.length === 0) return <Empty>No number fits. Ask for fewer digits.</Empty>;
  return (
    <>
      {rows.items.every(isFictional) && (
        <p class="soft">
          These numbers are fictional (555-01XX): phones of this service can call them, and no
          carrier brings calls to them. Bring a number of your carrier for those.
        </p>
      )}
      <Table
        caption="Available numbers"
        rows={rows.items}
        columns={[
          {
            title: "Number",
            cell: (row) => (
              <span>
                {String(row.phone_number)} <span class="soft">{String(row.friendly_name)}</span>
              </span>
            ),
          },
          { title: "Place", cell: placeOf },
          { title: "Carries", cell: (row) => carriesOf(row) },
          {
            title: "Choose",
            cell: (row) => (
              <a class="button" href={`${to}/confirm?${chosen(row)}`}>
                Choose
                <span class="hidden">{` ${row.phone_number}`}</span>
              </a>
            ),
          },
        ]}
      />
      <Pager to={to} rows={withWanted(rows, { country, kind })} words={["Previous", "Next"]} />
    </>
  );
}

/** The pages of a search keep its country and kind, which stand in the path of the interface. */
function withWanted(rows: Rows, { country, kind }: Wanted): Rows {
  const kept = (query: URLSearchParams | null) =>
    query && new URLSearchParams([...query, ["Country", country], ["Kind", kind]]);
  return { ...rows, next: kept(rows.next), previous: kept(rows.previous) };
}

/** True for a number that the North American plan reserves for fiction. */
const isFictional = ({ phone_number }: Row): boolean =>
  /^\+1\d{3}55501\d\d$/.test(String(phone_number));

const placeOf = ({ rate_center: center, region, iso_country: country }: Row): string =>
  [center, region, country].filter(Boolean).join(", ") || "–";

const carried: Record<string, string> = {
  voice_capable: "calls",
  sms_capable: "messages",
  mms_capable: "pictures",
  fax_capable: "fax",
};

/** Capabilities of a number, in words. */
export function carriesOf({ capabilities }: Row): string {
  const able = Object.entries(capabilities as Record<string, unknown>)
    .filter(([, value]) => String(value) === "true")
    .map(([name]) => carried[name]);
  return able.filter(Boolean).join(", ") || "–";
}
