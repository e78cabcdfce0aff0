import { Hono } from "hono";
import { applications } from "../../../core/model/resources/applications.ts";
import { clients } from "../../../core/model/resources/clients.ts";
import { incomingPhoneNumbers } from "../../../core/model/resources/incoming_phone_numbers.ts";
import { documentTests } from "../../../core/model/resources/views/document_tests.ts";
import type { Row } from "../frame/api.ts";
import { change } from "../frame/change.ts";
import { Choice } from "../frame/choice.tsx";
import type { ConsoleEnv, Page } from "../frame/env.ts";
import { filled } from "../frame/form.tsx";
import { problemOf } from "../frame/problem_of.ts";
import { Act, Empty, Facts, Heading, Problem } from "../frame/parts.tsx";
import { belowOf, showPage } from "../frame/render.tsx";
import { readForm } from "../frame/session.ts";
import { adviceOf } from "./advice.ts";
import { applicationOptions } from "./applications.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";

const { path } = documentTests;

/** Requests markup as a call or message would, and shows its effect. */
export function tryMarkupPages(ports: Ports): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>()
    .get(
      "/",
      (c) => show(c, { values: Object.fromEntries(new URL(c.req.url).searchParams) }, ports),
    )
    .post("/", async (c) => {
      const form = await readForm(c, ports);
      const values = Object.fromEntries(form);
      try {
        const tried = await change(c, { path, form: filled(form) }, ports);
        return await show(c, { values, ...tried && { tried } }, ports);
      } catch (error) {
        return await show(c, { values, problem: problemOf(c, error) }, ports);
      }
    });
}

/** Buttons that try the markup of a record: those of its URLs, and of its application. */
export function tryButtons(c: Page, definition: { path: string }, row: Row, to: string) {
  const sources = sourcesOf[definition.path]?.(row) ?? [];
  if (sources.length === 0) return null;
  return (
    <section class="card">
      <h2>Try it</h2>
      <p class="soft">
        Sends a signed sample request, and shows the answer and what it would do. Nobody is called.
      </p>
      <div class="actions">
        {sources.map(({ label, ...hidden }) => (
          <Act to={`${to}/${path}`} csrf={c.var.csrf} label={`Try ${label}`} hidden={hidden} />
        ))}
      </div>
    </section>
  );
}

type Source = { label: string } & Record<string, string>;

const sourcesOf: Record<string, (row: Row) => Source[]> = {
  [incomingPhoneNumbers.path]: (row) => [
    ...ofRecord(row, { prefix: "voice", kind: "voice", label: "calls", to: row.phone_number }),
    ...ofRecord(row, { prefix: "sms", kind: "sms", label: "messages", to: row.phone_number }),
    ...ofRecord(row, { prefix: "ussd", kind: "ussd", label: "USSD", to: row.phone_number }),
  ],
  [clients.path]: (row) =>
    ofRecord(row, { prefix: "voice", kind: "voice", label: "calls", to: `client:${row.login}` }),
  [applications.path]: (row) =>
    row.flow || row.rcml_url ? [{ label: "it", ApplicationSid: row.sid }] : [],
};

/** The markup of one kind of a record: an application comes before URLs. */
function ofRecord(
  row: Row,
  { prefix, kind, label, to }: { prefix: string; kind: string; label: string; to: unknown },
): Source[] {
  const at = { Kind: kind, To: String(to) };
  const application = row[`${prefix}_application_sid`];
  if (application) return [{ label, ApplicationSid: String(application), ...at }];
  const source = (name: string, suffix: string): Source[] => {
    const url = row[`${prefix}_${name}url`];
    const method = String(row[`${prefix}_${name}method`] ?? "POST");
    return url ? [{ label: label + suffix, Url: String(url), Method: method, ...at }] : [];
  };
  return [...source("", ""), ...source("fallback_", " (fallback)")];
}

interface Shown {
  values: Record<string, string>;
  problem?: string;
  tried?: Row;
}

