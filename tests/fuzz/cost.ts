import assert from "node:assert/strict";
import { byteParsers } from "./cost/byte_parsers.ts";
import { carrierParsers } from "./cost/carrier_parsers.ts";
import { connectionParsers } from "./cost/connection_parsers.ts";
import { httpParsers } from "./cost/http_parsers.ts";
import { tryOne } from "./cost/measure.ts";
import { numberParsers } from "./cost/number_parsers.ts";
import type { Parser } from "./cost/parser.ts";
import { restParsers } from "./cost/rest_parsers.ts";
import { sipParsers } from "./cost/sip_parsers.ts";
import { textParsers } from "./cost/text_parsers.ts";
import { pick } from "./generator.ts";
import type { Target } from "./target.ts";

/**
 * CPU time of each message in every parser of text from unauthenticated sources and tenants. It is
 * at most ten times that of a usual message of its size, whatever the message is built to cost.
 */

const parsers: Parser[] = [
  ...sipParsers,
  ...textParsers,
  ...restParsers,
  ...byteParsers,
  ...numberParsers,
  ...httpParsers,
  ...connectionParsers,
  ...carrierParsers,
];

/** Of one parser and one size, as what usual messages cost is measured first. */
const messagesOfCase = 30;
const shownLength = 300;

const shown = (message: unknown): string =>
  message instanceof Uint8Array ? message.toHex() : JSON.stringify(message) ?? String(message);

export const target: Target = {
  async run(random) {
    const parser = pick(random, parsers);
    const size = pick(random, parser.sizes);
    for (let n = 0; n < messagesOfCase; n++) {
      const dear = await tryOne(parser, size, random);
      if (dear === undefined) continue;
      const text = shown(dear.message);
      assert.fail(
        `${parser.name}: ${dear.ms.toFixed(2)} ms where a usual message takes ` +
          `${dear.usualMs.toFixed(3)} ms, for ${text.length} characters: ` +
          `${text.slice(0, shownLength)} … ${text.slice(text.length >> 1).slice(0, shownLength)}`,
      );
    }
  },
};
