import { z } from "zod";
import type { Parameters } from "../model/rest/parameters.ts";
import { paramsSchema } from "../model/resource.ts";
import { type Geolocation, geolocations } from "../model/resources/geolocations.ts";

const common = ["deviceIdentifier", "statusCallback"];
const geofence = [
  "eventGeofenceLatitude",
  "eventGeofenceLongitude",
  "geofenceRange",
  "geofenceEvent",
];

/** The fields that each type of look-up takes; all are required. */
export const acceptedFields: Record<Geolocation["geolocationType"], string[]> = {
  Notification: [...common, ...geofence],
  Immediate: common,
};

const misplaced = z.string().refine(() => false, "is of a Notification only").optional();

const schemas = {
  Notification: paramsSchema(geolocations.fields, acceptedFields.Notification, []),
  Immediate: paramsSchema(geolocations.fields, acceptedFields.Immediate, [])
    .extend(Object.fromEntries(geofence.map((field) => [field, misplaced]))),
};

/** Parameters of a new Geolocation; a geofence is refused for a type without one. */
export const parametersOf = (type: Geolocation["geolocationType"]): Parameters => ({
  schema: schemas[type],
  aliases: { statusCallback: "statusCallback" },
  faults: geolocations.faults ?? {},
});
