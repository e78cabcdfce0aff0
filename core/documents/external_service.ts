import {
  type Exchange,
  headerLines,
  masked,
  reasonOf,
  textOf,
  unanswered,
} from "../base/exchange.ts";
import { hasMoreValues } from "../base/json_size.ts";
import { outside } from "../base/loop_work.ts";
import { limits } from "../base/limits.ts";
import { type Answer, isOk, type OutgoingRequest } from "../base/outgoing.ts";
import type { Ports } from "../model/ports/ports.ts";
import { expand, expandUrl, type Variables } from "../model/flows/expand.ts";
import type { StepOf } from "../model/flows/steps.ts";

type Step = StepOf<"externalService">;

/** Result of a request to an external service. */
export interface Served {
  /** Null on success; else the reason why the response cannot be used. */
  problem: string | null;
  /** The HTTP status, empty where there was none, and what was extracted. */
  variables: Record<string, string>;
  exchange: Exchange;
}

/**
 * Requests an external service for a step (spec, "Designer external-service request element"). An HTTP
 * error code is a problem; so are no response in time, one that is too long, and one that is no JSON where
 * a value is to be extracted.
 */
export async function askService(
  step: Step,
  variables: Variables,
  { signal, tenant, ports }: {
    signal: AbortSignal;
    /** The account right under the root. */
    tenant?: string;
    ports: Pick<Ports, "fetch">;
  },
): Promise<Served> {
  const { method = "GET" } = step;
  const target = expandUrl(step.url, variables);
  if (target === null || target.href.length > limits.urlLength) {
    const url = expand(step.url, variables).slice(0, limits.urlLength);
    const exchange = unanswered({ url, method, params: {} });
    return { problem: "it is no http or https address", variables: statusOf(""), exchange };
  }
  const { request, params, secrets } = requestOf(step, target, variables, signal);
  const url = masked(request.url.href, secrets);
  const shown = Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, masked(value, secrets)]),
  );
  const exchange = unanswered({ url, method, params: shown });
  try {
    const { answer, text, isWhole } = await outside(async () => {
      const answer = await ports.fetch(tenant === undefined ? request : { ...request, tenant });
      return { answer, ...await textOf(answer, limits.documentBytes) };
    });
    const responseHeaders = masked(headerLines(answer), secrets);
    const answered = { ...exchange, responseHeaders, responseBody: masked(text, secrets) };
    return { ...valuesIn(answer, { text, isWhole }, step), exchange: answered };
  } catch (error) {
    if (signal.aborted) throw error;
    const problem = reasonOf(error, secrets);
    return { problem, variables: statusOf(""), exchange };
  }
}

const statusOf = (status: string) => ({ ServiceStatus: status });

/** The request of a step; the parameters and the secrets in it, which must never be shown. */
function requestOf(
  step: Step,
  url: URL,
  variables: Variables,
  around: AbortSignal,
): { request: OutgoingRequest; params: Record<string, string>; secrets: string[] } {
  const { method = "GET", contentType = "form", population = "auto", parameters = [] } = step;
  const signal = AbortSignal.any([around, AbortSignal.timeout(limits.documentTimeoutMs)]);
  const { secrets, ...authorized } = authorization(step, url, variables);
  const headers = { accept: "application/json, */*;q=0.5", ...authorized.headers };
  const pairs = parameters.map(({ name, value }): [string, string] => [
    name,
    expand(value, variables),
  ]);
  if (method === "GET") {
    for (const [name, value] of pairs) url.searchParams.append(name, value);
    return { request: { url, method, headers, body: "", signal }, params: {}, secrets };
  }
  const isJson = contentType === "json";
  const typed = {
    ...headers,
    "content-type": isJson
      ? "application/json"
      : "application/x-www-form-urlencoded; charset=utf-8",
  };
  if (!isJson && population === "auto") {
    const body = new URLSearchParams(pairs).toString();
    const params = Object.fromEntries(pairs);
    return { request: { url, method, headers: typed, body, signal }, params, secrets };
  }
  const body = expand(step.body ?? "", variables, isJson ? undefined : encodeURIComponent);
  return {
    request: { url, method, headers: typed, body, signal },
    params: { Body: body },
    secrets,
  };
}

/** The header of the step's credentials, or of those in the URL, which leave it. */
function authorization(
  { username, password }: Step,
  url: URL,
  variables: Variables,
): { headers: Record<string, string>; secrets: string[] } {
  const [user, secret] = username === undefined
    ? [decoded(url.username), decoded(url.password)]
    : [expand(username, variables), expand(password ?? "", variables)];
  url.username = url.password = "";
  if (user === "") return { headers: {}, secrets: [] };
  const login = new TextEncoder().encode(`${user}:${secret}`).toBase64();
  return { headers: { authorization: `Basic ${login}` }, secrets: [secret, login] };
}

/** Decodes percent-encoding; an invalid text stays as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function valuesIn(
  answer: Answer,
  { text, isWhole }: { text: string; isWhole: boolean },
  { extract = {} }: Step,
): Pick<Served, "problem" | "variables"> {
  const { status } = answer;
  const variables: Record<string, string> = statusOf(String(status));
  if (!isOk(answer)) return { problem: `it answered ${status}`, variables };
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
    return hasMoreValues(text, limits.jsonValues) ? null : { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** The value at a path such as `user.names.0`, as text; empty without one. */
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
