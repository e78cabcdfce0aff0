import assert from "node:assert/strict";
import { plainDigits } from "../../core/base/fields.ts";
import {
  readUserPart,
  splitUserParameters,
  userParameter,
  withoutParameter,
} from "../../core/base/user_part.ts";
import { parseAddress, sipUri } from "../../core/model/values/address.ts";
import {
  callerNumber,
  dialString,
  e164Of,
  partOf,
  spellingsOf,
} from "../../core/model/values/dialled.ts";
import { currentNumber } from "../../core/model/values/former_plans.ts";
import { placeOf } from "../../core/model/values/place.ts";
import { pick, type Random } from "./generator.ts";
import type { Target } from "./target.ts";

/** Texts that people, phones and carriers write for numbers: each means one number, or none. */

const parts = [
  "+",
  "00",
  "1",
  "52",
  "521",
  "225",
  "55",
  "404",
  "(404)",
  "555",
  "0177",
  "-",
  " ",
  ".",
]
  .concat(
    "/",
    "*",
    "#",
    ";",
    "=",
    "npdi",
    "rn=+1404",
    "phone-context=+1",
    "verstat=X",
    "ext=5",
    "%3B",
  )
  .concat(
    "%2B",
    "%",
    "sip:",
    "tel:",
    "@",
    "a.test",
    ":",
    "?",
    "<",
    "alice",
    "１",
    "٤",
    "＋",
    "‑",
    "\u202a",
  )
  .concat("\u00a0", "\ud800", "𝟙", "\r\n", "\0", "client:", "0", "9", "x");
const countries = [null, "US", "DE", "MX", "CI", "BJ", "BR", "IT"];

const written = (random: Random): string =>
  Array.from({ length: 1 + random(14) }, () => pick(random, parts)).join("");

const e164 = /^\+[1-9]\d{1,16}$/;

export const target: Target = {
  run(random) {
    for (let i = 0; i < 50; i++) {
      const text = written(random);
      const country = pick(random, countries);
      const number = e164Of(text, country);
      if (number !== null) {
        assert.match(number, e164, JSON.stringify(text));
        assert.equal(e164Of(number, country), number, `${JSON.stringify(text)} is not one number`);
        assert.equal(currentNumber(number), number, `${JSON.stringify(text)} is of a former plan`);
      }
      const user = readUserPart(text);
      assert.ok(user.user.length + user.parameters.length <= text.length + 7, JSON.stringify(text));
      assert.equal(readUserPart(user.user).user, user.user, `${JSON.stringify(text)} has more`);
      userParameter(user, "verstat");
      assert.doesNotMatch(withoutParameter(user.parameters, "verstat"), /(?:^|;)verstat=/i);
      splitUserParameters(text);
      const address = parseAddress(text);
      if (address?.kind === "sip") {
        const uri = sipUri(address);
        assert.doesNotMatch(uri, /[\s<>"\0]/, JSON.stringify(text));
        assert.deepEqual(parseAddress(uri), address, JSON.stringify(text));
      }
      const dialled = dialString(text);
      assert.equal(dialled === null || /^\+?[\d*#]+$/.test(dialled), true, JSON.stringify(text));
      assert.equal(plainDigits(plainDigits(text)), plainDigits(text), JSON.stringify(text));
      spellingsOf(text, country);
      callerNumber(text, country);
      partOf(text);
      placeOf(text);
    }
  },
};
