import { deliverWebhook } from "../webhooks/deliver.ts";
import type { Change } from "../model/store.ts";
import type { Geolocation, GeolocationData } from "../model/resources/geolocations.ts";
import { pascal } from "../base/wire.ts";

/** Result of a look-up: the device's location, or the cause of its failure. */
export type LookUpResult = { data: GeolocationData } | { cause: string };

/** True when a look-up has ended. */
export const isSettled = ({ responseStatus }: Geolocation): boolean =>
  responseStatus === "successful" || responseStatus === "failed";

/** Ends a look-up, with its callback. */
export function settle(
  geolocation: Geolocation,
  result: LookUpResult,
  at: number,
): Change<Geolocation> {
  if (isSettled(geolocation)) return { record: geolocation };
  const isFailed = "cause" in result;
  const settled: Geolocation = {
    ...geolocation,
    dateUpdated: at,
    dateExecuted: at,
    responseStatus: isFailed ? "failed" : "successful",
    cause: isFailed ? result.cause : null,
    geolocationData: isFailed
      ? geolocation.geolocationData
      : { ...result.data, ...geolocation.geolocationData },
  };
  const { accountSid, statusCallback: url } = settled;
  const params = callbackParameters(settled);
  const event = `geolocation.${settled.responseStatus}`;
  const callback = { accountSid, callSid: null, url, method: "POST", params, event } as const;
  return { record: settled, jobs: [deliverWebhook(callback)] };
}

function callbackParameters(geolocation: Geolocation): Record<string, string> {
  const data = Object.entries(geolocation.geolocationData)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([field, value]) => [pascal(field), String(value)]);
  return {
    AccountSid: geolocation.accountSid,
    GeolocationSid: geolocation.sid,
    GeolocationType: geolocation.geolocationType,
    GeolocationStatus: geolocation.responseStatus,
    DeviceIdentifier: geolocation.deviceIdentifier,
    ...(geolocation.cause === null ? {} : { Cause: geolocation.cause }),
    ...Object.fromEntries(data),
  };
}
