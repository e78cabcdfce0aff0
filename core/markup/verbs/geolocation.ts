import { z } from "zod";
import type { OrderOf } from "../../model/values/order.ts";
import type { Element } from "../parse.ts";
import {
  actionAttribute,
  type CompileContext,
  methodAttribute,
  notPerformed,
  readAttributes,
  urlAttribute,
  verb,
} from "../verb.ts";

/** Attributes of the noun `Notification`. */
export const geofenceAttributes = {
  eventGeofenceLatitude: z.string().optional(),
  eventGeofenceLongitude: z.string().optional(),
  geofenceRange: z.string().optional(),
  geofenceEvent: z.string().optional(),
};

/** Looks up the location of a mobile device; the result goes to the statusCallback. */
export const geolocation = verb({
  name: "Geolocation",
  attributes: {
    deviceIdentifier: z.string().trim().min(1).optional(),
    action: z.string().optional(),
    method: methodAttribute,
    statusCallback: z.string().optional(),
  },
  answers: true,
  hasElements: true,
  compile(element, { deviceIdentifier, method }, context) {
    const statusCallback = urlAttribute(element, "statusCallback", context);
    const action = actionAttribute(element, method, context);
    const { type, geofence } = lookUpOf(element, context);
    if (statusCallback === undefined) {
      context.skip("Geolocation: it needs a statusCallback");
      return notPerformed(action, { GeolocationStatus: "failed" });
    }
    const serviceContext: OrderOf<"geolocation"> = {
      kind: "geolocation",
      type,
      deviceIdentifier: deviceIdentifier ?? context.ends.theirs,
      statusCallback,
      geofence,
    };
    return [{ type: "note", serviceContext, ...action && { action } }];
  },
});

/** The look-up of its noun; without one it is Immediate. */
function lookUpOf(
  { children }: Element,
  context: CompileContext,
): Pick<OrderOf<"geolocation">, "type" | "geofence"> {
  const noun = children.find(({ name }) => name === "Immediate" || name === "Notification");
  for (const child of children) {
    if (child !== noun) {
      context.skip(`${child.name} of Geolocation: it takes one Immediate or Notification`);
    }
  }
  if (noun?.name !== "Notification") {
    if (noun !== undefined) readAttributes(noun, {}, context);
    return { type: "Immediate", geofence: {} };
  }
  const given = Object.entries(readAttributes(noun, geofenceAttributes, context));
  const geofence = given.filter((pair): pair is [string, string] => pair[1] !== undefined);
  return { type: "Notification", geofence: Object.fromEntries(geofence) };
}
