import type { Child } from "hono/jsx";
import { type Signable, signaturesOf, signedTexts } from "../../../core/base/signature.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { deliveries } from "../../../core/model/resources/deliveries.ts";
import type { Row } from "../frame/api.ts";
import type { Page } from "../frame/env.ts";
import { Act, Empty, Time } from "../frame/parts.tsx";
import { belowOf } from "../frame/render.tsx";
import { laneOf } from "../../../core/webhooks/deliver.ts";
import { RequestCard } from "./exchange.tsx";

/** The attempts of a Delivery, and its replay. */
export async function deliveryExtra(c: Page, row: Row, ports: Ports): Promise<Child> {
  // As the declaration of deliveries has them.
  const attempts = row.attempts as Record<string, unknown>[];
  const nextAt = row.status === "queued" ? await nextAttemptOf(c, row, ports) : null;
  const to = `${belowOf(c, ports)}/${deliveries.path}/${row.sid}/replay`;
  return (
    <>
      <section class="card">
        <div class="heading-row">
          <h2>Attempts</h2>
          {row.status !== "queued" && <Act to={to} csrf={c.var.csrf} label="Replay" look="main" />}
          {nextAt !== null && nextAt > ports.now() && (
            <div class="actions">
              <span class="soft">
                Next attempt <Time at={nextAt} part="clock" />, {inWords(nextAt - ports.now())}
              </span>
              <Act to={to} csrf={c.var.csrf} label="Send now" look="main" />
            </div>
          )}
        </div>
        {attempts.length === 0 && <Empty>It has not been sent yet.</Empty>}
        {attempts.map((one) => (
          <details>
            <summary>
              <Time at={one.start_time} /> {one.status ? `HTTP ${one.status}` : String(one.error)},
              {" "}
              {String(one.duration)} ms
            </summary>
            <pre
              tabindex={0}
            >{[one.response_headers, one.response_body].filter(Boolean).join("\n\n")}</pre>
          </details>
        ))}
      </section>
      <RequestCard row={row} />
      <Signed row={row} authToken={c.var.account.auth_token} />
    </>
  );
}

/** Time of the next attempt of a queued Delivery, in ms; null where it is unknown. */
const nextAttemptOf = (c: Page, { sid, url }: Row, { jobs }: Ports): Promise<number | null> =>
  jobs.dueAt(laneOf({ url: String(url), accountSid: String(c.var.account.sid) }), sid);

const inWords = (ms: number): string =>
  ms < 90_000 ? `in ${Math.ceil(ms / 1_000)} s` : `in ${Math.round(ms / 60_000)} min`;

/** The request as its signatures are over it: without the credentials of its URL. */
function signableOf(row: Row): Signable {
  const params = Object.fromEntries(new URLSearchParams(String(row.request_variables ?? "")));
  const method = row.method === "GET" ? "GET" : "POST";
  const url = new URL(String(row.url));
  if (method === "GET") {
    for (const [name, value] of Object.entries(params)) url.searchParams.append(name, value);
  }
  return { url: url.href, method, params };
}

/** Signatures that a program which checks them has to compute. */
function Signed({ row, authToken }: { row: Row; authToken: unknown }) {
  if (typeof authToken !== "string") return null; // An API key that may not read it.
  const attempts = row.attempts as Record<string, unknown>[]; // As the declaration has them.
  const now = Date.parse(String(attempts.at(-1)?.start_time ?? row.start_time));
  const signable = signableOf(row);
  const texts = signedTexts(signable, Math.floor(now / 1_000));
  const headers = signaturesOf(signable, { authToken, now });
  return (
    <details class="card">
      <summary>Signatures</summary>
      <p class="soft">
        As of the last attempt, with the AuthToken of now. Both are over the bytes as they are sent.
      </p>
      <h3>X-Switchboard-Signature: HMAC-SHA256 in hex, over</h3>
      <pre tabindex={0}>{texts.own}</pre>
      <pre tabindex={0}>{`X-Switchboard-Signature: ${headers["x-switchboard-signature"]}`}</pre>
      <h3>X-Twilio-Signature: HMAC-SHA1 in Base64, over</h3>
      <pre tabindex={0}>{texts.twilio}</pre>
      <pre tabindex={0}>{`X-Twilio-Signature: ${headers["x-twilio-signature"]}`}</pre>
    </details>
  );
}
