import {
  type Exchange,
  headerLines,
  masked,
  readText,
  reasonOf,
  unanswered,
} from "../base/exchange.ts";
import { limits } from "../base/limits.ts";
import type { Ports } from "../ports/ports.ts";
import { expand, expandUrl, type Variables } from "../flows/expand.ts";
import type { StepOf } from "../flows/steps.ts";

type Step = StepOf<"externalService">;

/** What a request to an external service came to. */
export interface Served {
  /** Null: all went well. Else why its answer cannot be used. */
  problem: string | null;
  /** The HTTP status, empty where there was none, and what was extracted. */
  variables: Record<string, string>;
  exchange: Exchange;
}

/**
 * Asks an external service as the step says (spec, "Designer external-service request element"). An
 * HTTP error code is a problem; so are no answer in time, one that is too long, and one that is no
 * JSON where something is to be extracted.
 */
export async function askService(
  step: Step,
  variables: Variables,
  { signal, ports }: { signal: AbortSignal; ports: Pick<Ports, "fetch"> },
): Promise<Served> {
  const { method = "GET" } = step;
  const target = expandUrl(step.url, variables);
  if (target === null || target.href.length > limits.urlLength) {
    const url = expand(step.url, variables).slice(0, limits.urlLength);
    const exchange = unanswered({ url, method, params: {} });
    return { problem: "it is no http or https address", variables: statusOf(""), exchange };
  }
  const { request, params, secrets } = requestOf(step, target, variables, signal);
  const url = masked(request.url, secrets);
  const shown = Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, masked(value, secrets)]),
  );
  const exchange = unanswered({ url, method, params: shown });
  try {
    const response = await ports.fetch(request);
    const { text, isWhole } = await readText(response, limits.documentBytes);
    const responseHeaders = masked(headerLines(response), secrets);
    const answered = { ...exchange, responseHeaders, responseBody: masked(text, secrets) };
    return { ...valuesIn(response, { text, isWhole }, step), exchange: answered };
  } catch (error) {
    if (signal.aborted) throw error;
    const problem = reasonOf(error, secrets);
    return { problem, variables: statusOf(""), exchange };
  }
}

const statusOf = (status: string) => ({ ServiceStatus: status });

function requestOf(step: Step, url: URL, variables: Variables, signal: AbortSignal) {
  const { method = "GET", contentType = "form", population = "auto", parameters = [] } = step;
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(limits.documentTimeoutMs)]);
  const headers = new Headers({ accept: "application/json, */*;q=0.5" });
  const secrets = authorize(headers, step, url, variables);
  const pairs = parameters.map(({ name, value }): [string, string] => [
    name,
    expand(value, variables),
  ]);
  const init = { method, headers, signal: bounded };
  if (method === "GET") {
    for (const [name, value] of pairs) url.searchParams.append(name, value);
    return { request: new Request(url, init), params: {}, secrets };
  }
  if (contentType === "form" && population === "auto") {
    headers.set("content-type", "application/x-www-form-urlencoded; charset=utf-8");
    const body = new URLSearchParams(pairs).toString();
    return {
      request: new Request(url, { ...init, body }),
      params: Object.fromEntries(pairs),
      secrets,
    };
  }
  const isJson = contentType === "json";
  headers.set(
    "content-type",
    isJson ? "application/json" : "application/x-www-form-urlencoded; charset=utf-8",
  );
  const body = expand(step.body ?? "", variables, isJson ? undefined : encodeURIComponent);
  return { request: new Request(url, { ...init, body }), params: { Body: body }, secrets };
}

/** Adds the step's credentials, or those in the URL, which leave it; what must never be shown. */
function authorize(
  headers: Headers,
  { username, password }: Step,
  url: URL,
  variables: Variables,
): string[] {
  const [user, secret] = username === undefined
    ? [decoded(url.username), decoded(url.password)]
    : [expand(username, variables), expand(password ?? "", variables)];
  url.username = url.password = "";
  if (user === "") return [];
  const login = new TextEncoder().encode(`${user}:${secret}`).toBase64();
  headers.set("authorization", `Basic ${login}`);
  return [secret, login];
}

/** Without its escapes; one that is none stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function valuesIn(
  { status, ok }: Response,
  { text, isWhole }: { text: string; isWhole: boolean },
  { extract = {} }: Step,
): Pick<Served, "problem" | "variables"> {
  const variables: Record<string, string> = statusOf(String(status));
  if (!ok) return { problem: `it answered ${status}`, variables };
  if (!isWhole) {
    return { problem: `its answer is over ${limits.documentBytes >> 10} KiB`, variables };
  }
  const places = Object.entries(extract);
  const json = places.some(([, place]) => place !== "") ? jsonOf(text) : undefined;
  if (json === null) return { problem: "its answer is no JSON", variables };
  for (const [name, place] of places) {
    // `json` was read for the first place that is not empty.
    const value = place === "" ? text : textAt(json!.value, place);
    variables[name] = value.slice(0, limits.flowVariableLength);
  }
  return { problem: null, variables };
}

function jsonOf(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** What is at a place such as `user.names.0`, as text; empty where nothing is. */
function textAt(json: unknown, place: string): string {
  const found = place.split(".").reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string, unknown>)[key]
        : undefined,
    json,
  );
  if (found === undefined || found === null) return "";
  return typeof found === "object" ? JSON.stringify(found) : String(found);
}
