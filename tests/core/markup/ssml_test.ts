import assert from "node:assert/strict";
import { parseDocument } from "../../../core/markup/parse.ts";
import { speechParts } from "../../../core/markup/ssml.ts";

const spoken = (say: string): string => {
  const [element] = parseDocument(`<Response><Say>${say}</Say></Response>`);
  return speechParts(element!, () => {}).map(({ text = "" }) => text).join("|");
};

Deno.test("speechParts() puts letters apart once, whatever stands inside each other", () => {
  const characters = '<say-as interpret-as="characters">';

  assert.equal(spoken(`${characters}ab</say-as> cd`), "a b cd");
  assert.equal(
    spoken(`${characters}a<say-as interpret-as="digits">12</say-as></say-as> b`),
    "a 1 2 b",
  );
  assert.equal(
    spoken(`<emphasis>${characters}ab</say-as></emphasis> ${characters}cd</say-as>`),
    "a b c d",
  );
});
