import { z } from "zod";
import { readText } from "../base/exchange.ts";
import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import type { NumberProvider } from "../model/ports/providers.ts";
import {
  capabilities,
  type NumberOffer,
  unknownPlace,
  usualCapabilities,
} from "../model/values/offer.ts";
import { parseNumber } from "../model/values/phone_number.ts";

const kind = z.enum(["local", "tollFree", "mobile"]);
const place = z.union([z.string().max(64), z.number().transform(String)]).nullable().optional();

/** An offer in JSON; only the number itself must be there. */
const sentOffer = z.object({
  phoneNumber: z.string(),
  kind: kind.optional(),
  lata: place,
  rateCenter: place,
  latitude: place,
  longitude: place,
  region: place,
  postalCode: place,
  capabilities: capabilities.partial().optional(),
});

/** Address of the operator's endpoint, and its token. */
export interface HttpNumbersOptions {
  /** Without a trailing slash. */
  url: string;
  /** Sent as a bearer token when it is not empty. */
  token: string;
  /** Not guarded: the address is the operator's own. */
  fetch(request: Request): Promise<Response>;
}

/**
 * An endpoint of the operator's decides. `GET {url}/countries` answers an array of ISO 3166-1 codes;
 * `GET {url}/numbers?isoCountry=…&kind=…&areaCode=…&contains=…&limit=…` an array of offers;
 * `GET {url}/numbers/{phoneNumber}` one offer or 404; `POST {url}/events` gets the
 * events of a number, each at least once. Throws `unavailable` when it does not answer as described.
 */
export function httpNumbers({ url, token, fetch }: HttpNumbersOptions): NumberProvider {
  async function ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (token !== "") headers.set("Authorization", `Bearer ${token}`);
    const signal = AbortSignal.timeout(limits.numbersTimeoutMs);
    try {
      return await fetch(new Request(url + path, { ...init, headers, signal }));
    } catch (cause) {
      throw new Fault("unavailable", "the provider of numbers (NUMBERS_URL) does not respond", {
        cause,
      });
    }
  }

  async function read<T>(path: string, schema: z.ZodType<T>): Promise<T | null> {
    const response = await ask(path);
    const { text, isWhole } = await readText(response, limits.numbersAnswerBytes);
    if (response.status === 404) return null;
    const parsed = response.ok && isWhole ? schema.safeParse(jsonOf(text)) : undefined;
    if (parsed?.success) return parsed.data;
    throw new Fault(
      "unavailable",
      "cannot use the response of the provider of numbers (NUMBERS_URL)",
    );
  }

  return {
    countries: async () => await read("/countries", z.array(z.string().regex(/^[A-Z]{2}$/))) ?? [],
    async *search({ capabilities: _, ...wanted }) {
      const query = new URLSearchParams({ ...wanted, limit: String(limits.numberOffers) });
      const sent = await read(`/numbers?${query}`, z.array(sentOffer)) ?? [];
      yield* sent.map(offerOf).filter((offer) => offer !== null);
    },
    async offer(phoneNumber) {
      const sent = await read(`/numbers/${encodeURIComponent(phoneNumber)}`, sentOffer);
      const offer = sent === null ? null : offerOf(sent);
      return offer?.phoneNumber === phoneNumber ? offer : null;
    },
    async notify(event) {
      const headers = { "Content-Type": "application/json" };
      const response = await ask("/events", {
        method: "POST",
        headers,
        body: JSON.stringify(event),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`Cannot tell the numbers endpoint: ${response.status}`);
    },
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Null for what is no possible number. */
function offerOf({ phoneNumber, kind, capabilities, ...place }: z.infer<typeof sentOffer>) {
  const number = parseNumber(phoneNumber);
  if (number === null) return null;
  const known = Object.entries(place).filter(([, value]) => value !== undefined);
  const able = Object.entries(capabilities ?? {}).filter(([, value]) => value !== undefined);
  const offer: NumberOffer = {
    ...unknownPlace,
    ...Object.fromEntries(known),
    phoneNumber: number.phoneNumber,
    isoCountry: number.isoCountry,
    kinds: kind === undefined ? number.kinds : [kind],
    capabilities: { ...usualCapabilities, ...Object.fromEntries(able) },
  };
  return offer;
}
