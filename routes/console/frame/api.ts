import { limits } from "../../../core/base/limits.ts";
import { createTurns } from "../../../core/base/turns.ts";
import { linesType } from "../../http/list_frame.ts";
import { ownRequests } from "../../http/own_requests.ts";
import { accountAddress, accountsAddress } from "../../http/represent.ts";

/** Sends a request to the interface within the process. */
export type Ask = (request: Request) => Response | Promise<Response>;

/** A record as the interface shows it in JSON. */
export interface Row {
  readonly sid: string;
  readonly [field: string]: unknown;
}

/** One page of a list. */
export interface Rows {
  items: Row[];
  /** Null where the list does not count. */
  total: number | null;
  /** The query of the next page and of the one before, null where there is none. */
  next: URLSearchParams | null;
  previous: URLSearchParams | null;
}

/** The interface refused: its status, code and message. */
export class ApiRefusal extends Error {
  override readonly name = "ApiRefusal";
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    readonly retryAfter: string | null,
  ) {
    super(message);
  }
}

/**
 * The interface below one account, with the rights of one caller. Paths are relative to the account;
 * those that begin with a slash, to the list of accounts.
 * Every function throws ApiRefusal where the interface refuses.
 */
export interface Api {
  read(path: string, query?: URLSearchParams): Promise<Row>;
  /** Null where there is no such record. */
  find(path: string, query?: URLSearchParams): Promise<Row | null>;
  list(path: string, query?: URLSearchParams | Record<string, string>): Promise<Rows>;
  /** A change. Null where the interface answers without a body. */
  send(method: "POST" | "DELETE", path: string, form?: URLSearchParams): Promise<Row | null>;
  /** Reads by the interface for Twilio's libraries, which alone shows queues. */
  face(path: string): Promise<Record<string, unknown>>;
  /** The response as it is, whatever its status. */
  raw(path: string, headers?: HeadersInit): Promise<Response>;
}

export interface ApiOptions {
  ask: Ask;
  baseUrl: string;
  caller: { sid: string; authToken: string };
  accountSid: string;
  requestId: string;
}

/** Asks the interface as the caller's own programs would, so that the console has no other rights. */
export function apiOf(options: ApiOptions): Api {
  const request = requester(options);
  const json = async (path: string, init?: RequestInit) => readJson(await request(path, init));

  const api: Api = {
    async read(path, query) {
      return (await json(withQuery(path, query))).body as Row; // A record of the interface.
    },
    async find(path, query) {
      try {
        return await api.read(path, query);
      } catch (error) {
        if (error instanceof ApiRefusal && error.status === 404) return null;
        throw error;
      }
    },
    async list(path, query = {}) {
      const { body, from } = await json(withQuery(path, new URLSearchParams(query)));
      return rowsOf(body, from);
    },
    async send(method, path, form) {
      const init = { method, ...form && { body: form } };
      return (await json(path, init)).body as Row | null; // A record, or nothing after a removal.
    },
    async face(path) {
      const { body } = await json(`${facePath}${path}`);
      return body as Record<string, unknown>; // An object of the interface.
    },
    raw: (path, headers = {}) => request(path, { headers }),
  };
  return api;
}

/** Marks a path of the interface for Twilio's libraries. */
const facePath = "face:";

/** Sends requests within the process, with the credentials of the caller. */
function requester({ ask, baseUrl, caller, accountSid, requestId }: ApiOptions) {
  const credentials = new TextEncoder().encode(`${caller.sid}:${caller.authToken}`).toBase64();
  const headers = {
    Authorization: `Basic ${credentials}`,
    Accept: "application/json",
    "User-Agent": "Switchboard console",
    "X-Request-Id": requestId,
  };
  const { origin } = new URL(baseUrl);
  const below = origin + accountAddress(accountSid);
  const addressOf = (path: string) => {
    if (path.startsWith(facePath)) {
      const ofFace = `${origin}/${limits.twilioApiVersion}/Accounts/${accountSid}`;
      return `${ofFace}/${path.slice(facePath.length).replace(/(?=\?|$)/, ".json")}`;
    }
    if (path.startsWith("/")) return (origin + accountsAddress + path).replace(/\/(?=$|\?)/, "");
    return path === "" ? below : `${below}/${path}`;
  };
  return async (path: string, init: RequestInit = {}): Promise<Response> => {
    const all = { ...headers, ...Object.fromEntries(new Headers(init.headers)) };
    const request = new Request(addressOf(path), { ...init, headers: all });
    ownRequests.add(request);
    return await ask(request);
  };
}

async function readJson(response: Response): Promise<{ body: unknown; from: Headers }> {
  const isList = response.headers.get("Content-Type") === linesType;
  if (isList) return { body: await readLines(response), from: response.headers };
  const text = await response.text();
  const body = text === "" ? null : JSON.parse(text);
  if (response.ok) return { body, from: response.headers };
  throw new ApiRefusal(
    response.status,
    Number(body?.code ?? 0),
    String(body?.message ?? "Cannot complete the request"),
    response.headers.get("Retry-After"),
  );
}

/** Reads a list that has a line for each record, record by record: a long list is long work. */
async function readLines({ body }: Response): Promise<unknown> {
  const [items, edges]: [Row[], string[]] = [[], []];
  const turn = createTurns();
  let rest = "";
  const take = (line: string) => {
    const isEdge = edges.length === 0 || /^]/.test(line);
    if (isEdge) edges.push(line);
    else if (line !== "") items.push(JSON.parse(line.replace(/,$/, "")));
  };
  for await (const piece of body!.pipeThrough(new TextDecoderStream())) { // A list is never empty.
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      take(line);
      await turn();
    }
  }
  take(rest);
  const envelope = JSON.parse(edges.join(""));
  if (Array.isArray(envelope)) return items;
  const [key = ""] = Object.entries(envelope).find(([, value]) => Array.isArray(value)) ?? [];
  return { ...envelope, [key]: items };
}

const withQuery = (path: string, query?: URLSearchParams): string =>
  query === undefined || query.size === 0 ? path : `${path}?${query}`;

/** A list in its envelope, or a plain one with the header Link. */
function rowsOf(body: unknown, headers: Headers): Rows {
  if (Array.isArray(body)) {
    const links = headers.get("Link") ?? "";
    const link = (rel: string) => queryOf(new RegExp(`<([^<>]*)>; rel="${rel}"`).exec(links)?.[1]);
    const total = headers.get("X-Total-Count");
    return {
      items: body,
      total: total === null ? null : Number(total),
      next: link("next"),
      previous: link("prev"),
    };
  }
  // The envelope of a list: numbers and addresses of pages, and the records under the list's name.
  const envelope = body as Record<string, unknown>;
  const items = Object.values(envelope).find(Array.isArray) ?? [];
  return {
    items,
    total: Number(envelope.total),
    next: queryOf(envelope.next_page_uri),
    previous: queryOf(envelope.previous_page_uri),
  };
}

function queryOf(uri: unknown): URLSearchParams | null {
  if (typeof uri !== "string" || !uri.includes("?")) return null;
  return new URLSearchParams(uri.slice(uri.indexOf("?") + 1));
}
