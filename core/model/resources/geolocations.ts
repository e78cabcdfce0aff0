import { z } from "zod";
import { phoneText, rfcDate, url } from "../../base/fields.ts";
import { limits } from "../../base/limits.ts";
import { locate } from "../job_kinds.ts";
import { type RecordOf, resource } from "../resource.ts";

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

/** Location of a device; a key is absent until a look-up, and null when the look-up lacks it. */
const geolocationData = z.object({
  cellId: z.string().nullable().optional().describe(
    "Identity of the radio cell of the device (Cell ID).",
  ),
  locationAreaCode: z.string().nullable().optional().describe(
    "Location area code of the cell (LAC).",
  ),
  mobileCountryCode: z.number().nullable().optional().describe(
    "Mobile country code of the network (MCC).",
  ),
  mobileNetworkCode: z.string().nullable().optional().describe(
    "Mobile network code of the network (MNC).",
  ),
  networkEntityAddress: z.number().nullable().optional().describe(
    "Address of the network entity that serves the device, such as a VLR number.",
  ),
  locationAge: z.number().nullable().optional().describe(
    "Age of the location as the network reports it (AOL).",
  ),
  eventGeofenceLatitude: latitude.optional().describe(
    "Latitude of the centre of the geofence in decimal degrees.",
  ),
  eventGeofenceLongitude: longitude.optional().describe(
    "Longitude of the centre of the geofence in decimal degrees.",
  ),
});

/** One look-up of where a mobile device is. */
export const geolocations = resource({
  type: "Geolocation",
  description: "One look-up of the location of a mobile device.",
  path: "Geolocation",
  sidPrefix: "GL",
  irregular: true,
  fields: {
    dateExecuted: rfcDate.nullable().describe("Date when the look-up ended, null before."),
    deviceIdentifier: phoneText().trim().regex(
      /^\+?\d{3,15}$/,
      "must be a subscriber number of 3 to 15 digits",
    ).describe("Subscriber number (MSISDN) of the device, 3 to 15 digits."),
    geolocationType: z.enum(["Immediate", "Notification"]).describe(
      "Type of the look-up: Immediate, or Notification with a geofence.",
    ),
    geolocationData: geolocationData.describe(
      "Location of the device; properties that are unknown are absent or null.",
    ),
    responseStatus: z.enum(["queued", "processing", "successful", "failed"]).describe(
      "Status of the look-up: queued, processing, then successful or failed.",
    ),
    cause: z.string().nullable().describe("Cause of a failed look-up, null for any other."),
    apiVersion: z.string().describe("Version of the interface, always a date such as 2012-04-24."),

    statusCallback: url.describe("URL of the callback that is sent when the look-up has ended."),
    eventGeofenceLatitude: latitude.nullable().describe(
      "Latitude of the centre of the geofence in decimal degrees, from -90 to 90.",
    ),
    eventGeofenceLongitude: longitude.nullable().describe(
      "Longitude of the centre of the geofence in decimal degrees, from -180 to 180.",
    ),
    geofenceRange: metres.nullable().describe("Radius of the geofence in metres."),
    geofenceEvent: z.enum(["in", "out", "in-out"]).nullable().describe(
      "Movement that is looked for: in (enters), out (leaves) or in-out (both).",
    ),
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
