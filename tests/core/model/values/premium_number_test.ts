import assert from "node:assert/strict";
import { isPremium } from "../../../../core/model/values/premium_number.ts";

const premium: [dialled: string, country?: string][] = [
  ["+19005551234"],
  ["+12129761234"],
  ["+449098790000"],
  ["+448712345678"],
  ["+447012345678"],
  ["+49900123456"],
  ["+33899123456"],
  ["+870773456123"],
  ["+8816123456"],
  ["+88213456789"],
  ["+883510012345"],
  ["+979123456789"],
  ["+80812345678"],
  // As carriers read it: digits after a whole number, `00`, `011`, national forms.
  ["+190055512349999"],
  ["+1900555123499999999"],
  ["0019005551234"],
  ["01119005551234"],
  ["19005551234"],
  ["0900123456", "DE"],
  ["9005551234", "US"],
  ["00881612345678", "DE"],
  // Zeros behind the `+`, for carriers that ignore it.
  ["+008811234567"],
  ["+0019005551234"],
  ["+01119005551234"],
  ["+1011881123456"],
  ["+08811234567"],
  // The codes of the country for numbers abroad and in other areas, with digits too many.
  ["0011881012345678", "AU"],
  ["0018810123456789", "SG"],
  ["0028810123456789", "KR"],
  ["00148810123456789", "BR"],
  ["0008810123456789", "KE"],
  ["069012345678", "HU"],
  // Behind codes that withhold the caller ID.
  ["*6719005551234", "US"],
  ["*679005551234", "US"],
  ["#31#09001234567", "DE"],
  ["*31#00881612345678", "DE"],
];

const usual: [dialled: string, country?: string][] = [
  ["+4930123456"],
  ["+491711234567"],
  ["+14155552671"],
  ["+14155552671999"],
  ["+18005551212"],
  ["+442079460958"],
  ["+443001234567"],
  ["+15550001"],
  ["+33140205050"],
  ["110", "DE"],
  ["112", "DE"],
  ["116117", "DE"],
  ["911", "US"],
  ["999", "GB"],
  ["9001", "DE"], // An extension of a telephone system behind a Gateway.
  ["*100#"],
  ["*881#"],
  ["*808*1#"],
  ["*674155552671", "US"],
  ["+390118810123", "IT"],
  ["001149301234567", "AU"],
  ["0014930123456", "SG"],
  ["030123456", "DE"],
  ["4155552671", "US"],
];

Deno.test("isPremium() finds premium-rate, shared-cost, personal and satellite numbers", () => {
  const missed = premium.filter(([dialled, country = null]) => !isPremium(dialled, country));
  assert.deepEqual(missed, []);
});

Deno.test("isPremium() lets usual numbers pass", () => {
  const wrong = usual.filter(([dialled, country = null]) => isPremium(dialled, country));
  assert.deepEqual(wrong, []);
});
