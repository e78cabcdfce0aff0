/** Headers that forbid a browser to guess the type of a response, or to show it in a frame. */
export const safeHeaders = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "frame-ancestors 'none'",
} as const;

/** Marks a response that only programs read: safe in browsers, and stored by no cache. */
export function forPrograms(response: Response): Response {
  for (const [name, value] of Object.entries(safeHeaders)) response.headers.set(name, value);
  response.headers.set("Cache-Control", "no-store");
  return response;
}
