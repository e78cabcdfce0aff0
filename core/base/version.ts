/**
 * The version of Switchboard that runs. `deno task version` changes it; docs/versions.md says what
 * it promises.
 */
export const version = "0.4.0";

/** Name and version of Switchboard in the User-Agent of requests (RFC 9110 §10.1.5). */
export const userAgent = `Switchboard/${version}`;
