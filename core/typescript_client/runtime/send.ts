/** Where the service is, as which account to act, and how patient to be. */
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
  /** A second request changes nothing more, so that it is sent again when the response is lost. */
  isIdempotent: boolean;
}

/**
 * Sends a request, and again where that is safe. Rejects with an ApiError for a 4xx or 5xx
 * response.
 */
export type Send = (wanted: Wanted) => Promise<Response>;

/** An error response. `code` is null where a proxy answered in place of the service. */
export class ApiError<Code extends number = number> extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: Code | null;
  /** URL of the page about the code. */
  readonly moreInfo: string | null;

  constructor(status: number, body: { code?: Code; message?: string; more_info?: string }) {
    super(body.message ?? `Cannot use the response: its status is ${status}`);
    this.status = status;
    this.code = body.code ?? null;
    this.moreInfo = body.more_info ?? null;
  }
}

/** A sender for an account. */
export function sender(options: Options): Send {
  const { baseUrl, accountSid, authToken, timeoutMs = 30_000, attempts = 4 } = options;
  const credentials = new TextEncoder().encode(`${accountSid}:${authToken}`);
  const authorization = `Basic ${btoa(String.fromCharCode(...credentials))}`;
  const once = ({ method, path, query = {}, body }: Wanted) => {
    const url = new URL(baseUrl.replace(/\/+$/, "") + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.append(name, String(value));
    }
    return fetch(url, {
      method,
      headers: { authorization, ...body && { "content-type": "application/json" } },
      ...body && { body: JSON.stringify(body) },
      signal: AbortSignal.timeout(timeoutMs),
    });
  };
  return async (wanted) => {
    let isUncertain = false; // Whether an earlier attempt may have been performed.
    for (let attempt = 1;; attempt++) {
      const isLast = attempt >= attempts;
      const response = await once(wanted).catch((error) => {
        if (isLast || !wanted.isIdempotent) throw error;
        return null;
      });
      if (response?.ok) return response;
      if (response?.status === 404 && wanted.method === "DELETE" && isUncertain) return response;
      // The rate limit refuses a request before anything is done.
      const isRefused = response?.status === 429;
      const isLost = response === null || response.status >= 500;
      if (isLast || !isRefused && !(isLost && wanted.isIdempotent)) throw await errorOf(response!);
      isUncertain ||= isLost;
      const wait = waitMs(attempt, response?.headers.get("retry-after"));
      await response?.body?.cancel();
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  };
}

/** What Retry-After asks for, up to a minute; else back-off with jitter. */
function waitMs(attempt: number, retryAfter: string | null | undefined): number {
  const seconds = Number(retryAfter || NaN);
  if (seconds >= 0) return Math.min(seconds, 60) * 1000;
  return 250 * 2 ** attempt * (0.5 + Math.random() / 2);
}

async function errorOf(response: Response): Promise<ApiError> {
  const body = await response.json().catch(() => ({}));
  return new ApiError(response.status, body);
}
