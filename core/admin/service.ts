import { limits } from "../base/limits.ts";
import { plainReason } from "../base/plain_reason.ts";

/** Address of the service, and credentials of the requests. */
export interface Connection {
  /** Without a slash at the end. */
  url: string;
  accountSid: string;
  /** The Sid of the account or of an API key, and the AuthToken or the secret. */
  user: string;
  authToken: string;
}

/** A record of the interface, in JSON. */
export type Json = Record<string, unknown>;

/** The REST interface, as an account. Each request throws an Error that names what to do. */
export interface Service extends Connection {
  /** `path` is below the account, as `Calls.json`. */
  get<T = Json>(path: string, accountSid?: string): Promise<T>;
  /** Removes what is below an account. */
  remove(path: string, accountSid?: string): Promise<void>;
  post<T = Json>(path: string, form: Record<string, string>, accountSid?: string): Promise<T>;
  /** Accounts themselves: `path` is after `/Accounts`. */
  accounts<T = Json>(path: string, form?: Record<string, string>): Promise<T>;
  /** Every record of a list, page by page. */
  list(path: string, accountSid?: string): Promise<Json[]>;
}

/** Time limit of a request, in ms. */
const requestMs = 15_000;

/** The most records of a page that the interface gives. */
const pageSize = 1_000;

export function createService(connection: Connection): Service {
  const { url, accountSid: own } = connection;
  const base = `${url}/${limits.apiVersion}/Accounts`;
  const below = (accountSid: string, path: string) => `${base}/${accountSid}/${path}`;
  const read = async <T>(address: string, form?: Record<string, string>): Promise<T> => {
    const init = form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) };
    const response = await send(connection, address, init);
    return await response.json();
  };

  async function list(first: string): Promise<Json[]> {
    const all: Json[] = [];
    let next: string | undefined = `${first}?PageSize=${pageSize}`;
    while (next !== undefined) {
      const response: Response = await send(connection, next);
      const page = await response.json();
      all.push(...(Array.isArray(page) ? page : []));
      const link = /<([^<>]+)>;\s*rel="?next"?/.exec(response.headers.get("Link") ?? "")?.[1];
      // Of the configured address: BASE_URL may not be reachable from here.
      next = link && `${url}${/\/\d{4}-\d\d-\d\d\/.*$/.exec(link)?.[0] ?? link}`;
    }
    return all;
  }

  return {
    ...connection,
    get: (path, accountSid = own) => read(below(accountSid, path)),
    async remove(path, accountSid = own) {
      await send(connection, below(accountSid, path), { method: "DELETE" });
    },
    post: (path, form, accountSid = own) => read(below(accountSid, path), form),
    accounts: (path, form) => read(base + path, form),
    list: (path, accountSid = own) => list(path === "" ? `${base}.json` : below(accountSid, path)),
  };
}

/** Sends a request. Throws unless the answer is a success. */
async function send(
  { url, user, authToken }: Connection,
  address: string,
  init: RequestInit = {},
): Promise<Response> {
  const headers = { authorization: `Basic ${btoa(`${user}:${authToken}`)}` };
  let response: Response;
  try {
    const signal = AbortSignal.timeout(requestMs);
    response = await fetch(address, { ...init, headers, signal, redirect: "error" });
  } catch (error) {
    throw new Error(
      `Cannot reach the service at ${url}: ${plainReason(error)}. ` +
        "Start it, or set SWITCHBOARD_URL to its address",
      { cause: error },
    );
  }
  if (response.ok) return response;
  const message = await messageOf(response);
  if (response.status === 401) {
    throw new Error(
      `${url} refused the credentials: set ACCOUNT_SID and AUTH_TOKEN to those of the root account`,
    );
  }
  throw new Error(`${url} answered ${response.status}: ${message}`);
}

async function messageOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    return String(JSON.parse(text).message);
  } catch {
    return `not in the form of Switchboard; is SWITCHBOARD_URL right?`;
  }
}
