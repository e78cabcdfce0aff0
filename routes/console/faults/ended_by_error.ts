import type { Api, Row } from "../frame/api.ts";

/**
 * Most time between an error and the end of the call that it ended, in ms; dates have whole
 * seconds.
 */
const atOnceMs = 1_500;

/** Notifications that are read at once for all calls, and for one call. */
const [most, mostOfCall] = [100, "20"];

const ms = (date: unknown): number => Date.parse(String(date));

/** True for an answered call that ended with an error. */
export const isEndedBy = (call: Row, { log, message_date }: Row): boolean =>
  call.status === "completed" && log === 0 &&
  Math.abs(ms(call.end_time) - ms(message_date)) < atOnceMs;

/**
 * Calls of a list, with the Notification of the error that ended each as `ended_by`. The
 * Notifications of the time in which the calls ended are read at once. Where those are more than one
 * page, the Notifications of each call are read.
 */
export async function withErrors(api: Api, calls: Row[]): Promise<Row[]> {
  const ends = calls.filter(({ status }) => status === "completed")
    .map(({ end_time }) => ms(end_time)).filter(Number.isFinite);
  if (ends.length === 0) return calls;
  const { items, total } = await api.list("Notifications", {
    "StartTime>": new Date(Math.min(...ends) - atOnceMs).toISOString(),
    "EndTime<": new Date(Math.max(...ends) + atOnceMs).toISOString(),
    PageSize: String(most),
  });
  const isWhole = (total ?? 0) <= items.length;
  return await Promise.all(calls.map(async (call) => {
    const own = isWhole || call.status !== "completed"
      ? items.filter(({ call_sid }) => call_sid === call.sid)
      : (await api.list(`Calls/${call.sid}/Notifications`, { PageSize: mostOfCall })).items;
    const error = own.find((one) => isEndedBy(call, one));
    return error === undefined ? call : { ...call, ended_by: error };
  }));
}
