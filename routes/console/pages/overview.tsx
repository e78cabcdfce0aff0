import { Hono } from "hono";
import type { Ports } from "../../../core/model/ports/ports.ts";
import type { Api, Row } from "../frame/api.ts";
import { Bars } from "../frame/chart.tsx";
import type { ConsoleEnv } from "../frame/env.ts";
import { Empty, Heading, Time } from "../frame/parts.tsx";
import { belowOf, showPage } from "../frame/render.tsx";
import { Table } from "../frame/table.tsx";
import { Tile } from "../frame/tile.tsx";
import { attentionOf } from "../faults/attention.ts";
import { Causes } from "../faults/causes.tsx";
import { withErrors } from "../faults/ended_by_error.ts";
import type { Notice } from "../faults/notice.ts";
import { callColumns } from "./call_columns.tsx";
import { FailedCalls } from "./failed_calls.tsx";

/** The spans of time that the page shows, by their names at the interface. */
const spans = {
  hour: { title: "1 hour", hours: 1, periodMinutes: 2 },
  day: { title: "24 hours", hours: 24, periodMinutes: 60 },
  week: { title: "7 days", hours: 7 * 24, periodMinutes: 6 * 60 },
} as const;

type SpanName = keyof typeof spans;

/** Notifications that are looked at for their codes. */
const mostFailures = "200";

/** The first page of an account: statistics, findings, and the latest calls. */
export function overviewPages(ports: Ports): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>().get("/", async (c) => {
    const below = belowOf(c, ports);
    const sent = c.req.query("span") ?? "";
    const name: SpanName = Object.hasOwn(spans, sent) ? sent as SpanName : "hour";
    const { hours, periodMinutes } = spans[name];
    const since = new Date(ports.now() - hours * 3_600_000).toISOString();
    const { api } = c.var;
    const [state, failures, calls, attention] = await Promise.all([
      api.read("Statistics", new URLSearchParams({ Span: name })),
      api.list("Notifications", { "StartTime>": since, PageSize: mostFailures }),
      latestCalls(api),
      attentionOf(c),
    ]);
    const isNew = calls.length === 0 && Number(state.clients) < 2;
    const content = (
      <>
        <Heading title="Overview" kind={String(c.var.account.friendly_name)}>
          <nav class="actions" aria-label="Span">
            {Object.entries(spans).map(([one, { title }]) => (
              <a href={`${below}?span=${one}`} aria-current={one === name ? "true" : undefined}>
                {title}
              </a>
            ))}
          </nav>
        </Heading>
        {isNew && <FirstSteps below={below} />}
        <div class="live-part" id="state" data-live="15">
          <Attention {...{ below, state, attention }} now={ports.now()} />
          <Tiles {...{ below, state }} />
          <CallChart state={state} minutes={periodMinutes} />
          <FailedCalls {...{ below, state }} />
          <Causes {...{ below, failures }} />
          <section class="card">
            <div class="heading-row">
              <h2>Latest calls</h2>
              {calls.length > 0 && <a href={`${below}/Calls`}>All calls</a>}
            </div>
            {calls.length === 0
              ? <Empty>There was no call yet.</Empty>
              : <Table caption="Latest calls" columns={callColumns(below)} rows={calls} />}
          </section>
        </div>
      </>
    );
    return showPage(c, { title: "Overview", section: "", content }, ports);
  });
}

const latestCalls = async (api: Api): Promise<Row[]> =>
  await withErrors(api, (await api.list("Calls", { PageSize: "6" })).items);

const FirstSteps = ({ below }: { below: string }) => (
  <section class="card">
    <h2>First steps</h2>
    <ol class="steps">
      <li>
        <a href={`${below}/Clients/new`}>Make a Client</a>, and set up a phone with its QR code.
      </li>
      <li>
        <a href={`${below}/IncomingPhoneNumbers/buy`}>Take a number</a>, and say what it does.
      </li>
      <li>
        <a href={`${below}/Webhooks/Tests`}>Try the markup</a> of your server, without a call.
      </li>
    </ol>
  </section>
);

interface StateProps {
  below: string;
  state: Row;
}

/** Callbacks are late when one has waited for so long. */
const lateMs = 60_000;

