import assert from "node:assert/strict";
import { allExpressions, expressionsIn, type Found } from "./support/expressions/find.ts";
import { recordMade } from "./support/expressions/made.ts";
import { attacksOn, dearestOf, longestText } from "./support/expressions/measure.ts";

/**
 * Every regular expression of the sources takes a time that is linear in the length of its text.
 * Its automaton proves that, or, if that can read a text in many ways, attacks that follow from it.
 * Exceptions are named below, with the length of the text and the place that bounds it.
 *
 * The automaton decides, since reviews had passed three expressions that were quadratic or cubic
 * over text of unauthenticated sources. One handshake of 16 KiB would have stopped a companion for
 * half an hour. V8's linear engine is experimental; re2js is slow, and has no lines of JavaScript's
 * own syntax; a list of test texts covers only the cases that its authors thought of. So every
 * literal is read from the syntax tree, with every expression that modules make of strings. Its
 * automaton is searched for a text that can be read in ever more ways (Weber and Seidl, 1991). If
 * there is one, the expression is run with that text.
 */

/** Milliseconds that an expression may take for 64 KiB; a linear one takes 1, a quadratic one 50 and more. */
const mostMs = 12;
/** The same for a bounded text. */
const mostBoundedMs = 2;

interface Bounded {
  file: string;
  source: string;
  /** The most characters that it meets. */
  most: number;
  /** Reason for which its cost is bounded. */
  bound: string;
}

const bounded: Bounded[] = [
  {
    file: "core/model/values/number_pattern.ts",
    source: String.raw`(\\.|\[\^?\]?[^\]]*\]|.)(?:\{(\d+)(,(\d*))?\})?`,
    most: 128,
    bound: "limits.numberPatternLength, by isVirtualNumber()",
  },
  {
    file: "core/model/values/number_pattern.ts",
    source: String.raw`\\.|\[\^?\]?[^\]]*\]`,
    most: 128,
    bound: "limits.numberPatternLength, by isVirtualNumber()",
  },
  {
    file: "routes/console/administration/usage.tsx",
    source: String.raw`(\.\d\d\d*?)0*$`,
    most: 32,
    bound: "toFixed(6) of a number",
  },
];

/** Literals that are a part of another expression, which is tried as a whole. */
const parts = [
  { file: "sip/text/uri.ts", source: String.raw`(?:;([^\s<>?]*))?(?:\?([^\s<>"]*))?$` },
];

/** Expressions that are made of strings, but not of foreign ones, where this test does not run. */
const own: Record<string, string> = {
  "routes/console/frame/api.ts":
    "`rel` is next or prev; the literal differs from that of the TypeScript client in it alone",
};

const root = new URL("../", import.meta.url);

/** Runs what makes expressions of strings when it is called, not when its module is loaded. */
const uses: Record<string, () => Promise<unknown>> = {
  "core/usage/erasure_subject.ts": async () => {
    const { searchFor } = await import("../core/usage/erasure_subject.ts");
    for (const subject of ["+4930123456", "client:alice.b", `client:${"a.".repeat(32)}`]) {
      searchFor(subject);
    }
  },
  "core/machine/configuration/reach_variables.ts": async () => {
    const { reachVariables } = await import("../core/machine/configuration/reach_variables.ts");
    reachVariables.ICE_SERVERS.schema.parse("stun:turn.example.com");
  },
  "routes/http/allowed_methods.ts": async () => {
    const { startApp } = await import("./support/service/app.ts");
    await using _ = await startApp();
  },
  "routes/console/frame/form.tsx": async () => {
    const { isNamed } = await import("../routes/console/frame/form.tsx");
    isNamed("FriendlyName", "FriendlyName is too long");
  },
  "routes/console/assets/designer/edits.js": async () => {
    const { renameStep } = await import("../routes/console/assets/designer/edits.js");
    const flow = { start: "one", steps: { one: {} } };
    const { stepName } = await import("../core/model/flows/steps.ts") as { stepName?: RegExp };
    const pattern = stepName?.source ?? "^[A-Za-z][A-Za-z0-9_]{0,63}$";
    renameStep(flow, "one", "two", { portsOf: () => [], pattern });
  },
  "sip/text/body_parts.ts": async () => {
    const { partsOf } = await import("../sip/text/body_parts.ts");
    const content = "--x\r\nContent-Type: text/plain\r\n\r\ntext\r\n--x--";
    partsOf({ contentType: "multipart/mixed;boundary=x", content });
  },
  "sip/text/ussd_body.ts": async () => {
    const { ussdIn, ussdType } = await import("../sip/text/ussd_body.ts");
    const content = "<ussd-data><ussd-string>text</ussd-string></ussd-data>";
    ussdIn({ contentType: ussdType, content });
  },
};

