import { z } from "zod";
import type { NumberKind } from "./phone_number.ts";

/** Capabilities of a number. */
export const capabilities = z.object({
  voiceCapable: z.boolean().describe("Whether the number can carry calls."),
  smsCapable: z.boolean().describe("Whether the number can carry text messages."),
  mmsCapable: z.boolean().describe("Whether the number can carry multimedia messages."),
  faxCapable: z.boolean().describe("Whether the number can carry fax."),
});

export type Capabilities = z.infer<typeof capabilities>;

/** The three digits after +1. */
export const areaCode = z.string().regex(/^[2-9]\d\d$/, "must be three digits, the first 2 to 9");

/** Default capabilities of a number: those that the service itself handles. */
export const usualCapabilities: Capabilities = {
  voiceCapable: true,
  smsCapable: true,
  mmsCapable: false,
  faxCapable: false,
};

/** Location of a number; null where it has none. */
export interface Place {
  lata: string | null;
  rateCenter: string | null;
  latitude: string | null;
  longitude: string | null;
  region: string | null;
  postalCode: string | null;
}

export const unknownPlace: Place = {
  lata: null,
  rateCenter: null,
  latitude: null,
  longitude: null,
  region: null,
  postalCode: null,
};

/** A number that a provider would let an account have. */
export interface NumberOffer extends Place {
  /** E.164. */
  phoneNumber: string;
  /** ISO 3166-1; null where several countries share the range. */
  isoCountry: string | null;
  /** Kinds that it may be provisioned as; the first is the default. */
  kinds: NumberKind[];
  capabilities: Capabilities;
}

/** Search for offers; an absent key sets no condition. */
export interface NumberSearch {
  isoCountry?: string;
  kind?: NumberKind;
  /** The three digits after +1. */
  areaCode?: string;
  /** A part of the number, `*` for any one digit. */
  contains?: string;
  capabilities?: Partial<Capabilities>;
}

/** The same with the place of the number, which providers do not return. */
export interface PlacedSearch extends NumberSearch {
  place?: Partial<Place>;
}

/** Event of a number, for its provider. */
export interface NumberEvent {
  event: "provisioned" | "transferred" | "released";
  phoneNumber: string;
  accountSid: string;
  sid: string;
}