async function show(c: Page, { values, problem, tried }: Shown, ports: Ports) {
  const to = `${belowOf(c, ports)}/${path}`;
  const options = await applicationOptions(c.var.api, { none: "none: the URL above" });
  const content = (
    <>
      <Heading title="Try markup" />
      {problem && <Problem>{problem}</Problem>}
      {tried && <Result tried={tried} below={belowOf(c, ports)} />}
      <TryForm {...{ to, values, options }} csrf={c.var.csrf} />
    </>
  );
  return showPage(c, { title: "Try markup", section: path, content }, ports);
}

const TryForm = ({ to, values, options, csrf }: {
  to: string;
  values: Record<string, string>;
  options: [value: string, title: string][];
  csrf: string;
}) => (
  <form method="post" action={to} class="card stack">
    <p class="soft">
      Requests markup as a call or text would, signed and within the same limits. Nothing is
      performed, and nobody is called.
    </p>
    <input type="hidden" name="csrf" value={csrf} />
    <Text name="Url" label="URL" values={values} />
    {options.length > 1 && (
      <div class="input">
        <label for="ApplicationSid">Or an application</label>
        <Choice
          id="ApplicationSid"
          name="ApplicationSid"
          value={values.ApplicationSid ?? ""}
          options={options}
        />
      </div>
    )}
    <details open={Boolean(values.From || values.Digits || values.Body || values.Kind)}>
      <summary>The sample</summary>
      <div class="filter-row">
        <div>
          <label for="Kind">For</label>
          <Choice
            id="Kind"
            name="Kind"
            value={values.Kind ?? "voice"}
            options={[["voice", "a call"], ["sms", "a text message"], ["ussd", "USSD"]]}
          />
        </div>
        <div>
          <label for="Method">Method</label>
          <Choice
            id="Method"
            name="Method"
            value={values.Method ?? "POST"}
            options={[["POST", "POST"], ["GET", "GET"]]}
          />
        </div>
        <Text name="From" label="From" values={values} placeholder="+15550100" />
        <Text name="To" label="To" values={values} placeholder="+15550101" />
        <Text name="Digits" label="Keys pressed" values={values} />
        <Text name="Body" label="Text" values={values} placeholder="Hello" />
      </div>
    </details>
    <button type="submit" class="main">Send the request</button>
  </form>
);

const Text = ({ name, label, values, placeholder }: {
  name: string;
  label: string;
  values: Record<string, string>;
  placeholder?: string;
}) => (
  <div class="input">
    <label for={name}>{label}</label>
    <input
      id={name}
      name={name}
      value={values[name] ?? ""}
      placeholder={placeholder}
      inputmode={name === "Url" ? "url" : "text"}
      autocomplete="off"
      spellcheck={false}
    />
  </div>
);

interface Found {
  text: string;
  error_code: number;
}

function Result({ tried, below }: { tried: Row; below: string }) {
  // As the declaration of document tests has them.
  const [steps, problems] = [tried.steps as { text: string }[], tried.problems as Found[]];
  const answer = [tried.response_headers, tried.response_body].filter(Boolean).join("\n\n");
  return (
    <section class="card" aria-live="polite">
      <h2>What it would do</h2>
      {steps.length === 0
        ? <Empty>Nothing: there is no markup.</Empty>
        : <ol class="steps">{steps.map(({ text }) => <li>{text}</li>)}</ol>}
      {problems.map(({ text, error_code }) => (
        <div class="trouble">
          <p>
            <a href={`${below}/errors/${error_code}`}>{error_code}</a> {text}
          </p>
          {adviceOf(error_code, text) && <p class="advice">{adviceOf(error_code, text)}</p>}
        </div>
      ))}
      <Facts
        facts={[
          ["Request", `${tried.method} ${tried.url}`],
          ["Answer", tried.status ? `HTTP ${tried.status}` : "none"],
          ["Time", `${tried.duration} ms`],
          ["Verbs", String(tried.verbs)],
        ]}
      />
      {answer !== "" && (
        <details>
          <summary>The answer as it came</summary>
          <pre tabindex={0}>{answer}</pre>
        </details>
      )}
      <details>
        <summary>The parameters that were sent</summary>
        <pre tabindex={0}>{String(tried.request_variables).replaceAll("&", "\n")}</pre>
      </details>
    </section>
  );
}