/** Reason for which an expression is not linear; undefined for a linear one. */
function faultOf(source: string, flags: string, limit: Partial<Bounded> = {}): string | undefined {
  const { attacks, isProven } = attacksOn(source, flags);
  if (isProven) return undefined;
  const dear = dearestOf(new RegExp(source, flags), attacks, {
    most: limit.most ?? longestText,
    mostMs: limit.most === undefined ? mostMs : mostBoundedMs,
  });
  return dear && `/${source}/${flags} takes ${dear.ms.toFixed(0)} ms for ` +
      `${dear.text.length} characters like ${JSON.stringify(dear.text.slice(0, 60))}`;
}

const isListed = (list: { file: string; source: string }[], found: Found) =>
  list.find(({ file, source }) => file === found.file && source === found.literal?.source);

Deno.test("every literal of a regular expression is linear, or its text is bounded", async () => {
  const faults: string[] = [];
  const literals = (await allExpressions()).filter(({ literal }) => literal !== undefined);
  for (const found of literals) {
    if (isListed(parts, found)) continue;
    const { file, line, literal } = found;
    const limit = isListed(bounded, found) as Bounded | undefined;
    const fault = faultOf(literal!.source, literal!.flags, limit);
    if (fault !== undefined) faults.push(`${file}:${line}: ${fault}`);
  }
  assert.deepEqual(faults, []);
  for (const one of [...bounded, ...parts]) {
    assert.ok(literals.some((found) => isListed([one], found)), `${one.file} has it no more`);
  }
});

Deno.test("every expression that is made of strings is linear too", async () => {
  const found = (await allExpressions()).filter(({ literal }) => literal === undefined);
  using recorder = recordMade();
  for (const file of new Set(found.map(({ file }) => file))) {
    await import(new URL(file, root).href);
    await uses[file]?.();
  }
  const untried = found.filter(({ file, line }) =>
    own[file] === undefined &&
    !recorder.made.some((made) => made.url.endsWith(`/${file}`) && made.line === line)
  );
  assert.deepEqual(untried, [], "`uses` does not run them");
  const faults = recorder.made.flatMap(({ url, line, source, flags }) => {
    if (!url.startsWith(root.href) || url.includes("/tests/")) return [];
    const fault = faultOf(source, flags);
    return fault === undefined ? [] : [`${url.slice(root.href.length)}:${line}: ${fault}`];
  });
  assert.deepEqual([...new Set(faults)], []);
});

/** Each with what makes it dear, and twins that are not. */
const dear = [
  /(sips?:[^\s:@;<>"]+):[^\s@<>"]*@/gi,
  /^(\w+):[ \t]*([^\r\n\0]*?)[ \t]*$/,
  /(a+)+$/,
  /^(a|a)*b/,
  /^(?:a*)*b/,
  /\s+$/,
  /^\d+\d+x/,
  /^(?:\w+,?)+$/,
  /^[a-z]+ ?[a-z]+$/,
  /<!--[^]*?-->/,
  /^(?=.*a.*b)/s,
  /(?<=^x.*)b/,
];
const cheap = [
  /^\d+x/,
  /^(?:[^"\\]|\\.)*"/,
  /\d+/,
  /^(?:\w+,)*\w+$/,
  /(?<!\/)\/+$/,
  /[^\s@]+@?/g,
  /^a{1,64}b/,
  /(["'])[^"']\1/,
];

for (const expression of dear) {
  Deno.test(`the gate finds ${expression}`, () => {
    assert.ok(faultOf(expression.source, expression.flags));
  });
}
for (const expression of cheap) {
  Deno.test(`the gate lets pass ${expression}`, () => {
    assert.equal(faultOf(expression.source, expression.flags), undefined);
  });
}

Deno.test("the gate finds expressions wherever they stand", () => {
  const text = "f(/a/g); const b = `${/[/]/.test(x)}`; new RegExp(c); RegExp(d);\nx = y / z / 2;";
  assert.deepEqual(
    expressionsIn(text, "/repository/some.ts").map(({ literal }) => literal?.source),
    ["a", "[/]", undefined, undefined],
  );
});