/** Findings that need attention, each with a link. */
function Attention({ below, state, attention, now }: StateProps & {
  attention: Notice[];
  now: number;
}) {
  const oldest = Date.parse(String(state.oldest_delivery));
  const notices: Notice[] = [
    ...Number(state.gateways_down) > 0
      ? [{
        look: "bad" as const,
        text: countOf(state.gateways_down, "Gateway is", "Gateways are") + " not registered",
        path: "Management/Gateways",
      }]
      : [],
    ...now - oldest > lateMs
      ? [{
        look: "wait" as const,
        text: countOf(state.queued_deliveries, "callback waits", "callbacks wait") +
          ` to be sent, the oldest for ${Math.round((now - oldest) / 60_000)} min`,
        path: "Webhooks/Deliveries?Status=queued",
      }]
      : [],
    ...Number(state.failed_deliveries) > 0
      ? [{
        look: "bad" as const,
        text: countOf(state.failed_deliveries, "callback was", "callbacks were") + " given up",
        path: "Webhooks/Deliveries?Status=failed",
      }]
      : [],
    ...attention,
  ];
  if (notices.length === 0) return null;
  return (
    <section class="card">
      <h2>Needs attention</h2>
      <ul class="attention">
        {notices.map(({ text, path, look }) => (
          <li class={look}>
            <a href={`${below}/${path}`}>{text}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

const countOf = (count: unknown, one: string, many: string): string =>
  `${Number(count).toLocaleString("en")} ${Number(count) === 1 ? one : many}`;

function Tiles({ below, state }: StateProps) {
  const periods = state.periods as Row[]; // As the declaration of statistics has them.
  const sum = (field: string) => periods.reduce((sum, one) => sum + Number(one[field]), 0);
  const ended = Number(state.calls) - sum("live");
  const answered = ended === 0 ? "–" : `${Math.round(sum("completed") / ended * 100)} %`;
  const setup = (ms: unknown) => ms === null ? "–" : `${(Number(ms) / 1_000).toFixed(1)} s`;
  const isEstimated = Number(state.sampled_calls) < Number(state.calls);
  return (
    <div class="tiles">
      <Tile
        to={`${below}/Calls`}
        title="Calls"
        figure={Number(state.calls).toLocaleString("en")}
        more={countOf(sum("live"), "in progress", "in progress")}
      />
      <Tile
        to={`${below}/Calls?Status=completed`}
        title="Answered"
        figure={answered}
        more={isEstimated
          ? `estimated from ${Number(state.sampled_calls).toLocaleString("en")}`
          : `${sum("failed").toLocaleString("en")} failed`}
      />
      <Tile
        title="Set-up time"
        figure={setup(state.setup_median)}
        more={state.setup_long === null ? "INVITE to answer" : `p95: ${setup(state.setup_long)}`}
      />
      <Tile
        to={`${below}/Clients`}
        title="Registered"
        figure={state.registered_clients === null
          ? "not known"
          : Number(state.registered_clients).toLocaleString("en")}
        more={<Registered state={state} />}
      />
      <Tile
        to={`${below}/Webhooks/Deliveries?Status=queued`}
        title="Callbacks waiting"
        figure={Number(state.queued_deliveries).toLocaleString("en")}
        more={`${Number(state.failed_deliveries).toLocaleString("en")} given up`}
      />
    </div>
  );
}

/** Number of Clients, and the time since when registrations are unknown. */
const Registered = ({ state }: { state: Row }) => {
  const { registered_clients: known, registrations_unknown_since: since } = state;
  const all = `of ${countOf(state.clients, "Client", "Clients")}`;
  if (known !== null && since === null) return <>{all}</>;
  return (
    <>
      {known === null ? "no word from the SIP companion" : `${all}; no word from a SIP companion`}
      {since !== null && (
        <>
          {" since "}
          <Time at={since} />
        </>
      )}
    </>
  );
};

const outcomes = [
  { name: "answered", look: "", fields: ["completed"] },
  { name: "in progress", look: "live", fields: ["live"] },
  { name: "busy or no answer", look: "wait", fields: ["busy", "no_answer"] },
  { name: "canceled", look: "soft", fields: ["canceled"] },
  { name: "failed", look: "bad", fields: ["failed"] },
] as const;

function CallChart({ state, minutes }: { state: Row; minutes: number }) {
  const periods = state.periods as Row[]; // As the declaration of statistics has them.
  const bars = periods.map((one) => ({
    at: Date.parse(String(one.start_time)),
    label: String(one.start_time).slice(0, 16).replace("T", " "),
    cell: <Time at={one.start_time} />,
    values: outcomes.map(({ fields }) =>
      fields.reduce((sum, field) => sum + Number(one[field]), 0)
    ),
  }));
  return (
    <section class="card">
      <h2>Calls by outcome</h2>
      <Bars
        title="Calls by outcome"
        series={outcomes}
        bars={bars}
        ends={[<Time at={state.start_time} {...minutes < 60 ? { part: "time" } : {}} />, "now"]}
        most={(value) => `most: ${rateOf(value / minutes)} a minute`}
      />
    </section>
  );
}

const rateOf = (value: number): string => value.toFixed(value < 1 ? 2 : value < 10 ? 1 : 0);
