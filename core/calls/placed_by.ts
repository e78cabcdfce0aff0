import { Fault } from "../faults.ts";
import { reference } from "../fields.ts";
import { applicationUrl } from "../flows/address.ts";
import type { Parameters } from "../parameters.ts";
import type { Ports } from "../ports.ts";
import { paramsSchema } from "../resource.ts";
import type { Application } from "../resources/applications.ts";
import { type Call, calls } from "../resources/calls.ts";

const { required, optional } = calls.create!;

/** What placing a call takes: beside what is kept of it, the application that stands for a Url. */
export const placeParameters: Parameters = {
  schema: paramsSchema(calls.fields, required, optional).extend({
    applicationSid: reference("AP").optional().describe(
      "In place of Url: its flow, or its RcmlUrl. Then Url and what goes with it is ignored.",
    ),
  }),
  aliases: calls.aliases ?? {},
  faults: calls.faults ?? {},
};

/**
 * The fields of a call that is placed, from the parameters sent: an application comes before a Url
 * and all that goes with one, as for numbers and Clients. Throws `badUrl` without either, and
 * `badParameter` for an application that cannot say what is done in such a call.
 */
export async function placedBy(
  { applicationSid, ...sent }: Record<string, unknown>,
  { kind, accountSid }: { kind: Application["kind"]; accountSid: string },
  { records }: Pick<Ports, "records">,
): Promise<Record<string, unknown>> {
  if (applicationSid === undefined) {
    if (sent.url !== undefined) return sent;
    throw new Fault("badUrl", "Url is required, or ApplicationSid in its place");
  }
  const application = await records.applications.get(accountSid, String(applicationSid));
  if (application === null) {
    throw new Fault("badParameter", "ApplicationSid must name one of the account's applications");
  }
  if (application.kind !== kind) {
    const rule = `ApplicationSid must name an application of Kind ${kind}`;
    throw new Fault("badParameter", `${rule}, and this one is of Kind ${application.kind}`);
  }
  const url = applicationUrl(application);
  if (url === null) {
    const rule = "ApplicationSid must name an application that has a Flow or an RcmlUrl";
    throw new Fault("badParameter", rule);
  }
  return { ...sent, ...ownMarkup, url };
}

/** What is said with a Url does not hold for an application. */
const ownMarkup: Partial<Call> = { method: "POST", fallbackUrl: null, fallbackMethod: "POST" };
