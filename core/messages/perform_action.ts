import { Fault, type FaultName } from "../base/faults.ts";
import { parametersOf } from "./geolocation_parameters.ts";
import type { Job } from "../model/job.ts";
import { assertEmailSender } from "./email_sender.ts";
import { checkMessage } from "./check_message.ts";
import { reserved } from "./reserve.ts";
import { limitFaultOf } from "../model/values/account_limits.ts";
import { notification } from "../webhooks/notify.ts";
import { matchFields, type Parameters, parseFields, type Sent } from "../model/rest/parameters.ts";
import { orderRequest } from "../webhooks/own_request.ts";
import type { Ports } from "../model/ports/ports.ts";
import type {
  AlsoInserted,
  InsertedInto,
  RecordTypes,
  ResourceName,
} from "../model/record_types.ts";
import type { AnyCollection, Collection } from "../model/store.ts";
import { isRemoved } from "../model/resources/internal/removed_records.ts";
import {
  type AnyResource,
  creation,
  type Fields,
  newBase,
  paramsSchema,
  type Resource,
} from "../model/resource.ts";
import type { Account } from "../model/resources/accounts.ts";
import { emails } from "../model/resources/emails.ts";
import { geolocations } from "../model/resources/geolocations.ts";
import { longBody, messages } from "../model/resources/messages.ts";
import { type Cause, sidOfCause } from "../base/sid.ts";
import { pascal } from "../base/wire.ts";
import { type Order, order as orderSchema, type OrderOf } from "../model/values/order.ts";

/** The call or message that an order belongs to, and the cause of the order. */
export interface Ordering {
  accountSid: string;
  callSid: string | null;
  /** A second run makes the same records, so nothing is sent twice. */
  cause: Cause;
}

/** The records and jobs of an order, committed together, and the parameters of the verb's action. */
export interface PerformedAction {
  also: AlsoInserted[];
  jobs: Job[];
  params: Record<string, string>;
  /** The same where a limit of the account refuses the commit. */
  instead?(refusal: Fault): PerformedAction;
}

/**
 * Performs an order of a markup document: makes its record with the job that sends it, or the
 * Notification of why that is not possible.
 */
