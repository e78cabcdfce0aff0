/** Address of the service, credentials, and patience of a client. */
export interface Options {
  baseUrl: string;
  /** Sid or e-mail address of the account, and its AuthToken: the credentials. */
  accountSid: string;
  authToken: string;
  /** Sid of the account below it that the operations are about; the account itself by default. */
  subAccountSid?: string;
  /** For one attempt; 30,000 by default. */
  timeoutMs?: number;
  /** Attempts of a request, the first included; 4 by default. */
  attempts?: number;
}

/** One request of an operation. */
export interface Wanted {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  query?: object | undefined;
  body?: object;
  /** Sent as Idempotency-Key: requests with the same key make one record. */
  idempotencyKey?: string;
  /** A second request changes nothing more, so that it is sent again when the response is lost. */
  isIdempotent: boolean;
}

/**
 * Sends a request, and again where that is safe. Rejects with an ApiError for a 4xx or 5xx
 * response.
 */
export type Send = (wanted: Wanted) => Promise<Response>;

/** An error response to a request. `code` is null where a proxy answered in place of the service. */
export class ApiError<Code extends number = number> extends Error {
  override readonly name = "ApiError";
  readonly code: Code | null;
  /** URL of the page about the code. */
  readonly moreInfo: string | null;

  constructor(
    readonly method: string,
    /** With the query; `message` has it without, as numbers and texts may be in it. */
    readonly url: string,
    readonly status: number,
    body: { code?: Code; message?: string; more_info?: string } | null,
  ) {
    super(`${body?.message ?? `The response is ${status}`} (${named(method, url)})`);
    this.code = body?.code ?? null;
    this.moreInfo = body?.more_info ?? null;
  }
}

const named = (method: string, url: string): string => `${method} ${url.split("?", 1)[0]}`;

/** A sender for an account. Throws a TypeError that names the option that is missing. */
export function sender(options: Options): Send {
  const { baseUrl, accountSid, authToken, timeoutMs = 30_000, attempts = 4 } = options;
  for (const [name, value] of Object.entries({ baseUrl, accountSid, authToken })) {
    if (!value?.trim()) throw new TypeError(`Cannot connect: ${name} is empty`);
  }
  const credentials = new TextEncoder().encode(`${accountSid}:${authToken}`);
  const authorization = `Basic ${btoa(String.fromCharCode(...credentials))}`;
  return async ({ method, path, query = {}, body, idempotencyKey, isIdempotent }) => {
    const target = new URL(baseUrl.replace(/(?<!\/)\/+$/, "") + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) target.searchParams.append(name, String(value));
    }
    const url = target.href;
    const headers = {
      authorization,
      ...body && { "content-type": "application/json" },
      ...idempotencyKey && { "idempotency-key": idempotencyKey },
    };
    const init = { method, headers, ...body && { body: JSON.stringify(body) } };
    let isUncertain = false; // An earlier attempt may have been performed.
    for (let attempt = 1;; attempt++) {
      const isLast = attempt >= attempts;
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await fetch(url, { ...init, signal }).catch((cause) => {
        if (!isLast && isIdempotent) return null;
        throw new Error(`${cause.message} (${named(method, url)})`, { cause });
      });
      if (response?.ok) return response;
      if (response?.status === 404 && method === "DELETE" && isUncertain) return response;
      const isLost = response === null || response.status >= 500;
      // The rate limit (429) refuses a request before anything is done.
      if (isLast || response?.status !== 429 && !(isLost && isIdempotent)) {
        // Without a response the last attempt has thrown.
        throw new ApiError(method, url, response!.status, await response!.json().catch(() => null));
      }
      isUncertain ||= isLost;
      await response?.body?.cancel();
      const wait = waitMs(attempt, response?.headers.get("retry-after"));
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  };
}

/** Delay of Retry-After, up to a minute; else back-off with jitter. */
function waitMs(attempt: number, retryAfter: string | null | undefined): number {
  const seconds = Number(retryAfter || NaN);
  if (seconds >= 0) return Math.min(seconds, 60) * 1000;
  return 250 * 2 ** attempt * (0.5 + Math.random() / 2);
}
