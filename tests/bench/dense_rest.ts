import { dice, shuffled } from "../support/service/store_lab.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem } from "../support/process/system.ts";
import { memoryOf, type Server } from "./http_load.ts";

/**
 * A list that was filled within a minute, by HTTP. Every page of 50 by number is requested once in
 * a random order, in turn with a page that continues by AfterSid elsewhere. V8 compiles the code of
 * a page during the first half of them, as the service was just started. So each half has a median,
 * beside that of all pages. Then some clients request pages by number for a while, beside 50
 * creates of calls a second. The latter also of a list whose calls the service has taken itself: it
 * then has them in memory, and has placed and ended them.
 */

const creates = {
  perSecond: 50,
  form: { From: "bench", To: "client:nobody", Url: "http://127.0.0.1/" },
};
const clientsBeside = 4;
const clientsPosting = 64;
/** A create counts as made that is answered so soon after it was due. */
const lateMs = 1_000;
/**
 * Duration of requests for pages beside creates: entries that are read repeatedly stay in memory.
 */
const besideMs = 15_000;

export interface DenseList {
  server: Pick<Server, "url" | "memory">;
  /** Of the account. */
  path: string;
  headers: Record<string, string>;
  total: number;
  /** Oldest first. */
  sids: string[];
}

/** The same without its Sids. */
type Posted = Omit<DenseList, "sids">;

const roll = dice(9);

/** The numbers of all pages in a random order. */
const shuffledPages = (total: number): number[] =>
  shuffled(Array(Math.floor(total / 50)).keys(), roll);

const median = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? NaN;

/** Rows of figures, by name. */
export async function denseRest(dense: DenseList): Promise<[name: string, figure: string][]> {
  const { total, sids } = dense;
  const timeOf = (query: string) => pageTime(dense, query);
  await timeOf("PageSize=1"); // The connection and the account.
  const pages = shuffledPages(total);
  const [byNumber, byCursor]: [number[], number[]] = [[], []];
  for (let at = 0; at + 1 < pages.length; at += 2) {
    byNumber.push(await timeOf(`Page=${pages[at]}`));
    const after = sids[sids.length - 1 - pages[at + 1]! * 50]!;
    byCursor.push(await timeOf(`AfterSid=${after}`));
  }
  const half = byNumber.length >> 1;
  return [
    ...coldPages("all", byNumber, byCursor),
    ...coldPages("first half", byNumber.slice(0, half), byCursor.slice(0, half)),
    ...coldPages("second half", byNumber.slice(half), byCursor.slice(half)),
    ...await besideCreates(dense),
  ];
}

function coldPages(part: string, byNumber: number[], byCursor: number[]): [string, string][] {
  const [number, cursor] = [median(byNumber), median(byCursor)];
  return [
    [`page by number, cold, ${part}, median`, `${number.toFixed(2)} ms`],
    [`page by AfterSid, cold, ${part}, median`, `${cursor.toFixed(2)} ms`],
    ["ratio", (number / cursor).toFixed(2)],
  ];
}

/** Duration of a page, in ms. */
async function pageTime({ server, path, headers }: Posted, query: string): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`${server.url}${path}/Calls.json?${query}`, { headers });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`Cannot read a page: ${response.status}`);
  return performance.now() - startedAt;
}

/** Creates a call to a Client that does not exist; it ends as `failed`. */
async function createCall({ server, path, headers }: Posted): Promise<void> {
  const body = new URLSearchParams(creates.form);
  const url = `${server.url}${path}/Calls.json`;
  const response = await fetch(url, { method: "POST", headers, body });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`Cannot create a call: ${response.status}`);
}

/** Rows of figures of a system that takes `total` POSTs of calls itself, from many clients at once. */
export async function postedRest(total: number): Promise<[name: string, figure: string][]> {
  const unlimited = { REQUESTS_PER_SECOND: "0", READS_PER_SECOND: "0", WRITES_PER_SECOND: "0" };
  await using system = await startSystem({ env: unlimited });
  const [pid] = system.pids("main.ts"); // It has started.
  const memory = () => memoryOf(pid!);
  const { accountSid, authToken } = system;
  const posted: Posted = {
    server: { url: system.baseUrl, memory },
    path: `/2012-04-24/Accounts/${accountSid}`,
    headers: { Authorization: `Basic ${btoa(`${accountSid}:${authToken}`)}` },
    total,
  };
  let left = total;
  await Promise.all(Array.from({ length: clientsPosting }, async () => {
    while (left-- > 0) await createCall(posted);
  }));
  await eventually("no call is queued", async () => {
    const { total: queued } = await system.get("Calls.json?Status=queued&PageSize=1");
    return queued === 0;
  }, 600_000);
  return [
    ["memory of the service after them", `${(memory() / 1e6).toFixed(0)} MB`],
    ...await besideCreates(posted),
  ];
}

/** All pages, again and again, by some clients at once, beside creates at an even rate. */
async function besideCreates(list: Posted): Promise<[string, string][]> {
  const { perSecond } = creates;
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  const [sent, times]: [Promise<number>[], number[]] = [[], []];
  let peak = 0;
  /** Resolves with the time in ms from when it was due to its answer. */
  const create = async () => {
    const dueAt = startedAt + sent.length * 1_000 / perSecond;
    await createCall(list);
    return performance.now() - dueAt;
  };
  const timer = setInterval(() => {
    while (sent.length < seconds() * perSecond) sent.push(create());
    peak = Math.max(peak, list.server.memory());
  }, 1000 / perSecond);
  let pages: number[] = [];
  await Promise.all(Array.from({ length: clientsBeside }, async () => {
    while (seconds() * 1000 < besideMs) {
      if (pages.length === 0) pages = shuffledPages(list.total);
      times.push(await pageTime(list, `Page=${pages.pop()}`));
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
