import { limits } from "../../core/base/limits.ts";
import { withDeadline } from "../store/deadline.ts";
import { keys } from "../store/keys.ts";
import { isRemoteLocation, openLocation } from "./open_location.ts";
import { shownLocation } from "./postgres_url.ts";

/** A store by its location, which says whether it exists before it is opened. */
export function sealedStore(location: string): { name: string; exists(): Promise<boolean> } {
  return {
    name: shownLocation(location),
    exists: () =>
      isRemoteLocation(location)
        ? hasSchema(location)
        : Deno.stat(location).then(() => true, () => false),
  };
}

/** Returns whether a store was opened at a KV Connect endpoint. Throws when it is out of reach. */
async function hasSchema(url: string): Promise<boolean> {
  using kv = await openLocation(url);
  return (await withDeadline(kv, limits.storeTimeoutMs).get(keys.version)).versionstamp !== null;
}
