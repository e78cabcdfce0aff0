import assert from "node:assert/strict";
import { startApp } from "../support/service/app.ts";

const immediate = { DeviceIdentifier: "59899077937", StatusCallback: "https://app.test/geo" };
const geofence = {
  EventGeofenceLatitude: "-33.426280",
  EventGeofenceLongitude: "-70.56656",
  GeofenceRange: "300",
  GeofenceEvent: "in-out",
};

Deno.test("POST /Geolocation names every parameter that is missing", async () => {
  using app = await startApp();
  const cases = [
    ["Immediate", immediate],
    ["Notification", { ...immediate, ...geofence }],
  ] as const;

  for (const [type, form] of cases) {
    for (const name of Object.keys(form)) {
      const left = Object.fromEntries(Object.entries(form).filter(([other]) => other !== name));
      const answer = await app.root.post(`Geolocation/${type}.json`, left);
      assert.equal(answer.status, 400);
      assert.ok(answer.json().message.endsWith(`: ${name} is required`), answer.text);
    }
    const complete = await app.root.post(`Geolocation.json/${type}`, form);
    assert.equal(complete.status, 200, complete.text);
    assert.equal(complete.headers.get("Warning"), null);
  }
});

Deno.test("POST /Geolocation names every parameter that is wrong", async () => {
  using app = await startApp();
  const cases: [Record<string, string>, RegExp][] = [
    [{ DeviceIdentifier: "alice" }, /DeviceIdentifier must be a subscriber number/],
    [{ DeviceIdentifier: "1".repeat(16) }, /DeviceIdentifier must be a subscriber number/],
    [{ StatusCallback: "nowhere" }, /StatusCallback must be an absolute/],
    [{ EventGeofenceLatitude: "90.1" }, /EventGeofenceLatitude must be from -90 to 90 degrees$/],
    [{ EventGeofenceLatitude: "33°S" }, /EventGeofenceLatitude must be decimal degrees$/],
    [{ EventGeofenceLongitude: "-180.5" }, /EventGeofenceLongitude must be from -180 to 180/],
    [{ EventGeofenceLongitude: "" }, /EventGeofenceLongitude must be decimal degrees$/],
    [{ GeofenceRange: "0" }, /GeofenceRange must be more than 0 metres$/],
    [{ GeofenceRange: "-5" }, /GeofenceRange must be a number of metres$/],
    [{ GeofenceRange: "near" }, /GeofenceRange must be a number of metres$/],
    [{ GeofenceEvent: "both" }, /GeofenceEvent must be one of in, out, in-out$/],
  ];

  for (const [changes, message] of cases) {
    const form = { ...immediate, ...geofence, ...changes };
    const answer = await app.root.post("Geolocation/Notification.json", form);
    assert.equal(answer.status, 400);
    assert.match(answer.json().message, message);
  }
});

Deno.test("POST /Geolocation/Immediate refuses a geofence", async () => {
  using app = await startApp();

  for (const [name, value] of Object.entries(geofence)) {
    const answer = await app.root.post("Geolocation/Immediate.json", {
      ...immediate,
      [name]: value,
    });
    assert.equal(answer.status, 400);
    assert.ok(answer.json().message.endsWith(`${name} is of a Notification only`), answer.text);
  }
});

Deno.test("look-ups are read by their type and Sid, and listed; not changed or deleted", async () => {
  using app = await startApp();
  const other = await app.subAccount(app.root, "other");
  const { uri, sid } = (await app.root.post("Geolocation/Immediate.json", immediate)).json();

  assert.ok(uri.endsWith(`/Geolocation/Immediate/${sid}.json`));
  assert.equal((await other.get(`Geolocation/Immediate/${sid}`)).status, 404);
  assert.equal((await app.root.get("Geolocation/Immediate/GL1")).status, 404);
  const [listed] = (await app.root.get("Geolocation.json")).json();
  assert.deepEqual([listed.sid, listed.uri], [sid, uri]);
  assert.equal((await app.root.get(`Geolocation/${sid}.json`)).json().uri, uri);
  assert.deepEqual((await other.get("Geolocation.json")).json(), []);
  assert.equal((await other.get(`Geolocation/${sid}`)).status, 404);
  assert.equal((await app.root.get("Geolocation/Immediate")).headers.get("Allow"), "POST");
  for (const method of ["POST", "PUT", "DELETE"]) {
    assert.equal((await app.root.request(method, uri)).status, 405, method);
  }
});
