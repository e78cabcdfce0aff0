import assert from "node:assert/strict";
import { limits } from "../../core/base/limits.ts";
import type { LocationSource } from "../../core/model/ports/providers.ts";
import { type App, startApp } from "../support/service/app.ts";

const immediate = { DeviceIdentifier: "+59899077937", StatusCallback: "https://app.test/geo" };
const notification = {
  ...immediate,
  EventGeofenceLatitude: "-33.426280",
  EventGeofenceLongitude: "-70.56656",
  GeofenceRange: "300",
  GeofenceEvent: "in",
};
const answer = "vlrNumber=59800423432,mcc=748,lac=10100,mnc=01,aol=3,cellid=20042";

/** A source that answers, and what it was asked. */
function source(lookUp: () => Promise<string> = () => Promise.resolve(answer)) {
  const asked: string[] = [];
  const locationSource: LocationSource = {
    lookUp(msisdn) {
      asked.push(msisdn);
      return lookUp();
    },
  };
  return { asked, locationSource };
}

const readAgain = async (app: App, { uri }: { uri: string }) => (await app.root.get(uri)).json();

async function callback(app: App) {
  assert.equal(app.fetched.length, 1);
  assert.equal(app.fetched[0]!.method, "POST");
  return Object.fromEntries(new URLSearchParams(await app.fetched[0]!.text()));
}

async function messages(app: App): Promise<string[]> {
  const { notifications } = (await app.root.get("Notifications.json")).json();
  return notifications.map((one: { message_text: string }) => one.message_text);
}

Deno.test("an Immediate look-up is queued, then has the data of the source, with its callback", async () => {
  const { asked, locationSource } = source();
  using app = await startApp({ ports: { locationSource } });

  const made = (await app.root.post("Geolocation/Immediate.json", immediate)).json();
  assert.deepEqual(
    [made.geolocation_type, made.response_status, made.date_executed, made.geolocation_data],
    ["Immediate", "queued", null, {}],
  );
  app.clock.now += 2_000;
  await app.runJobs();

  assert.deepEqual(asked, ["59899077937"]);
  const found = await readAgain(app, made);
  assert.deepEqual(found, {
    ...made,
    date_updated: "Wed, 31 Jan 2024 12:00:02 +0000",
    date_executed: "Wed, 31 Jan 2024 12:00:02 +0000",
    response_status: "successful",
    geolocation_data: {
      cell_id: "20042",
      location_area_code: "10100",
      mobile_country_code: 748,
      mobile_network_code: "01",
      network_entity_address: 59800423432,
      location_age: 3,
    },
  });
  assert.deepEqual(await callback(app), {
    AccountSid: app.root.sid,
    GeolocationSid: made.sid,
    GeolocationType: "Immediate",
    GeolocationStatus: "successful",
    DeviceIdentifier: "+59899077937",
    CellId: "20042",
    LocationAreaCode: "10100",
    MobileCountryCode: "748",
    MobileNetworkCode: "01",
    NetworkEntityAddress: "59800423432",
    LocationAge: "3",
  });
});

Deno.test("a Notification look-up echoes its geofence as text, in both formats", async () => {
  using app = await startApp({ ports: source() });

  const made = (await app.root.post("Geolocation/Notification.json", notification)).json();
  const fence = {
    event_geofence_latitude: "-33.426280",
    event_geofence_longitude: "-70.56656",
  };
  assert.deepEqual(made.geolocation_data, fence);
  await app.runJobs();

  const { geolocation_data } = await readAgain(app, made);
  assert.deepEqual(geolocation_data, {
    cell_id: "20042",
    location_area_code: "10100",
    mobile_country_code: 748,
    mobile_network_code: "01",
    network_entity_address: 59800423432,
    location_age: 3,
    ...fence,
  });
  const xml = (await app.root.get(made.uri.replace(".json", ""))).text;
  assert.match(
    xml,
    /<GeolocationData><CellId>20042<\/CellId>.*<EventGeofenceLatitude>-33\.426280<\/EventGeofenceLatitude>.*<\/GeolocationData>/,
  );
  assert.equal((await callback(app)).EventGeofenceLongitude, "-70.56656");
  const other = made.uri.replace("/Notification/", "/Immediate/");
  assert.equal((await app.root.get(other)).status, 404);
});

Deno.test("without a location source a look-up fails with its Cause and a Notification", async () => {
  using app = await startApp();

  const made = (await app.root.post("Geolocation/Immediate.json", immediate)).json();
  await app.runJobs();

  const { response_status, cause } = await readAgain(app, made);
  const why = "no location source is configured (LOCATION_URL)";
  assert.deepEqual([response_status, cause], ["failed", why]);
  assert.deepEqual(await messages(app), [
    `Cannot locate the device: ${made.sid}, +59899077937: ${why}`,
  ]);
  const { GeolocationStatus, Cause } = await callback(app);
  assert.deepEqual([GeolocationStatus, Cause], ["failed", why]);
});

Deno.test("a source that does not answer is tried again, then the look-up fails", async () => {
  const { asked, locationSource } = source(() => Promise.reject(new Error("the source is down")));
  using app = await startApp({ ports: { locationSource } });

  const made = (await app.root.post("Geolocation/Immediate.json", immediate)).json();
  await app.runJobs();
  assert.equal((await readAgain(app, made)).response_status, "processing");
  for (let attempt = 2; attempt <= limits.locationAttempts; attempt++) {
    app.clock.now += 20_000;
    await app.runJobs();
  }

  assert.equal(asked.length, limits.locationAttempts);
  const { response_status, cause } = await readAgain(app, made);
  const why = "the source is down";
  assert.deepEqual([response_status, cause], ["failed", why]);
});

Deno.test("an invalid answer of the source is requested again, then fails the look-up", async () => {
  const { asked, locationSource } = source(() => Promise.resolve("<html>"));
  using app = await startApp({ ports: { locationSource } });

  const made = (await app.root.post("Geolocation/Immediate.json", immediate)).json();
  await app.runJobs();
  for (let attempt = 2; attempt <= limits.locationAttempts; attempt++) {
    app.clock.now += 20_000;
    await app.runJobs();
  }

  assert.equal(asked.length, limits.locationAttempts);
  const { response_status, cause } = await readAgain(app, made);
  const why = "the location source's answer is not understood";
  assert.deepEqual([response_status, cause], ["failed", why]);
  assert.deepEqual(await messages(app), [
    `Cannot locate the device: ${made.sid}, +59899077937: ${why}`,
  ]);
  const told = await callback(app);
  assert.deepEqual([told.GeolocationStatus, told.Cause], ["failed", why]);
});
