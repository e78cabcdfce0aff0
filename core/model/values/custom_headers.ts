/**
 * `X-Name=value&…`, as it stands after the `?` of an address: X- and User-to-User headers for the
 * INVITE. What is another header, or could end its line, is left out and counted.
 */
export function customHeaders(query: string): { headers: Record<string, string>; refused: number } {
  // A plus is itself in a SIP URI.
  const given = [...new URLSearchParams(query.replaceAll("+", "%2B"))];
  const allowed = given.filter(([name, value]) =>
    // deno-lint-ignore no-control-regex
    /^(X-[\w\-.]{1,60}|User-to-User)$/i.test(name) && !/[\x00-\x1f\x7f]/.test(value)
  );
  return { headers: Object.fromEntries(allowed), refused: given.length - allowed.length };
}
