import { z } from "zod";
import { Fault } from "../../base/faults.ts";
import { inlineUrl } from "../../model/flows/address.ts";
import { limits } from "../../base/limits.ts";
import { parseDocument } from "../../markup/parse.ts";

/** Markup as a parameter; the address under which a call keeps it comes of it. */
export const inlineParameter = z.string().transform((markup, { addIssue }) => {
  const bytes = new TextEncoder().encode(markup).length;
  if (bytes > limits.documentBytes) {
    addIssue(`must have at most ${limits.documentBytes} bytes`);
    return "";
  }
  const wrong = problemOf(markup);
  if (wrong !== null) addIssue(`must be markup: ${wrong}`);
  const kept = inlineUrl(markup);
  if (bytes > limits.inlineMarkupBytes && kept.length > limits.inlineMarkupBytes) {
    addIssue(`must have at most ${limits.inlineMarkupBytes} bytes, as it cannot be compressed`);
  }
  return kept;
});

function problemOf(markup: string): string | null {
  if (markup.trim() === "") return "it is empty; send <Response/> where nothing is to be done";
  try {
    parseDocument(markup);
    return null;
  } catch (error) {
    if (error instanceof Fault) return error.detail ?? "";
    throw error;
  }
}
