/**
 * The version of Switchboard that runs. `deno task version` changes it; docs/versions.md says what
 * it promises.
 */
export const version = "0.3.0";
