import { z } from "zod";
import type { RecordingOrder } from "../bridge_recordings.ts";
import type { RecordingMemo } from "../recordings/memo.ts";
import { type CompileContext, methodAttribute, resolveUrl } from "./verb.ts";

/** Who is told that a recording is there. */
export const recordingCallback = {
  recordingStatusCallback: z.string().optional(),
  recordingStatusCallbackMethod: methodAttribute,
};

type Callback = { url: string; method: "GET" | "POST" };

/** A URL attribute with its method; undefined, with a note, where it is no address of the web. */
export function callbackOf(
  name: string,
  address: string | undefined,
  method: "GET" | "POST",
  context: CompileContext,
): Callback | undefined {
  if (address === undefined) return undefined;
  const url = resolveUrl(address, context);
  if (url !== null) return { url, method };
  context.skip(`${name} "${address}": it is no http or https address`);
  return undefined;
}

/** A recording to be made for the call, with what is to happen when it is there. */
export function recordingOrder(
  attributes: {
    recordingStatusCallback?: string | undefined;
    recordingStatusCallbackMethod: "GET" | "POST";
  },
  memo: RecordingMemo,
  context: CompileContext,
): RecordingOrder {
  const { recordingStatusCallback: address, recordingStatusCallbackMethod: method } = attributes;
  const statusCallback = callbackOf("recordingStatusCallback", address, method, context);
  const all: RecordingMemo = { ...memo, ...statusCallback && { statusCallback } };
  return {
    sid: context.newSid("RE"),
    accountSid: context.call.accountSid,
    ...Object.keys(all).length > 0 && { memo: all },
  };
}
