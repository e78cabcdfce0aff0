import assert from "node:assert/strict";
import { readEvents, type SentEvent } from "../../../core/webhooks/read_events.ts";
import type { ApiClient } from "./api_client.ts";
import type { App } from "./app.ts";

/** An open event stream of an account. */
export interface EventReader {
  /** The next event; fails when the stream ends instead. */
  next(): Promise<SentEvent>;
  /** The data of the next event that is no event about the stream. */
  data(): Promise<ReturnType<typeof JSON.parse>>;
  /** Resolves with true when the stream has ended. */
  isOver(): Promise<boolean>;
  close(): Promise<void>;
}

/** Requests the events of an account, as a program with its credentials does. */
export async function askEvents(
  app: App,
  { sid, token }: ApiClient,
  { query = "", account = sid, lastEventId }: {
    query?: string;
    account?: string;
    lastEventId?: string;
  } = {},
): Promise<Response> {
  return await app.http.request(`/2012-04-24/Accounts/${account}/Events${query}`, {
    headers: {
      Authorization: `Basic ${btoa(`${sid}:${token}`)}`,
      ...lastEventId !== undefined && { "Last-Event-ID": lastEventId },
    },
  });
}

/** Opens a stream, and waits until what follows happens from then on. */
export async function openEvents(...asked: Parameters<typeof askEvents>): Promise<EventReader> {
  const reader = readerOf(await askEvents(...asked));
  while ((await reader.next()).name !== "open");
  return reader;
}

/** Reads the events of a response. */
export function readerOf(response: Response): EventReader {
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("Content-Type"), "text/event-stream; charset=utf-8");
  assert.ok(response.body);
  const events = readEvents(response.body as ReadableStream<Uint8Array<ArrayBuffer>>);
  const reader: EventReader = {
    async next() {
      const { done, value } = await events.next();
      assert.ok(!done, "the stream has ended");
      return value;
    },
    async data() {
      const { name, id, data } = await reader.next();
      assert.equal(name, "message", data);
      const shown = JSON.parse(data);
      assert.equal(shown.id, id);
      return shown;
    },
    isOver: async () => (await events.next()).done === true,
    close: async () => void await events.return(undefined),
  };
  return reader;
}
