import type { Row } from "../frame/api.ts";
import type { Page } from "../frame/env.ts";
import type { Notice } from "./notice.ts";

/** Numbers that are looked at. */
const mostNumbers = "200";

/** Findings that need attention, besides those of statistics: the account, its numbers, the service. */
export async function attentionOf(c: Page): Promise<Notice[]> {
  const { account, caller, api } = c.var;
  const isRoot = caller.ancestors.length === 0 && account.sid === caller.sid;
  const [{ items }, companions] = await Promise.all([
    api.list("IncomingPhoneNumbers", { PageSize: mostNumbers }),
    isRoot ? api.list("Supervisor/companions") : null,
  ]);
  const idle = items.filter(isIdle);
  const isDown = companions?.items.every(({ status }) => status !== "live");
  return [
    ...isDown
      ? [{
        look: "bad" as const,
        text: "No companion is live: there is no SIP",
        path: "Supervisor",
      }]
      : [],
    ...account.status === "active" ? [] : [{
      look: "bad" as const,
      text: `The account is ${account.status}`,
      path: `Accounts/${account.sid}`,
    }],
    ...idle.length === 0 ? [] : [{
      look: "wait" as const,
      text: idle.length === 1
        ? `${idle[0]?.phone_number} does nothing: it has no URL and no application`
        : `${idle.length} numbers do nothing: they have no URL and no application`,
      path: idle.length === 1 ? `IncomingPhoneNumbers/${idle[0]?.sid}` : "IncomingPhoneNumbers",
    }],
  ];
}

/** True for a number without a handler of calls and messages. */
const isIdle = (row: Row): boolean =>
  ["voice", "sms", "ussd"].every((kind) => !row[`${kind}_url`] && !row[`${kind}_application_sid`]);
