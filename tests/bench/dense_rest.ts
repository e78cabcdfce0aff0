import { dice } from "../support/service/store_lab.ts";
import type { Server } from "./http_load.ts";

/**
 * A list that was filled within a minute, by HTTP: every page of 50 by number, each asked for once in a
 * random order, in turn with a page that continues by AfterSid elsewhere; then pages by number from
 * some clients at once for a while, beside 50 creates of calls a second.
 */

const creates = {
  perSecond: 50,
  form: { From: "bench", To: "client:nobody", Url: "http://127.0.0.1/" },
};
const clientsBeside = 4;
/** A create counts as made that is answered so soon after it was due. */
const lateMs = 1_000;
/** How long pages are asked for beside creates: what is read again and again stays in memory. */
const besideMs = 15_000;

export interface DenseList {
  server: Server;
  /** Of the account. */
  path: string;
  headers: Record<string, string>;
  total: number;
  /** Oldest first. */
  sids: string[];
}

const roll = dice(9);

/** All numbers below `end` in a random order. */
function shuffled(end: number): number[] {
  const all = Array.from({ length: end }, (_, at) => at);
  for (let at = end - 1; at > 0; at--) {
    const other = roll(at + 1);
    [all[at], all[other]] = [all[other]!, all[at]!];
  }
  return all;
}

const median = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? NaN;

/** Rows of figures, by name. */
export async function denseRest(dense: DenseList): Promise<[name: string, figure: string][]> {
  const { server, path, headers, total, sids } = dense;
  const timeOf = async (query: string) => {
    const startedAt = performance.now();
    const response = await fetch(`${server.url}${path}/Calls.json?${query}`, { headers });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`Cannot read a page: ${response.status}`);
    return performance.now() - startedAt;
  };
  await timeOf("PageSize=1"); // The connection and the account.
  const pages = shuffled(Math.floor(total / 50));
  const [byNumber, byCursor]: [number[], number[]] = [[], []];
  for (let at = 0; at + 1 < pages.length; at += 2) {
    byNumber.push(await timeOf(`Page=${pages[at]}`));
    const after = sids[sids.length - 1 - pages[at + 1]! * 50]!;
    byCursor.push(await timeOf(`AfterSid=${after}`));
  }
  const beside = await besideCreates(dense, (page) => timeOf(`Page=${page}`));
  const ratio = median(byNumber) / median(byCursor);
  return [
    ["page by number, cold, median", `${median(byNumber).toFixed(2)} ms`],
    ["page by AfterSid, cold, median", `${median(byCursor).toFixed(2)} ms`],
    ["ratio", ratio.toFixed(2)],
    ...beside,
  ];
}

/** All pages, again and again, by some clients at once, beside creates at an even rate. */
async function besideCreates(
  { server, path, headers, total }: DenseList,
  timeOf: (page: number) => Promise<number>,
): Promise<[string, string][]> {
  const { perSecond, form } = creates;
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  const [sent, times]: [Promise<number>[], number[]] = [[], []];
  let peak = 0;
  /** Resolves with the time in ms from when it was due to its answer. */
  const create = async () => {
    const dueAt = startedAt + sent.length * 1_000 / perSecond;
    const body = new URLSearchParams(form);
    const response = await fetch(`${server.url}${path}/Calls.json`, {
      method: "POST",
      headers,
      body,
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`Cannot create beside: ${response.status}`);
    return performance.now() - dueAt;
  };
  const timer = setInterval(() => {
    while (sent.length < seconds() * perSecond) sent.push(create());
    peak = Math.max(peak, server.memory());
  }, 1000 / perSecond);
  let pages: number[] = [];
  await Promise.all(Array.from({ length: clientsBeside }, async () => {
    while (seconds() * 1000 < besideMs) {
      if (pages.length === 0) pages = shuffled(Math.floor(total / 50));
      times.push(await timeOf(pages.pop()!)); // There is one.
    }
  }));
  clearInterval(timer);
  const tookS = seconds();
  const waits = await Promise.all(sent);
  const punctual = waits.filter((wait) => wait <= lateMs).length;
  return [
    ["pages a second beside creates", (times.length / tookS).toFixed(0)],
    ["page beside creates, median", `${median(times).toFixed(1)} ms`],
    ["creates made within a second", `${(100 * punctual / waits.length).toFixed(1)} %`],
    ["create beside pages, median", `${median(waits).toFixed(1)} ms`],
    ["create beside pages, most", `${Math.max(...waits).toFixed(0)} ms`],
    ["memory of the service, most", `${(peak / 1e6).toFixed(0)} MB`],
  ];
}
