import { isTest } from "../accounts/access.ts";
import { plainReason } from "../base/plain_reason.ts";
import { parseLocation } from "../messages/parse_location.ts";
import { isSettled, settle } from "../messages/settle_geolocation.ts";
import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import { type ArgsOf, locate } from "../model/job_kinds.ts";
import { timeLimit } from "../base/time_limit.ts";
import { limits } from "../base/limits.ts";
import { notification } from "../webhooks/notify.ts";
import { lookUpRequest } from "../webhooks/own_request.ts";
import type { Ports } from "../model/ports/ports.ts";
import { behaviourOf, refusalOf } from "../model/values/test_calls.ts";
import type { Geolocation } from "../model/resources/geolocations.ts";

/** Performs `locate`. */
export const locateHandler: JobHandler<ArgsOf<typeof locate>> = handler(locate, {
  maxAttempts: limits.locationAttempts,
  retryMs: exponential(1_000, 10_000),

  async work({ accountSid, geolocationSid }, ports, { signal }) {
    const { geolocations } = ports.records;
    const asked = await geolocations.get(accountSid, geolocationSid);
    if (asked === null || isSettled(asked)) return;
    const account = await ports.accounts.get(accountSid);
    if (account !== null && isTest(account)) return await locateSimulated(asked, ports);
    const { locationSource } = ports;
    if (locationSource === null) {
      return await fail(asked, "no location source is configured (LOCATION_URL)", ports);
    }
    await geolocations.update(accountSid, geolocationSid, (now) => ({
      record: now.responseStatus === "queued" ? { ...now, responseStatus: "processing" } : now,
    }));
    using time = timeLimit(limits.locationTimeoutMs, signal);
    const msisdn = asked.deviceIdentifier.replace("+", "");
    const answer = await locationSource.lookUp(msisdn, time.signal);
    const data = parseLocation(answer);
    // It may be the error page of a server: the next attempt requests it again.
    if (data === null) throw new Error("the location source's answer is not understood");
    const at = ports.now();
    await geolocations.update(accountSid, geolocationSid, (now) => settle(now, { data }, at));
  },

  async spent({ accountSid, geolocationSid }, ports, error) {
    const asked = await ports.records.geolocations.get(accountSid, geolocationSid);
    const why = plainReason(error);
    if (asked !== null) await fail(asked, why, ports);
    return [];
  },
});

/** Ends a look-up of a test account, as the number says: a device that answers calls is found. */
async function locateSimulated(asked: Geolocation, ports: Ports): Promise<void> {
  const { accountSid, sid, deviceIdentifier } = asked;
  const isFound = refusalOf(deviceIdentifier) === null &&
    behaviourOf(deviceIdentifier).outcome === "answered";
  if (!isFound) return await fail(asked, `${deviceIdentifier} cannot be located`, ports);
  const at = ports.now();
  const change = (now: Geolocation) => settle(now, { data: testPlace }, at);
  await ports.records.geolocations.update(accountSid, sid, change);
}

/** A cell of the network 001/01, which is for tests (ITU-T E.212). */
const testPlace = {
  cellId: "1",
  locationAreaCode: "1",
  mobileCountryCode: 1,
  mobileNetworkCode: "01",
  networkEntityAddress: null,
  locationAge: 0,
};

async function fail(
  asked: Geolocation,
  cause: string,
  ports: Ports,
): Promise<void> {
  const { accountSid, sid, deviceIdentifier } = asked;
  const at = ports.now();
  const exchange = lookUpRequest(asked, ports);
  const detail = `${sid}, ${deviceIdentifier}: ${cause}`;
  await ports.records.geolocations.update(accountSid, sid, (geolocation) => {
    const change = settle(geolocation, { cause }, at);
    if (change.record === geolocation) return change;
    const notice = { accountSid, callSid: null, fault: "notLocated", detail, exchange } as const;
    return { ...change, also: [notification({ ...notice, level: "error" }, ports)] };
  });
}
