import assert from "node:assert/strict";
import { parseDocument } from "../../../core/markup/parse.ts";
import { compileUssd } from "../../../core/documents/compile_ussd.ts";
import { fittingUssd } from "../../../core/model/values/ussd_length.ts";

const compiled = (body: string) =>
  compileUssd(parseDocument(`<Response>${body}</Response>`), {
    documentUrl: "https://app.test/ussd/start",
    hops: 3,
    ends: { ours: "*135#", theirs: "+12025550199" },
  });

const action = { url: "https://app.test/ussd/next", method: "POST", hops: 3 };
const shown = (text: string, collect: boolean, more: object = {}) => ({
  type: "ussd",
  message: { text },
  collect,
  ...more,
});
const hangup = { type: "hangup", cause: "end-of-markup" };

const documents: Record<string, { body: string; script: unknown[]; skipped?: string[] }> = {
  "nothing": { body: "", script: [hangup] },
  "the last words": {
    body: "<UssdMessage> Good \n  bye </UssdMessage>",
    script: [shown("Good\nbye", false)],
  },
  "several messages": {
    body: "<UssdMessage>a</UssdMessage><UssdMessage>b</UssdMessage>",
    script: [shown("a\nb", false)],
  },
  "a question": {
    body: '<UssdCollect action="next"><UssdMessage>1?</UssdMessage></UssdCollect>',
    script: [shown("1?", true, { action }), hangup],
  },
  "a question by GET, with messages around it": {
    body: '<UssdMessage>a</UssdMessage><UssdCollect action="next" method="get">' +
      "<UssdMessage>b</UssdMessage><UssdMessage>c</UssdMessage></UssdCollect>" +
      "<UssdMessage>d</UssdMessage>",
    script: [
      shown("a\nb\nc", true, { action: { ...action, method: "GET" } }),
      shown("d", false),
    ],
  },
  "a language": {
    body: "<Language>de</Language><UssdMessage>a</UssdMessage>",
    script: [{ ...shown("a", false), message: { text: "a", language: "de" } }],
  },
  "a redirect": { body: "<Redirect>next</Redirect>", script: [{ type: "next", action }] },
  "a message by the way": {
    body: "<UssdMessage>a</UssdMessage><Sms>b</Sms>",
    script: [{
      type: "note",
      serviceContext: {
        kind: "sms",
        from: "*135#",
        to: "+12025550199",
        body: "b",
        statusCallbackMethod: "POST",
      },
    }, shown("a", false)],
  },
  "what USSD does not know": {
    body:
      '<Say>a</Say><Language>a b</Language><UssdMessage x="1"/><UssdCollect><Play/></UssdCollect>',
    script: [shown("", true), hangup],
    skipped: [
      "verb Say: USSD knows Language, UssdMessage, UssdCollect, Redirect, Sms and Email",
      'Language "a b": it is no language tag',
      'attribute "x" of UssdMessage',
      "UssdMessage: it has no text",
      "Play in UssdCollect",
      "UssdCollect: it shows no UssdMessage",
    ],
  },
  "a message that nobody would see": {
    body: "<UssdMessage>a</UssdMessage><Redirect>next</Redirect>",
    script: [{ type: "next", action }],
    skipped: ["UssdMessage before Redirect: nothing is shown before a UssdCollect or the end"],
  },
};

for (const [what, { body, script, skipped = [] }] of Object.entries(documents)) {
  Deno.test(`compileUssd() takes ${what}`, async () => {
    assert.deepEqual(await compiled(body), { script, skipped });
  });
}

const lengths: Record<string, [text: string, fits: number]> = {
  "of the GSM alphabet": ["@Ä".repeat(91), 182],
  "of the GSM alphabet, too long": ["a".repeat(183), 182],
  "with letters that take two places": ["€".repeat(92), 91],
  "of other letters": ["語".repeat(81), 80],
  "with one other letter": [`語${"a".repeat(90)}`, 80],
  "with letters outside the first plane": ["😀".repeat(41), 80],
};

for (const [what, [text, fits]] of Object.entries(lengths)) {
  Deno.test(`fittingUssd() bounds a text ${what}`, () => {
    const cut = fittingUssd(text);
    assert.deepEqual([cut.length, text.startsWith(cut)], [fits, true]);
  });
}

Deno.test("a text that is too long is cut, and noted", async () => {
  const { script, skipped } = await compiled(`<UssdMessage>${"語".repeat(81)}</UssdMessage>`);
  assert.deepEqual(script, [shown("語".repeat(80), false)]);
  assert.deepEqual(skipped, [
    "the text of a USSD message after 80 characters: it has 81, and 182 of the GSM alphabet or 80 " +
    "others fit",
  ]);
});
