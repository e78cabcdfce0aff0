import { createMiddleware } from "hono/factory";
import type { ConsoleEnv } from "./env.ts";

/** Nothing but this service's own files, no inline code, and no text that becomes markup. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/**
 * The headers of every page of the console. Referrer-Policy lets the service see its own origin in the
 * header Origin of a form; other sites see no more.
 */
export const pageHeaders = createMiddleware<ConsoleEnv>(async (c, next) => {
  c.header("Content-Security-Policy", policy);
  c.header("Referrer-Policy", "same-origin");
  c.header("Cross-Origin-Opener-Policy", "same-origin");
  c.header("Cross-Origin-Resource-Policy", "same-origin");
  c.header("Permissions-Policy", "microphone=(), camera=(), geolocation=()");
  c.header("Cache-Control", "no-store");
  await next();
});
