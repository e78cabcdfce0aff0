import {
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { version } from "./version.ts";

/**
 * Spans of OpenTelemetry. Deno exports them while `OTEL_DENO` is true; else nothing here has an
 * effect.
 */

const tracer = trace.getTracer("switchboard", version);

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  job: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;

export interface SpanOptions {
  kind: keyof typeof kinds;
  attributes?: Record<string, string | number>;
}

/** Begins a span below the one of the work at hand; the caller ends it. */
export const beginSpan = (name: string, { kind, attributes = {} }: SpanOptions): Span =>
  tracer.startSpan(name, { kind: kinds[kind], attributes });

/** Runs `work` in a span of its own. What `work` throws is an error of the span too. */
export async function traced<T>(
  name: string,
  options: SpanOptions,
  work: (span: Span) => T | Promise<T>,
): Promise<T> {
  const span = beginSpan(name, options);
  try {
    return await context.with(trace.setSpan(context.active(), span), work, undefined, span);
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: String(error) });
    throw error;
  } finally {
    span.end();
  }
}

/** Marks a span as failed. */
export const failSpan = (span: Span): void => void span.setStatus({ code: SpanStatusCode.ERROR });

/** The header `traceparent` (W3C Trace Context, section 3.2) of the work at hand, if it has one. */
export function currentTraceparent(): string | undefined {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent;
}

/** The id of the trace of the work at hand, if it has one. */
export const currentTraceId = (): string | undefined =>
  trace.getActiveSpan()?.spanContext().traceId;

/** Runs `work` as part of the trace that a `traceparent` names; it may be of another process. */
export const withTraceparent = <T>(traceparent: string | undefined, work: () => T): T =>
  traceparent === undefined
    ? work()
    : context.with(propagation.extract(ROOT_CONTEXT, { traceparent }), work);
