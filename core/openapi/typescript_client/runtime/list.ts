import type { Send } from "./send.ts";

/** One page of a list. */
export interface Page<T> {
  items: T[];
  /** Reads the page after it; undefined on the last one. */
  next?: () => Promise<Page<T>>;
}

/** A list: `for await` reads its records page by page. Nothing is requested before that. */
export interface List<T> extends AsyncIterable<T> {
  /** Reads the first page. */
  page(): Promise<Page<T>>;
}

/** The list at a path. */
export function list<T>(send: Send, path: string, query: object = {}): List<T> {
  const read = async (query: object): Promise<Page<T>> => {
    const response = await send({ method: "GET", path, query, isIdempotent: true });
    const body = await response.json();
    const items: T[] = Array.isArray(body) ? body : Object.values(body).find(Array.isArray) ?? [];
    const next = Array.isArray(body) ? linkIn(response.headers.get("link")) : body.next_page_uri;
    if (!next || next === "null") return { items };
    // Only the query is used: a proxy may have moved the path, and credentials go nowhere else.
    const { searchParams } = new URL(next, "http://service");
    return { items, next: () => read(Object.fromEntries(searchParams)) };
  };
  return {
    page: () => read(query),
    async *[Symbol.asyncIterator]() {
      for (let page: Page<T> | undefined = await read(query); page; page = await page.next?.()) {
        yield* page.items;
      }
    },
  };
}

/** The address of the next page in a Link header (RFC 8288). */
const linkIn = (header: string | null): string | undefined =>
  /<([^<>]*)>; rel="next"/.exec(header ?? "")?.[1];
