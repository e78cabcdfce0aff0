import { Hono } from "hono";
import { availablePhoneNumbers } from "../../../core/resources/available_phone_numbers.ts";
import { incomingPhoneNumbers } from "../../../core/resources/incoming_phone_numbers.ts";
import type { Ports } from "../../../core/ports/ports.ts";
import { kindSegments } from "../../../core/values/phone_number.ts";
import { ApiRefusal, type Row, type Rows } from "../frame/api.ts";
import { change } from "../frame/change.ts";
import type { ConsoleEnv, Page } from "../frame/env.ts";
import { filled } from "../frame/form.tsx";
import { mendable } from "../frame/mendable.ts";
import { Empty, Facts, Heading, Problem } from "../frame/parts.tsx";
import { belowOf, showPage } from "../frame/render.tsx";
import { readForm } from "../frame/session.ts";
import { Pager, Table } from "../frame/table.tsx";
import { Choice } from "../frame/choice.tsx";

const { path } = incomingPhoneNumbers;
const section = path;

/** Rows of one search, and of a list that a form offers choices from. */
const [pageSize, mostChoices] = ["25", "1000"];

/** The kinds of numbers in words, by their segment of the path. */
const kindTitles: Record<string, string> = {
  Local: "local",
  TollFree: "toll-free",
  Mobile: "mobile",
};

/** What a search may ask for beside country and kind. */
const searchNames = ["Contains", "AreaCode", "VoiceEnabled", "SmsEnabled", "Page"] as const;

/** Search of available numbers, and the purchase of one: choose, see the price, buy. */
export function buyNumberPages(ports: Ports): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>()
    .get("/buy", (c) => showSearch(c, ports))
    .get("/buy/confirm", (c) => showConfirm(c, {}, ports))
    .post("/buy", async (c) => {
      const form = await readForm(c, ports);
      try {
        const made = await change(c, { path, form: filled(form) }, ports);
        return c.redirect(`${belowOf(c, ports)}/${path}/${made?.sid}?done=bought`, 303);
      } catch (error) {
        const values = Object.fromEntries(form);
        return await showConfirm(c, { problem: mendable(c, error), values }, ports);
      }
    });
}

async function showSearch(c: Page, ports: Ports): Promise<Response> {
  const sent = new URL(c.req.url).searchParams;
  const countries = await c.var.api.list(availablePhoneNumbers.path, { PageSize: mostChoices });
  const codes = countries.items.map(({ iso_country }) => String(iso_country));
  const country = codes.find((code) => code === sent.get("Country")) ??
    (codes.includes("US") ? "US" : codes[0]);
  const kind = Object.keys(kindSegments).find((one) => one === sent.get("Kind")) ?? "Local";
  const found = country === undefined ? null : await searchFor(c, { country, kind });
  const content = (
    <>
      <Heading title="Buy a number" kind="Numbers">
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
  return showPage(c, { title: "Buy a number", section, content }, ports);
}

interface Wanted {
  country: string;
  kind: string;
}

/** What the interface offers; a search that it refuses comes back as its refusal. */
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
                <a href={`${to}/confirm?${chosen(row)}`} aria-label={`Choose ${row.phone_number}`}>
                  {String(row.phone_number)}
                </a>{" "}
                <span class="soft">{String(row.friendly_name)}</span>
              </span>
            ),
          },
          { title: "Place", cell: placeOf },
          { title: "Carries", cell: (row) => carriesOf(row) },
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

/** Whether a number is of those that the North American plan keeps for fiction. */
const isFictional = ({ phone_number }: Row): boolean =>
  /^\+1\d{3}55501\d\d$/.test(String(phone_number));

const placeOf = ({ rate_center: center, region, iso_country: country }: Row): string =>
  [center, region, country].filter(Boolean).join(", ") || "–";

const carried: Record<string, string> = {
  voice_capable: "calls",
  sms_capable: "texts",
  mms_capable: "pictures",
  fax_capable: "fax",
};

/** What a number carries, in words. */
export function carriesOf({ capabilities }: Row): string {
  const able = Object.entries(capabilities as Record<string, unknown>)
    .filter(([, value]) => String(value) === "true")
    .map(([name]) => carried[name]);
  return able.filter(Boolean).join(", ") || "–";
}

interface Tried {
  problem?: string;
  values?: Record<string, string>;
}

/** The last page before the purchase: the price, and what the number is to do. */
async function showConfirm(c: Page, { problem, values = {} }: Tried, ports: Ports) {
  const to = `${belowOf(c, ports)}/${path}/buy`;
  const number = values.PhoneNumber ?? c.req.query("PhoneNumber") ?? "";
  const { items } = await c.var.api.list("Applications", { PageSize: mostChoices });
  const price = priceText(ports.settings.numberPriceMicros);
  const applications = items.filter(({ kind }) => kind === "voice");
  const content = (
    <>
      <Heading title={number} kind="Buy a number" />
      {problem && <Problem>{problem}</Problem>}
      <form method="post" action={to} class="card stack">
        <input type="hidden" name="csrf" value={c.var.csrf} />
        <input type="hidden" name="PhoneNumber" value={number} />
        <Facts facts={[["Number", number], ["Price a month", price]]} />
        <p class="soft">
          The first month is charged at once, to {String(c.var.account.friendly_name)}.
        </p>
        <h2>What it does</h2>
        <p class="hint">All of it can be changed later.</p>
        {applications.length > 0 && (
          <div class="input">
            <label for="application">Application that handles calls</label>
            <Choice
              id="application"
              name="VoiceApplicationSid"
              value={values.VoiceApplicationSid ?? ""}
              options={[
                ["", "none"],
                ...applications.map(({ sid, friendly_name }): [string, string] => [
                  sid,
                  String(friendly_name),
                ]),
              ]}
            />
          </div>
        )}
        {texts.map(({ name, label }) => (
          <div class="input">
            <label for={name}>{label}</label>
            <input
              id={name}
              name={name}
              value={values[name] ?? ""}
              inputmode={name.endsWith("Url") ? "url" : "text"}
              autocomplete="off"
              spellcheck={false}
            />
          </div>
        ))}
        <div class="actions">
          <button type="submit" class="main">
            {price === free ? `Take ${number}` : `Buy for ${price} a month`}
          </button>
          <a href={to}>Other numbers</a>
        </div>
      </form>
    </>
  );
  return showPage(c, { title: `Buy ${number}`, section, content }, ports);
}

const texts = [
  { name: "VoiceUrl", label: "URL of the markup that handles calls" },
  { name: "SmsUrl", label: "URL of the markup that handles text messages" },
  { name: "FriendlyName", label: "Name of the number" },
];

const free = "nothing";

/** A price in millionths as a decimal text, as the interface writes prices. */
const priceText = (micros: number): string =>
  micros === 0 ? free : (micros / 1_000_000).toFixed(6).replace(/(\.\d\d)(\d*?)0*$/, "$1$2");
