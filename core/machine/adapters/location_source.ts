import { identifiedFetch } from "../net/identified_fetch.ts";
import { readText } from "../../base/exchange.ts";
import { limits } from "../../base/limits.ts";
import type { LocationSource } from "../../model/ports/providers.ts";

/**
 * The operator's location source over HTTP. Its address is configured, not a customer's, so it may
 * be a private one. Throws when it cannot be reached or does not answer 2xx.
 */
export function locationSource(url: string): LocationSource {
  return {
    async lookUp(msisdn, signal) {
      const target = new URL(url);
      target.searchParams.set("msisdn", msisdn);
      const response = await identifiedFetch(target, { signal }).catch((cause) => {
        // The reason would name the URL, which may hold the operator's credentials.
        const why = signal.aborted ? "does not answer in time" : "is out of reach";
        throw new Error(`the location source ${why}`, { cause });
      });
      const { text } = await readText(response, limits.locationAnswerBytes).catch((cause) => {
        throw new Error("the location source does not end its answer", { cause });
      });
      if (response.ok) return text;
      throw new Error(`the location source answered ${response.status}`);
    },
  };
}
