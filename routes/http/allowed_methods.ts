import type { Hono } from "hono";
import type { Env } from "./env.ts";

/**
 * The methods of a path, for the header `Allow` (RFC 9110 §10.2.1); empty for an unknown path. They
 * are derived from the routes.
 */
export function allowedMethods(app: Hono<Env>): (path: string) => string[] {
  const methods = new Map<string, Set<string>>();
  for (const { path, method } of app.routes) {
    if (method === "ALL") continue;
    const known = methods.get(path) ?? new Set();
    methods.set(path, known.add(method));
  }
  const patterns = [...methods].map(([path, allowed]) => ({
    pattern: new RegExp(
      `^${path.replaceAll(/:\w+(?:\{([^{}]+)\})?/g, (_, own) => own ?? "[^/]+")}$`,
    ),
    allowed,
  }));
  return (path) => {
    const allowed = new Set(
      patterns.flatMap((one) => one.pattern.test(path) ? [...one.allowed] : []),
    );
    if (allowed.has("GET")) allowed.add("HEAD");
    return [...allowed].sort();
  };
}
