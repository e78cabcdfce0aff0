import { Hono } from "hono";
import { Fault } from "../../core/base/faults.ts";
import { searchOf, toAvailable } from "../../core/numbers/available.ts";
import { isCountry, toCountry } from "../../core/numbers/country.ts";
import { kindSegments } from "../../core/model/values/phone_number.ts";
import { availableNumbers } from "../../core/numbers/search.ts";
import { sliceOf } from "../../core/model/rest/paging.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import type { Base } from "../../core/base/record.ts";
import type { Query } from "../../core/model/store.ts";
import {
  availablePhoneNumbers as definition,
  numberCountries,
  type NumberCountry,
} from "../../core/model/resources/available_phone_numbers.ts";
import { answer } from "../http/answer.ts";
import type { Env } from "../http/env.ts";
import { answerList } from "../http/lists.ts";
import { accountAddress, shapeOf } from "../http/represent.ts";

/** Numbers that may be provisioned, by country and kind; the bare address lists the countries. */
export function availablePhoneNumberRoutes(ports: Ports): Hono<Env> {
  const app = new Hono<Env>()
    .get("/", async (c) => {
      const accountSid = c.var.account.sid;
      const codes = await ports.numbers.countries();
      const countries = codes.sort().map((code) => toCountry(accountSid, code));
      const read = (query: Query) => Promise.resolve(sliceOf(countries, query));
      const list = {
        definition: numberCountries,
        shape: countryShape,
        address: listOf(accountSid),
      };
      return answerList(c, { ...list, read }, ports);
    })
    .get("/:country", (c) => {
      const country = toCountry(c.var.account.sid, countryCode(c.req.param("country")));
      return answer(c, countryShape.forms(country));
    });
  for (const [segment, kind] of Object.entries(kindSegments)) {
    app.get(`/:country/${segment}`, (c) => {
      const isoCountry = countryCode(c.req.param("country"));
      const address = `${listOf(c.var.account.sid)}/${isoCountry}/${segment}`;
      const read = async ({ where, skip, limit }: Query) => {
        const offers = await availableNumbers(searchOf(where, { isoCountry, kind }), ports);
        return { items: offers.slice(skip, skip + limit).map(toAvailable), total: offers.length };
      };
      return answerList(c, { definition, shape, address, read }, ports);
    });
  }
  return app;
}

const listOf = (accountSid: string) => `${accountAddress(accountSid)}/${definition.path}`;

const countryShape = shapeOf(numberCountries, (record: Base) => {
  const { accountSid, isoCountry } = record as NumberCountry;
  return `${listOf(accountSid)}/${isoCountry}`;
});

/** A country code in capitals. Throws `notFound` for an unknown one. */
function countryCode(text: string): string {
  const code = text.toUpperCase();
  if (isCountry(code)) return code;
  throw new Fault("notFound", `the country "${text}" in the path is no ISO 3166 code`);
}

/** An offer has no address of its own. */
const shape = shapeOf(definition, null);
