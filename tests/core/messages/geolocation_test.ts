import assert from "node:assert/strict";
import { parseLocation } from "../../../core/messages/parse_location.ts";

const known = {
  mobileCountryCode: 598,
  mobileNetworkCode: "01",
  locationAreaCode: "10100",
  cellId: "20042",
  locationAge: 0,
  networkEntityAddress: 5980042343201,
};

Deno.test("parseLocation() reads the pairs in any order and spacing", () => {
  const pairs = "mcc=598,mnc=01,lac=10100,cellid=20042,aol=0,vlrNumber=5980042343201".split(",");

  for (let turn = 0; turn < pairs.length; turn++) {
    const turned = [...pairs.slice(turn), ...pairs.slice(0, turn)];
    assert.deepEqual(parseLocation(turned.join(",")), known);
    assert.deepEqual(parseLocation(turned.toReversed().join(" ,\r\n ") + "\n"), known);
  }
  assert.deepEqual(parseLocation(`${pairs.join(",")},extra=1,,=`), known);
});

Deno.test("parseLocation() has null for a missing value and for one that is no number", () => {
  assert.deepEqual(parseLocation("mcc=x,cellid=1,lac=,vlrNumber=1234567890123456"), {
    mobileCountryCode: null,
    mobileNetworkCode: null,
    locationAreaCode: null,
    cellId: "1",
    locationAge: null,
    networkEntityAddress: null,
  });
});

Deno.test("parseLocation() is null for an answer without a known value", () => {
  for (const text of ["", "<html>", "error=unknown subscriber", "mcc", "mcc=", "=,=,="]) {
    assert.equal(parseLocation(text), null, text);
  }
});
