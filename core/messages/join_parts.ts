import { Fault } from "../base/faults.ts";
import { joinParts } from "../model/job_kinds.ts";
import { limits } from "../base/limits.ts";
import { notification } from "../webhooks/notify.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { AlsoInserted } from "../model/record_types.ts";
import type { Change } from "../model/store.ts";
import type { IncomingPhoneNumber } from "../model/resources/incoming_phone_numbers.ts";
import type { Message } from "../model/resources/messages.ts";
import {
  type PartialText,
  partialTexts as definition,
} from "../model/resources/internal/partial_texts.ts";
import { sidOfCause } from "../base/sid.ts";
import { inboundChange, type InboundText } from "./record_inbound.ts";

/** A part of a long text (3GPP TS 23.040 §9.2.3.24.1). */
export interface Part {
  /** Reference that the parts of one text share. */
  reference: string;
  /** Number of parts. */
  total: number;
  /** Position in the text, from 1. */
  at: number;
}

/**
 * Stores a part of a text until all have arrived, in any order. The last one receives the text; after
 * `limits.partsWaitMs` the parts so far are received. A repeated part changes nothing.
 */
export async function takePart(
  text: InboundText,
  part: Part,
  number: IncomingPhoneNumber,
  ports: Ports,
): Promise<void> {
  const { accountSid } = text;
  const { sid, ...begun } = begin(text, part, { number, ports });
  const { partialTexts } = ports.records;
  for (let attempt = 1; attempt <= limits.commitAttempts; attempt++) {
    const known = await partialTexts.get(accountSid, sid);
    const held = known?.parts[part.at];
    if (held === text.body) return;
    try {
      if (known === null) {
        const jobs = [{ ...joinParts({ accountSid, textSid: sid }), steadyDueAt: begun.until }];
        return void await partialTexts.insert({ record: { sid, ...begun }, jobs });
      }
      const next = known.isJoined || held !== undefined
        ? await beginAgain(known, begun, number, ports)
        : await add(known, { part, text }, number, ports);
      return void await partialTexts.update(accountSid, sid, unlessChanged(known, next));
    } catch (error) {
      if (!isOvertaken(error)) throw error;
    }
  }
  throw new Fault("unavailable", `too many requests change ${sid} at the same time; retry`);
}

/** A text of which this is the first part. */
function begin(
  { accountSid, from, to, body }: InboundText,
  { reference, total, at }: Part,
  { number, ports }: { number: IncomingPhoneNumber; ports: Ports },
): PartialText {
  const now = ports.now();
  const id = JSON.stringify([number.sid, from, reference, total]);
  return {
    sid: sidOfCause(definition.sidPrefix, { at: 0, id }),
    accountSid,
    dateCreated: now,
    dateUpdated: now,
    numberSid: number.sid,
    from,
    to,
    total,
    parts: { [at]: body },
    isJoined: false,
    until: ports.steadyNow() + limits.partsWaitMs,
    revision: 0,
  };
}

/** Begins another text with the same reference: the parts of the one before are received. */
async function beginAgain(
  known: PartialText,
  begun: Omit<PartialText, "sid">,
  number: IncomingPhoneNumber,
  ports: Ports,
): Promise<Change<PartialText>> {
  const { accountSid, sid } = known;
  const { also, jobs } = await receivedOf(known, number, ports);
  const waits = { ...joinParts({ accountSid, textSid: sid }), steadyDueAt: begun.until };
  return { record: { ...begun, sid, revision: known.revision + 1 }, also, jobs: [...jobs, waits] };
}

async function add(
  known: PartialText,
  { part, text }: { part: Part; text: InboundText },
  number: IncomingPhoneNumber,
  ports: Ports,
): Promise<Change<PartialText>> {
  const parts = { ...known.parts, [part.at]: text.body };
  const { revision, total } = known;
  const record = { ...known, parts, revision: revision + 1, dateUpdated: ports.now() };
  if (Object.keys(parts).length < total) return { record };
  return { record: { ...record, isJoined: true }, ...await receivedOf(record, number, ports) };
}

/**
 * Records and jobs that receive the parts of a text so far, with a Notification where some are missing;
 * empty when the text was received before.
 */
export async function receivedOf(
  text: PartialText,
  number: IncomingPhoneNumber | null,
  ports: Ports,
): Promise<Required<Pick<Change<PartialText>, "also" | "jobs">>> {
  const { accountSid, from, to, parts, isJoined } = text;
  if (isJoined) return { also: [], jobs: [] };
  const inOrder = Object.entries(parts).sort(([a], [b]) => Number(a) - Number(b));
  const body = inOrder.map(([, one]) => one).join("");
  const { record, also, jobs } = await inboundChange({ accountSid, from, to, body }, number, ports);
  const missing = inOrder.length < text.total ? [incomplete(text, record, ports)] : [];
  return { also: [{ into: "messages", record }, ...also, ...missing], jobs };
}

/** The Notification to the number's account that parts of a text are missing. */
const incomplete = (
  { accountSid, from, to, parts, total }: PartialText,
  { sid }: Message,
  ports: Ports,
): AlsoInserted =>
  notification({
    accountSid,
    callSid: null,
    fault: "messageIncomplete",
    detail: `${sid} from ${from} to ${to} has ${Object.keys(parts).length} of ${total} parts`,
    level: "warning",
  }, ports);

/** Another writer changed the text meanwhile. */
class Overtaken extends Error {
  override readonly name = "Overtaken";
}

/** Returns the change only if the text is still as it was read; throws Overtaken otherwise. */
export const unlessChanged =
  (known: PartialText, next: Change<PartialText>) =>
  ({ revision }: PartialText): Change<PartialText> => {
    if (revision !== known.revision) throw new Overtaken("Cannot change the text: it has changed");
    return next;
  };

/** True for a write that came too late, and may be tried again with the present record. */
export const isOvertaken = (error: unknown): boolean =>
  error instanceof Overtaken ||
  error instanceof Fault && (error.fault === "alreadyExists" || error.fault === "notFound");
