import { audit } from "../../../core/accounts/audit.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { ApiRefusal, type Row } from "./api.ts";
import type { Page } from "./env.ts";
import { browserOf } from "./session.ts";

/** A change by the interface. */
export interface Wanted {
  method?: "POST" | "DELETE";
  /** Below the account. */
  path: string;
  form?: URLSearchParams;
  /** Whose audit log has it; the account at hand unless given. */
  accountSid?: string;
}

/** Makes a change by the interface, and writes it into the audit log; a refused one too. */
export async function change(
  c: Page,
  { method = "POST", path, form, accountSid = c.var.account.sid }: Wanted,
  ports: Ports,
): Promise<Row | null> {
  const note = (status: number) =>
    audit({
      ...browserOf(c),
      accountSid,
      actor: c.var.caller,
      action: method,
      target: path,
      ...form && { parameters: form },
      status,
      requestId: c.var.requestId,
    }, ports);
  try {
    const row = await c.var.api.send(method, path, form);
    await note(row === null ? 204 : 200);
    return row;
  } catch (error) {
    if (error instanceof ApiRefusal) await note(error.status);
    throw error;
  }
}
