import { z } from "zod";
import { phoneText, rfcDate } from "../../base/fields.ts";
import { eraseRecords } from "../job_kinds.ts";
import { type RecordOf, resource } from "../resource.ts";
import { parseNumber } from "../values/phone_number.ts";

const wrong = "must be a number in E.164 form, + first, or client:LOGIN";

/** A number in E.164 form, or `client:LOGIN`. */
const subject = phoneText().regex(
  /^(?:client:[A-Za-z0-9\-._+]{1,64}|\+[\d ().-]{3,30})$/,
  wrong,
).transform((text, { addIssue }) => {
  if (text.startsWith("client:")) return text;
  const number = parseNumber(text);
  if (number === null) addIssue(wrong);
  return number?.phoneNumber ?? "";
});

const count = (what: string) => z.number().int().describe(`How many ${what} were erased so far.`);

/** Erasure of all data of one person that an account has stored. */
export const erasures = resource({
  type: "Erasure",
  description:
    "Erases what the account has kept of one number or Client: calls and messages with it, and what " +
    "belongs to them. Those of sub-accounts are not erased, nor is what the account has configured.",
  path: "Erasures",
  sidPrefix: "ER",
  fields: {
    subject: subject.describe(
      "Number in E.164 form, or client:LOGIN, whose records are erased. Once they are, it is " +
        "masked: a number shows its first and last two digits, a Login its first character.",
    ),
    status: z.enum(["queued", "in-progress", "completed", "failed"]).describe(
      "Status of the erasure. It stays in-progress while a call or message of the subject is live; " +
        "failed when that lasted longer than a day, or the store failed for so long.",
    ),
    dateCompleted: rfcDate.nullable().describe("Date when all was erased, null before."),
    calls: count("Calls"),
    messages: count("Messages"),
    recordings: count("Recordings, with their audio,"),
    transcriptions: count("Transcriptions"),
    participants: count("Participants of conferences"),
    geolocations: count("Geolocations"),
    notifications: count("Notifications"),
    deliveries: count("Deliveries of webhooks"),
  },
  create: { required: ["subject"], optional: [] },
  secret: ["subject"],
  defaults: {
    status: "queued",
    dateCompleted: null,
    calls: 0,
    messages: 0,
    recordings: 0,
    transcriptions: 0,
    participants: 0,
    geolocations: 0,
    notifications: 0,
    deliveries: 0,
  },
  filters: { status: "equals" },
  paged: true,
  created: (erasure) => ({
    record: erasure,
    jobs: [eraseRecords({ accountSid: erasure.accountSid, erasureSid: erasure.sid })],
  }),
});

export type Erasure = RecordOf<typeof erasures>;
