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

/** Which part of a text something is (3GPP TS 23.040 §9.2.3.24.1). */
export interface Part {
  /** What the sender's parts of one text have in common. */
  reference: string;
  /** How many there are. */
  total: number;
  /** From 1. */
  at: number;
}

/**
 * Keeps a part of a text until all are there, in whatever order; the text is received with the last
 * of them, or after `limits.partsWaitMs` as far as it came. A part that comes again changes nothing.
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

/** The reference is that of another text now: what came of the one before is received as it is. */
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
 * What it makes to receive as much of a text as came, with a Notification where that is not all;
 * nothing when it was received before.
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
  const told = inOrder.length < text.total ? [incomplete(text, record, ports)] : [];
  return { also: [{ into: "messages", record }, ...also, ...told], jobs };
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

/** A change of what was read; it throws where that is not so any more. */
export const unlessChanged =
  (known: PartialText, next: Change<PartialText>) =>
  ({ revision }: PartialText): Change<PartialText> => {
    if (revision !== known.revision) throw new Overtaken("Cannot change the text: it has changed");
    return next;
  };

/** Whether a write came too late, and may be tried with what is there now. */
export const isOvertaken = (error: unknown): boolean =>
  error instanceof Overtaken ||
  error instanceof Fault && (error.fault === "alreadyExists" || error.fault === "notFound");
