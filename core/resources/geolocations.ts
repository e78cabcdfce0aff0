import { z } from "zod";
import { phoneText, rfcDate, url } from "../base/fields.ts";
import { limits } from "../base/limits.ts";
import { locate } from "../model/job_kinds.ts";
import { type RecordOf, resource } from "../model/resource.ts";

/** Decimal degrees as text, echoed as it was sent. */
const degrees = (most: number) =>
  z.string().trim().regex(/^[+-]?\d{1,3}(?:\.\d{1,15})?$/, "must be decimal degrees").refine(
    (text) => Math.abs(Number(text)) <= most,
    `must be from -${most} to ${most} degrees`,
  );

const latitude = degrees(90);
const longitude = degrees(180);
const metres = z.string().trim().regex(/^\d{1,7}(?:\.\d{1,3})?$/, "must be a number of metres")
  .refine((text) => Number(text) > 0, "must be more than 0 metres");

/** What is known of a device's place; a key is absent until a look-up, null when that lacks it. */
const geolocationData = z.object({
  cellId: z.string().nullable().optional(),
  locationAreaCode: z.string().nullable().optional(),
  mobileCountryCode: z.number().nullable().optional(),
  mobileNetworkCode: z.string().nullable().optional(),
  networkEntityAddress: z.number().nullable().optional(),
  locationAge: z.number().nullable().optional(),
  eventGeofenceLatitude: latitude.optional(),
  eventGeofenceLongitude: longitude.optional(),
});

/** One look-up of where a mobile device is. */
export const geolocations = resource({
  type: "Geolocation",
  path: "Geolocation",
  sidPrefix: "GL",
  irregular: true,
  fields: {
    dateExecuted: rfcDate.nullable(),
    deviceIdentifier: phoneText().trim().regex(
      /^\+?\d{3,15}$/,
      "must be a subscriber number of 3 to 15 digits",
    ),
    geolocationType: z.enum(["Immediate", "Notification"]),
    geolocationData,
    responseStatus: z.enum(["queued", "processing", "successful", "failed"]),
    cause: z.string().nullable(),
    apiVersion: z.string(),

    statusCallback: url,
    eventGeofenceLatitude: latitude.nullable(),
    eventGeofenceLongitude: longitude.nullable(),
    /** Metres. */
    geofenceRange: metres.nullable(),
    geofenceEvent: z.enum(["in", "out", "in-out"]).nullable(),
  },
  hidden: [
    "statusCallback",
    "eventGeofenceLatitude",
    "eventGeofenceLongitude",
    "geofenceRange",
    "geofenceEvent",
  ],
  faults: { statusCallback: "badUrl" },
  defaults: {
    dateExecuted: null,
    geolocationData: ({ eventGeofenceLatitude, eventGeofenceLongitude }) =>
      eventGeofenceLatitude && eventGeofenceLongitude
        ? { eventGeofenceLatitude, eventGeofenceLongitude }
        : {},
    responseStatus: "queued",
    cause: null,
    apiVersion: limits.apiVersion,
    eventGeofenceLatitude: null,
    eventGeofenceLongitude: null,
    geofenceRange: null,
    geofenceEvent: null,
  },
  created: (geolocation) => ({
    record: geolocation,
    jobs: [locate({ accountSid: geolocation.accountSid, geolocationSid: geolocation.sid })],
  }),
});

export type Geolocation = RecordOf<typeof geolocations>;
export type GeolocationData = z.infer<typeof geolocationData>;
