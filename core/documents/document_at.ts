import { type Asking, type Document, fetchDocument, inlineDocument } from "./fetch.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";
import type { Signable } from "../base/signature.ts";
import { tenantOf } from "../accounts/tenant.ts";
import { inlineMarkup, isFlow, isValidation } from "../model/flows/address.ts";
import { validationDocument } from "./validation_document.ts";
import { type FlowContext, flowDocument } from "./flow_document.ts";

/** The account, call or text that a document is requested for; a test has neither call nor text. */
export type DocumentContext =
  & Omit<FlowContext, "accountSid" | "tenant">
  & Pick<Asking, "subject" | "deliverySid">
  & { account: Account };

/**
 * The document at a URL, requested with the parameters of the call or text: an application server's, or a flow's;
 * the markup that the URL itself is; or what the call that validates a number says.
 */
export async function documentAt(
  source: Signable,
  { account, subject, deliverySid, ...context }: DocumentContext,
  ports: Ports,
): Promise<Document> {
  const tenant = tenantOf(account);
  if (isFlow(source.url)) {
    return await flowDocument(source, { ...context, accountSid: account.sid, tenant }, ports);
  }
  if (isValidation(source.url)) {
    const { callSid } = context;
    return await validationDocument(source, { accountSid: account.sid, callSid }, ports);
  }
  const inline = inlineMarkup(source.url);
  if (inline !== null) return inlineDocument(inline);
  const request = { ...source, params: { ...context.known, ...source.params } };
  const { authToken, secondaryAuthToken } = account;
  const asking = { tenant, signal: context.signal, subject, deliverySid };
  return await fetchDocument(request, { authToken, secondaryAuthToken, ...asking }, ports);
}
