import assert from "node:assert/strict";
import { z } from "zod";
import { step } from "../../core/protocol/script.ts";
import { Fault } from "../../core/base/faults.ts";
import { parseDocument } from "../../core/markup/parse.ts";
import { compiledDocument, outbound } from "../support/service/compile_lab.ts";
import { markupWriter } from "../support/service/markup_writer.ts";
import type { Target } from "./target.ts";

/** Call-control markup: a document becomes a script that can be run, or is refused as a document. */

const steps = z.array(step);
/** Far above what any takes, so that a slow machine is no failure. */
const MOST_MS = 5_000;

export const target: Target = {
  async run(random) {
    const write = markupWriter(() => random(2 ** 30) / 2 ** 30);
    for (let i = 0; i < 10; i++) {
      const text = write();
      const began = performance.now();
      try {
        const { script } = await compiledDocument(parseDocument(text), outbound);
        steps.parse(script);
      } catch (error) {
        const isRefused = error instanceof Fault && error.fault === "documentInvalid";
        assert.ok(isRefused, `${error}: ${JSON.stringify(text)}`);
      }
      assert.ok(performance.now() - began < MOST_MS, `it takes too long: ${JSON.stringify(text)}`);
    }
  },
};
