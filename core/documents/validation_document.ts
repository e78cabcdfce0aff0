import { Fault } from "../base/faults.ts";
import { sidOfCause } from "../base/sid.ts";
import type { Signable } from "../base/signature.ts";
import { validationUrls } from "../model/flows/address.ts";
import { parseDocument } from "../markup/parse.ts";
import { creation, newBase } from "../model/resource.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Call } from "../model/resources/calls.ts";
import { isRemoved } from "../model/resources/internal/removed_records.ts";
import { outgoingCallerIds } from "../model/resources/outgoing_caller_ids.ts";
import type { Document } from "./fetch.ts";

/** Number of wrong codes that end the call. */
const mostTries = 3;

const question = `<Gather numDigits="6" timeout="15" action="${validationUrls.check}">
  <Say>Please enter your six digit verification code.</Say></Gather>
  <Say>No code was entered. Goodbye.</Say>`;

/**
 * The document of the call that validates a number: asks for the code, and adds the number to the caller
 * IDs of the account when the code is right.
 */
export async function validationDocument(
  { url, params }: Signable,
  { accountSid, callSid }: { accountSid: string; callSid: string | null },
  ports: Ports,
): Promise<Document> {
  const { calls } = ports.records;
  const call = await calls.get(accountSid, callSid ?? "");
  if (!call?.validation) return said("<Hangup/>");
  const { code, tries } = call.validation;
  if (url !== validationUrls.check) return said(question);
  if (params.Digits === code) {
    await validate(call, ports);
    return said("<Say>Thank you. Your number is verified. Goodbye.</Say>");
  }
  await calls.update(accountSid, call.sid, (now) => ({
    record: now.validation
      ? {
        ...now,
        validation: { ...now.validation, tries: Math.max(now.validation.tries, tries + 1) },
      }
      : now,
  }));
  if (tries + 1 >= mostTries) return said("<Say>That code is wrong. Goodbye.</Say>");
  return said(`<Say>That code is wrong.</Say>${question}`);
}

const said = (verbs: string): Document => ({
  url: validationUrls.ask,
  verbs: parseDocument(`<Response>${verbs}</Response>`),
});

/** Adds the number, unless the account has it. A repeated report adds none. */
async function validate(call: Call, ports: Ports): Promise<void> {
  const { accountSid, sid, dateCreated: at, validation } = call;
  if (!validation) return;
  const { phoneNumber, friendlyName } = validation;
  const { outgoingCallerIds: records, calls } = ports.records;
  const where = [{ field: "phoneNumber", op: "equals" as const, value: phoneNumber }];
  const [known] = (await records.list(accountSid, { where, skip: 0, limit: 1 })).items;
  const newSid = (prefix: string) => sidOfCause(prefix, { at, id: `${sid} validated` });
  const base = newBase(outgoingCallerIds, accountSid, { newSid, now: ports.now });
  // A repeat of the report brings no caller ID back that was removed meanwhile.
  if (known === undefined && !await isRemoved(base, ports.records)) {
    const fields = { phoneNumber, ...friendlyName !== null && { friendlyName } };
    await records.insert(creation(outgoingCallerIds, fields, base) as never).catch((error) => {
      if (!(error instanceof Fault) || error.fault !== "alreadyExists") throw error;
    });
  }
  await calls.update(accountSid, sid, (now) => ({
    record: now.validation
      ? { ...now, validation: { ...now.validation, callerIdSid: known?.sid ?? base.sid } }
      : now,
  }));
}