export async function performAction(
  serviceContext: unknown,
  ordering: Ordering,
  ports: Ports,
): Promise<PerformedAction> {
  const { data } = orderSchema.safeParse(serviceContext);
  if (data === undefined) return { also: [], jobs: [], params: {} }; // None of ours.
  try {
    const performed = await makers[data.kind](data as never, ordering, ports);
    return { ...performed, instead: (fault) => refused(data, fault, ordering, ports) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return refused(data, error, ordering, ports);
  }
}

/** Inserts the record and jobs of an order, unless that was done before, also if it was removed since. */
export async function keep(
  { also: [first], jobs, instead }: PerformedAction,
  ports: Ports,
): Promise<void> {
  if (first === undefined) return;
  const { accountSid, sid } = first.record;
  const collection: AnyCollection = ports.records[first.into];
  if (await collection.get(accountSid, sid) !== null) return;
  if (await isRemoved({ accountSid, sid }, ports.records)) return;
  try {
    await insertInto(ports.records, first, jobs);
  } catch (error) {
    const isRepeated = error instanceof Fault && error.fault === "alreadyExists";
    if (isRepeated) return;
    if (instead === undefined) throw error;
    await keep(instead(limitFaultOf(error)), ports);
  }
}

const insertInto = <Name extends ResourceName>(
  records: { [N in Name]: Collection<RecordTypes[N]> },
  { into, record }: InsertedInto<Name>,
  jobs: Job[],
) => records[into].insert({ record, jobs });

type Maker<K extends Order["kind"]> = (
  order: OrderOf<K>,
  ordering: Ordering,
  ports: Ports,
) => Promise<PerformedAction> | PerformedAction;

const makers: { readonly [K in Order["kind"]]: Maker<K> } = {
  async sms({ kind: _, from, to, isMessage = false, apiVersion, ...rest }, ordering, ports) {
    const ends = { from, to };
    const mayBeLong = isMessage || apiVersion !== undefined;
    const sent = read(mayBeLong ? ofLong() : parametersFor(messages), { ...rest, ...ends });
    const account = await accountOf(ordering.accountSid, ports);
    const checked = await checkMessage(
      { ...ends, mayName: apiVersion !== undefined },
      account,
      ports,
    );
    const own = { direction: "outbound-call", ...apiVersion !== undefined && { apiVersion } };
    const price = reserved({ to: checked.to, body: String(sent.body) }, ports);
    const fields = { ...sent, ...checked, ...price, ...own };
    const { record, jobs } = made(messages, { fields, ordering, ports });
    const params = {
      SmsSid: record.sid,
      SmsStatus: record.status,
      ...isMessage && { MessageSid: record.sid, MessageStatus: record.status },
    };
    return { also: [{ into: "messages", record }], jobs, params };
  },
  async email({ kind: _, ...fields }, ordering, ports) {
    if (ports.mailer === null) {
      throw new Fault("emailNotSent", "sending e-mail needs SMTP_URL to be configured");
    }
    const sent = read(parametersFor(emails), fields);
    await assertEmailSender(String(sent.from), await accountOf(ordering.accountSid, ports), ports);
    const { record, jobs } = made(emails, { fields: sent, ordering, ports });
    return { also: [{ into: "emails", record }], jobs, params: {} };
  },
  geolocation({ type, deviceIdentifier, statusCallback, geofence }, ordering, ports) {
    const sent = read(parametersOf(type), { deviceIdentifier, statusCallback, ...geofence });
    const fields = { ...sent, geolocationType: type };
    const { record, jobs } = made(geolocations, { fields, ordering, ports });
    const params = {
      GeolocationSid: record.sid,
      GeolocationStatus: record.responseStatus,
    };
    return { also: [{ into: "geolocations", record }], jobs, params };
  },
};

async function accountOf(sid: string, { accounts }: Ports): Promise<Account> {
  const account = accounts.recent(sid) ?? await accounts.get(sid);
  if (account === null) throw new Fault("notFound", sid);
  return account;
}

/** The parameters of a message whose text may have 1,600 characters. */
const ofLong = (): Parameters => {
  const parameters = parametersFor(messages);
  return { ...parameters, schema: parameters.schema.extend({ body: longBody.min(1) }) };
};

/** Parameters of the REST interface for a new record of a resource. */
function parametersFor(definition: AnyResource): Parameters {
  const { required, optional } = definition.create!;
  return { ...definition, schema: paramsSchema(definition.fields, required, optional) };
}

/** The fields, checked as the REST interface does. Throws the Fault that it would answer. */
function read(parameters: Parameters, fields: Record<string, string | undefined>) {
  const sent: Sent = new Map();
  for (const [field, text] of Object.entries(fields)) {
    if (text !== undefined) sent.set(pascal(field), text);
  }
  return parseFields(parameters, matchFields(parameters, sent).fields);
}

/** The record that an order makes, and the job that sends it; the same for each repeat of its cause. */
function made<F extends Fields>(
  definition: Resource<F>,
  { fields, ordering, ports }: {
    fields: Record<string, unknown>;
    ordering: Ordering;
    ports: Ports;
  },
) {
  const newSid = (prefix: string) => sidOfCause(prefix, ordering.cause);
  const base = newBase(definition, ordering.accountSid, { newSid, now: ports.now });
  const { record, jobs = [] } = creation(definition, fields, base);
  return { record, jobs };
}

const verbs = { sms: "Sms", email: "Email", geolocation: "Geolocation" } as const;

/** The Notification of an order that cannot be carried out. */
function refused(
  order: Order,
  { fault, detail = "" }: Fault,
  { accountSid, callSid, cause }: Ordering,
  ports: Ports,
): PerformedAction {
  const verb = verbs[order.kind];
  const isOfMarkup = fault === "badParameter";
  const notice = {
    accountSid,
    callSid,
    fault: (isOfMarkup ? "markupSkipped" : fault) satisfies FaultName,
    detail: `${verb}: ${detail}`,
    level: "error",
    cause,
    exchange: orderRequest(order, accountSid, ports),
  } as const;
  return { also: [notification(notice, ports)], jobs: [], params: { [`${verb}Status`]: "failed" } };
}
