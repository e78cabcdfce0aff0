import type { Context } from "hono";
import { prefixOf } from "../../docs/docs.ts";
import { resources } from "../../../core/model/resources/mod.ts";
import type { AnyResource } from "../../../core/model/resource.ts";

/**
 * Sends a browser on to a path of this host, after a form too (303). Characters that no header may have
 * are percent-encoded.
 */
export const goTo = (c: Context, path: string): Response =>
  c.redirect(
    path.replaceAll(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text.toWellFormed())),
    303,
  );

/** The path of the console, behind a reverse proxy too. */
export const homeOf = (baseUrl: string): string => `${prefixOf(baseUrl)}/console`;

const pathsByPrefix = new Map(
  Object.values<AnyResource>(resources).filter(({ internal }) => !internal)
    .map(({ sidPrefix, path }) => [sidPrefix, path]),
);

/** The path of the page of a record below its account, by its Sid; undefined where it has none. */
export function recordPath(sid: string): string | undefined {
  if (!/^[A-Z]{2}[0-9a-f]{32}$/.test(sid)) return undefined;
  if (sid.startsWith("AC")) return `Accounts/${sid}`;
  const path = pathsByPrefix.get(sid.slice(0, 2));
  return path && `${path}/${sid}`;
}
