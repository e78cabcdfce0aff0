import type { Page } from "../frame/env.ts";
import { clients } from "../../../core/resources/clients.ts";
import { incomingPhoneNumbers } from "../../../core/resources/incoming_phone_numbers.ts";

/** Clients and numbers that a form offers. */
const most = "100";

/** Who may be called with a flow, and by which caller ID. */
export interface CallEnds {
  clients: string[];
  from: string;
}

export async function callEnds(c: Page): Promise<CallEnds> {
  const [phones, numbers] = await Promise.all([
    c.var.api.list(clients.path, { PageSize: most }),
    c.var.api.list(incomingPhoneNumbers.path, { PageSize: "1" }),
  ]);
  const logins = phones.items.filter(({ status }) => status === "1").map(({ login }) =>
    String(login)
  );
  return { clients: logins, from: String(numbers.items[0]?.phone_number ?? "") };
}

/** Calls a Client with the saved flow. */
export const CallMe = ({ to, csrf, ends: { clients, from } }: {
  to: string;
  csrf: string;
  ends: CallEnds;
}) => (
  <section class="call-me">
    <h2>Call me</h2>
    {clients.length === 0
      ? <p class="soft">The account has no Client that could be called.</p>
      : (
        <form method="post" action={to} id="designer-call" class="stack">
          <input type="hidden" name="csrf" value={csrf} />
          <p class="hint">
            Rings a softphone or phone of the account, and performs the saved flow.
          </p>
          <label for="call-to">Client</label>
          <select id="call-to" name="Login">
            {clients.map((login) => <option value={login}>{login}</option>)}
          </select>
          <label for="call-from">Caller ID</label>
          <input id="call-from" name="From" value={from} placeholder="the Client itself" />
          <button type="submit" class="main">Call me</button>
          <p id="designer-called" role="status"></p>
        </form>
      )}
  </section>
);
