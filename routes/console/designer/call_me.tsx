import type { Ports } from "../../../core/model/ports/ports.ts";
import type { Page } from "../frame/env.ts";
import { canRing, NoPhone, type Phone, PhoneChoice, phonesOf } from "../build/phones.tsx";
import { incomingPhoneNumbers } from "../../../core/model/resources/incoming_phone_numbers.ts";

/** Form of a test call: addresses that may be called with a flow, and caller IDs. */
export interface CallEnds {
  clients: Phone[];
  from: string;
}

export async function callEnds(c: Page, ports: Ports): Promise<CallEnds> {
  const [phones, numbers] = await Promise.all([
    phonesOf(c, ports),
    c.var.api.list(incomingPhoneNumbers.path, { PageSize: "1" }),
  ]);
  return { clients: phones, from: String(numbers.items[0]?.phone_number ?? "") };
}

/** Calls a Client with the saved flow. */
export const CallMe = ({ to, csrf, ends: { clients, from } }: {
  to: string;
  csrf: string;
  ends: CallEnds;
}) => (
  <section class="call-me">
    <h2>Call me</h2>
    {!canRing(clients)
      ? <NoPhone phones={clients} />
      : (
        <form method="post" action={to} id="designer-call" class="stack">
          <input type="hidden" name="csrf" value={csrf} />
          <p class="hint">
            Rings a softphone or phone of the account, and performs the published flow.
          </p>
          <label for="call-to">Client</label>
          <PhoneChoice id="call-to" name="Login" phones={clients} />
          <label for="call-from">Caller ID</label>
          <input id="call-from" name="From" value={from} placeholder="the Client itself" />
          <button type="submit" class="main">Call me</button>
          <p id="designer-called" role="status"></p>
        </form>
      )}
  </section>
);
