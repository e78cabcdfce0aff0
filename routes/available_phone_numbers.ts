import { Hono } from "hono";
import { Fault } from "../core/faults.ts";
import { searchOf, toAvailable } from "../core/numbers/available.ts";
import { countryName, isCountry } from "../core/numbers/country.ts";
import type { NumberKind } from "../core/numbers/phone_number.ts";
import { availableNumbers } from "../core/numbers/search.ts";
import type { Base, Ports, Query } from "../core/ports.ts";
import type { AnyRecord } from "../core/resource.ts";
import { availablePhoneNumbers as definition } from "../core/resources/available_phone_numbers.ts";
import { snake } from "../core/wire.ts";
import { answer } from "./answer.ts";
import { columnsOf } from "./columns.ts";
import type { Ctx, Env } from "./env.ts";
import { answerList } from "./lists.ts";
import { accountAddress, type Shape } from "./represent.ts";
import { element, escapeXml } from "./xml.ts";

const kinds: Record<string, NumberKind> = {
  Local: "local",
  TollFree: "tollFree",
  Mobile: "mobile",
};

/** Numbers that may be provisioned, by country and kind; the bare address lists the countries. */
export function availablePhoneNumberRoutes(ports: Ports): Hono<Env> {
  const app = new Hono<Env>()
    .get("/", async (c) => {
      const codes = await ports.numbers.countries();
      const countries = codes.sort().map((code) => ({ code, address: `${addressOf(c)}/${code}` }));
      return answer(c, {
        json: () => countries.map(countryJson),
        xml: () => element(definition.path, countries.map(countryXml).join("")),
      });
    })
    .get("/:country", (c) => {
      const code = countryCode(c.req.param("country"));
      const country = { code, address: `${addressOf(c)}/${code}` };
      return answer(c, { json: () => countryJson(country), xml: () => countryXml(country) });
    });
  for (const [segment, kind] of Object.entries(kinds)) {
    app.get(`/:country/${segment}`, (c) => {
      const isoCountry = countryCode(c.req.param("country"));
      const address = `${addressOf(c)}/${isoCountry}/${segment}`;
      const read = async ({ where, skip, limit }: Query) => {
        const offers = await availableNumbers(searchOf(where, { isoCountry, kind }), ports);
        return { items: offers.slice(skip, skip + limit).map(toAvailable), total: offers.length };
      };
      return answerList(c, { definition, shape, address, read }, ports);
    });
  }
  return app;
}

const addressOf = (c: Ctx) => `${accountAddress(c.var.account.sid)}/${definition.path}`;

/** A country in capitals. Throws `notFound` for what is none. */
function countryCode(text: string): string {
  const code = text.toUpperCase();
  if (isCountry(code)) return code;
  throw new Fault("notFound", `There is no country "${text}"`);
}

interface Country {
  code: string;
  address: string;
}

function countryJson({ code, address }: Country) {
  const below = Object.keys(kinds).map((
    segment,
  ) => [snake(kinds[segment]!), `${address}/${segment}.json`]);
  return {
    iso_country: code,
    country: countryName(code),
    uri: `${address}.json`,
    subresource_uris: Object.fromEntries(below),
  };
}

const countryXml = ({ code, address }: Country) =>
  element(
    "Country",
    element("IsoCountry", code) + element("Country", escapeXml(countryName(code))) +
      element("Uri", address) +
      element(
        "SubresourceUris",
        Object.keys(kinds).map((segment) => element(segment, `${address}/${segment}`)).join(""),
      ),
  );

const columns = columnsOf(definition);
const offerJson = (offer: Base) =>
  Object.fromEntries(columns.map(({ key, json, field }) => [key, json(valueOf(offer, field))]));
const offerXml = (offer: Base) =>
  element(definition.type, columns.map(({ xml, field }) => xml(valueOf(offer, field))).join(""));
const valueOf = (offer: Base, field: string) => (offer as AnyRecord)[field];

/** Like other resources, but without Uri: an offer is nowhere to be read by itself. */
const shape: Shape = {
  json: offerJson,
  xml: offerXml,
  jsonList: (offers) => offers.map(offerJson),
  xmlList: (offers) => element(definition.path, offers.map(offerXml).join("")),
};
