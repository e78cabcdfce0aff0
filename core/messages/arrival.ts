import { isFlow } from "../model/flows/address.ts";
import { answerMessage } from "../model/job_kinds.ts";
import { notification } from "../webhooks/notify.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Change } from "../model/store.ts";
import type { IncomingPhoneNumber } from "../model/resources/incoming_phone_numbers.ts";
import type { Message } from "../model/resources/messages.ts";
import { hostOf } from "../base/url_host.ts";
import { smsMarkup } from "./sms_markup.ts";

/**
 * The jobs of a message that arrived for a number: requests its SmsUrl or application. A number that
 * has neither causes a Notification.
 */
export async function arrivalOf(
  { sid, accountSid }: Message,
  number: IncomingPhoneNumber,
  ports: Ports,
): Promise<Required<Pick<Change<Message>, "also" | "jobs">>> {
  const markup = await smsMarkup(number, ports);
  if (markup !== null) {
    const host = isFlow(markup.first.url) ? "flow" : hostOf(markup.first.url);
    const args = { accountSid, messageSid: sid, numberSid: number.sid, host };
    return { also: [], jobs: [answerMessage(args)] };
  }
  const notice = notification({
    accountSid,
    callSid: null,
    fault: "numberWithoutSmsUrl",
    detail: `${sid}: ${number.phoneNumber} has no SmsUrl`,
    level: "error",
  }, ports);
  return { also: [notice], jobs: [] };
}
