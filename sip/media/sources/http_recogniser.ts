import { learnedTenant } from "../../../core/base/learned_tenants.ts";
import { plainReason } from "../../../core/base/plain_reason.ts";
import { mayHoldMore } from "../../../core/base/shares.ts";
import { writeWav } from "../../../core/base/wav.ts";
import { z } from "zod";
import { mediaLimits } from "../base/limits.ts";
import { providerError } from "./provider_error.ts";
import { readBody } from "./read_body.ts";
import type { Recogniser } from "./recogniser.ts";

export interface RecogniserOptions {
  fetch: typeof fetch;
  /**
   * A provider with OpenAI's interface; requests to an `isLocal` one have the language with its
   * region.
   */
  endpoint: { url: string; key: string; model: string; isLocal: boolean };
  /** `mediaLimits.recognitionMs` and `recognitions` unless given. */
  timeoutMs?: number;
  atOnce?: number;
}

/** A provider that tells no confidence took the words for what was said. */
const answerForm = z.object({
  text: z.string(),
  confidence: z.number().min(0).max(1).default(1),
});

/**
 * Recognition by a provider over HTTP; hints go along as its prompt. Of the utterances at once a tenant has
 * a share that shrinks while others speak.
 */
export function httpRecogniser(options: RecogniserOptions): Recogniser {
  const { fetch, endpoint, timeoutMs = mediaLimits.recognitionMs } = options;
  const { atOnce = mediaLimits.recognitions } = options;
  let busy = 0;
  const held = new Map<string, number>();
  const hold = (tenant: string | undefined, by: 1 | -1) => {
    busy += by;
    if (tenant === undefined) return;
    const own = (held.get(tenant) ?? 0) + by;
    if (own > 0) held.set(tenant, own);
    else held.delete(tenant);
  };
  return {
    async recognise(pcm, { language, hints, accountSid }, signal) {
      signal.throwIfAborted();
      const tenant = accountSid === undefined ? undefined : learnedTenant(accountSid);
      if (busy >= atOnce) throw new Error("too many callers speak at once");
      const own = tenant === undefined ? 0 : held.get(tenant) ?? 0;
      if (!mayHoldMore({ own, all: busy, most: atOnce })) {
        throw new Error("too many callers of the account speak at once");
      }
      const form = new FormData();
      form.set("file", new File([writeWav(pcm, 8_000)], "speech.wav", { type: "audio/wav" }));
      form.set("model", endpoint.model);
      form.set(
        "language",
        endpoint.isLocal ? language : language.replace(/[-_].*/, "").toLowerCase(),
      );
      form.set("response_format", "json");
      if (hints.length > 0) form.set("prompt", hints.join(", "));
      const { url, key } = endpoint;
      const late = AbortSignal.timeout(timeoutMs);
      hold(tenant, 1);
      try {
        const response = await fetch(`${url}/v1/audio/transcriptions`, {
          method: "POST",
          headers: key === "" ? {} : { authorization: `Bearer ${key}` },
          body: form,
          signal: AbortSignal.any([signal, late]),
        });
        if (!response.ok) throw new Error(await providerError(response));
        const bytes = await readBody(response, mediaLimits.recognitionAnswerBytes);
        const { text, confidence } = answerForm.parse(JSON.parse(new TextDecoder().decode(bytes)));
        return text.trim() === "" ? null : { text: text.trim(), confidence };
      } catch (error) {
        signal.throwIfAborted();
        const isForeign = error instanceof z.ZodError || error instanceof SyntaxError;
        const told = plainReason(error);
        const why = isForeign ? "its answer is not understood" : told;
        const reason = late.aborted ? `it took over ${timeoutMs} ms` : why;
        throw new Error(`the recogniser at ${new URL(url).origin} did not help: ${reason}`, {
          cause: error,
        });
      } finally {
        hold(tenant, -1);
      }
    },
  };
}
