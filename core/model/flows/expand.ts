import { hasShortHost } from "../../base/url_host.ts";

/** Variables of a flow by name. */
export type Variables = Readonly<Record<string, string>>;

/**
 * Names that expand to nothing without a value, since a request for markup carries them only with
 * one. Any other name without a value stays as it is written.
 */
const optional = new Set([
  "Body",
  "CallerName",
  "Confidence",
  "CurrentQueueSize",
  "DialCallDuration",
  "DialCallSid",
  "DialCallStatus",
  "DialRingDuration",
  "DialSipCallId",
  "DialSipResponseCode",
  "Digits",
  "ForwardedFrom",
  "OutboundCallSid",
  "ParentCallSid",
  "PhoneNumberSid",
  "QueuePosition",
  "QueueResult",
  "QueueSid",
  "QueueTime",
  "RecordingDuration",
  "RecordingSid",
  "RecordingUrl",
  "ReferTarget",
  "ServiceStatus",
  "SipCallId",
  "SmsSid",
  "SmsStatus",
  "SpeechResult",
  "Transferee",
  "Transferor",
]);

/** Replaces each `$name` by its value, URL-encoded on request. */
export const expand = (
  text: string,
  variables: Variables,
  encode: (value: string) => string = (value) => value,
): string =>
  text.replace(/\$([A-Za-z_]\w*)/g, (written, name: string) => {
    if (Object.hasOwn(variables, name)) return encode(variables[name] ?? "");
    return optional.has(name) ? "" : written;
  });

/**
 * A URL with its variables: as they are before the path, so that a host may come from one, and
 * percent-encoded behind it. Null when the result is no absolute http or https URL.
 */
export function expandUrl(text: string, variables: Variables): URL | null {
  const [head = ""] = /^(?:https?:\/\/)?[^/?#]*/i.exec(text) ?? [];
  const rest = expand(text.slice(head.length), variables, encodeURIComponent);
  const url = URL.parse(expand(head, variables) + rest);
  return url !== null && /^https?:$/.test(url.protocol) && hasShortHost(url) ? url : null;
}
