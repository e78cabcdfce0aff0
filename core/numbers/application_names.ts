import type { Ports } from "../model/ports/ports.ts";
import type { IncomingPhoneNumber } from "../model/resources/incoming_phone_numbers.ts";

const services = ["voice", "sms", "ussd", "refer"] as const;

/** Numbers of one account with the names of the applications that they name. */
export async function withApplicationNames(
  numbers: IncomingPhoneNumber[],
  { records }: Pick<Ports, "records">,
): Promise<IncomingPhoneNumber[]> {
  const accountSid = numbers[0]?.accountSid ?? "";
  const sids = new Set(
    numbers.flatMap((number) => services.map((service) => number[`${service}ApplicationSid`])),
  );
  const names = new Map<string | null, string>();
  await Promise.all([...sids].map(async (sid) => {
    const application = sid && await records.applications.get(accountSid, sid);
    if (application) names.set(sid, application.friendlyName);
  }));
  return numbers.map((number) => {
    const named = services.map((service) => [
      `${service}ApplicationName`,
      names.get(number[`${service}ApplicationSid`]) ?? null,
    ]);
    return { ...number, ...Object.fromEntries(named) };
  });
}
