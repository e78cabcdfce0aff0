import { z } from "zod";
import { effectiveStatus } from "../accounts/access.ts";
import { createAccount } from "../accounts/create_account.ts";
import { updateAccount } from "../accounts/update_account.ts";
import { listChildren } from "../accounts/walk.ts";
import type { Query, Slice } from "../model/store.ts";
import type { Ports } from "../model/ports/ports.ts";
import { type Account, accounts as definition } from "../model/resources/accounts.ts";
import { sliceOf } from "../model/rest/paging.ts";
import { equal } from "./noun/filters.ts";
import { action, noun, works } from "./noun/noun.ts";
import { asFields, given } from "./noun/regular.ts";
import { date } from "./noun/written.ts";

const statuses = z.enum(["active", "suspended", "closed"]);

/** An account with its effective status, which may be that of a parent account. */
const shown = async (account: Account, { accounts }: Ports): Promise<Account> => ({
  ...account,
  status: await effectiveStatus(account, accounts),
});

/** An account and its sub-accounts, newest first; Twilio's list begins with all of them. */
async function withChildren(
  account: Account,
  query: Query,
  { accounts }: Ports,
): Promise<Slice<Account>> {
  if (query.where.length > 0) {
    return sliceOf([...await accounts.children(account.sid), account], query);
  }
  const { items, total } = await listChildren(account.sid, query, accounts);
  const isLast = items.length < query.limit && query.after !== account.sid &&
    (query.after !== undefined || query.skip <= total);
  return { items: isLast ? [...items, account] : items, total: total + 1 };
}

/** An e-mail address of an account that was made without one; nothing can be sent there (RFC 2606). */
const placeholderEmail = (): string => `${crypto.randomUUID()}@accounts.invalid`;

const randomPassword = (): string => crypto.getRandomValues(new Uint8Array(32)).toHex();

/** A tenant. */
export const accounts = noun<Account>({
  type: "Account",
  path: "",
  plural: "accounts",
  isAccount: true,
  fields: {
    sid: ({ sid }) => sid,
    date_created: ({ dateCreated }) => date(dateCreated),
    date_updated: ({ dateUpdated }) => date(dateUpdated),
    friendly_name: ({ friendlyName }) => friendlyName,
    status: ({ status }) => status,
    type: ({ type }) => type,
    auth_token: ({ authToken }) => authToken,
    owner_account_sid: ({ sid, accountSid }) => accountSid === "" ? sid : accountSid,
  },
  address: ({ sid }) => sid,
  below: {
    addresses: "Addresses",
    applications: "Applications",
    available_phone_numbers: "AvailablePhoneNumbers",
    balance: "Balance",
    calls: "Calls",
    conferences: "Conferences",
    incoming_phone_numbers: "IncomingPhoneNumbers",
    messages: "Messages",
    notifications: "Notifications",
    outgoing_caller_ids: "OutgoingCallerIds",
    queues: "Queues",
    recordings: "Recordings",
    transcriptions: "Transcriptions",
    usage: "Usage",
  },
  create: action({
    parameters: { FriendlyName: works(definition.fields.friendlyName) },
    async perform({ caller, ports }, { FriendlyName }) {
      const made = new Date(ports.now()).toISOString().slice(0, 16).replace("T", " ");
      const friendlyName = FriendlyName ?? `SubAccount Created at ${made}`;
      const password = randomPassword();
      const wanted = { emailAddress: placeholderEmail(), password, friendlyName };
      return await createAccount(caller, wanted, ports);
    },
  }),
  fetch: ({ account, ports }) => shown(account, ports),
  update: action({
    parameters: {
      FriendlyName: works(definition.fields.friendlyName),
      Status: works(statuses),
    },
    async perform({ caller, account, ports }, sent) {
      return await shown(
        await updateAccount({ caller, account }, given(asFields(sent)), ports),
        ports,
      );
    },
  }),
  listed: {
    filters: {
      FriendlyName: equal("friendlyName"),
      Status: equal("status", statuses.options),
    },
    read: ({ caller, ports }, query) => withChildren(caller, query, ports),
  },
});
