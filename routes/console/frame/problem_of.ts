import { ApiRefusal } from "./api.ts";
import type { Page } from "./env.ts";

/**
 * Message of the interface about a form that it refused, for the form to be shown again with its
 * status. Throws any other error, which becomes a page of its own.
 */
export function problemOf(c: Page, error: unknown): string {
  const isOfForm = error instanceof ApiRefusal && error.status < 500 && error.status !== 404;
  if (!isOfForm) throw error;
  c.status(error.status as 400); // A status of the interface.
  return error.message;
}
