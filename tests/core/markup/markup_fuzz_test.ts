import assert from "node:assert/strict";
import { z } from "zod";
import { step } from "../../../core/protocol/script.ts";
import { Fault } from "../../../core/base/faults.ts";
import { parseDocument } from "../../../core/markup/parse.ts";
import { compiledDocument, outbound } from "../../support/service/compile_lab.ts";
import { markupWriter } from "../../support/service/markup_writer.ts";
import { numbers } from "../../support/media/synthetic_speech.ts";

const documents = 24_000;
/** Far above what any takes, so that a hang fails and a busy machine does not. */
const mostMs = 5_000;

Deno.test(`parseDocument() and compile() take ${documents} documents of any kind`, async () => {
  const write = markupWriter(numbers(42));
  const steps = z.array(step);
  const seen = { scripts: 0, refused: 0, skipped: 0 };
  let slowest = 0;
  for (let count = 0; count < documents; count++) {
    const text = write();
    const began = performance.now();
    try {
      const { script, skipped } = await compiledDocument(parseDocument(text), outbound);
      steps.parse(script);
      seen.scripts++;
      if (skipped.length > 0) seen.skipped++;
    } catch (error) {
      assert.ok(error instanceof Fault && error.fault === "documentInvalid", `${error}: ${text}`);
      seen.refused++;
    }
    slowest = Math.max(slowest, performance.now() - began);
  }
  assert.ok(Math.min(...Object.values(seen)) > documents / 10, JSON.stringify(seen));
  assert.ok(slowest < mostMs, `${slowest} ms`);
});
