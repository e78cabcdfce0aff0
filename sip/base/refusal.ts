import { sipLimits } from "./limits.ts";

/** A final response that says no. */
export interface Refusal {
  statusCode: number;
  reasonPhrase?: string;
  extraHeaders?: string[];
}

/** 503, for what may work in a moment. */
export const unavailable: Refusal = {
  statusCode: 503,
  extraHeaders: [`Retry-After: ${sipLimits.retryAfterS}`],
};
