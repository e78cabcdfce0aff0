import { applications } from "../../../core/model/resources/applications.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";
import type { Row } from "../frame/api.ts";
import { change } from "../frame/change.ts";
import type { Page } from "../frame/env.ts";

const { path } = applications;

/** Makes an application whose flow says a text and hangs up. */
export function createSpokenText(
  c: Page,
  { name, text }: { name: string; text: string },
  ports: Ports,
): Promise<Row | null> {
  const flow = { start: "say", steps: { say: { type: "say", text } } };
  const form = new URLSearchParams({
    FriendlyName: name,
    Kind: "voice",
    Flow: JSON.stringify(flow),
  });
  return change(c, { path, form }, ports);
}

/** Removes it again where the change that it was made for failed. */
export const removeSpokenText = (c: Page, { sid }: Row, ports: Ports): Promise<Row | null> =>
  change(c, { method: "DELETE", path: `${path}/${sid}` }, ports);
