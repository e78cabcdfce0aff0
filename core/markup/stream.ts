import { streamLimits } from "../model/values/stream_limits.ts";
import { z } from "zod";
import type { StreamOptions } from "../model/values/stream_options.ts";
import { trackNames, tracksOf } from "../model/values/stream_options.ts";
import { noun, type NounContext } from "./noun.ts";
import type { Element } from "./parse.ts";
import { methodAttribute, notPerformed, readAttributes, urlAttribute } from "./verb.ts";

/** Audio streams: the noun Stream of Connect, Start and Stop. */

const name = z.string().trim().min(1).max(streamLimits.nameLength).optional();

const ofStream = {
  url: z.string().optional(),
  name,
  track: z.enum(trackNames).optional().transform((track) => track ?? "inbound_track"),
  statusCallback: z.string().optional(),
  statusCallbackMethod: methodAttribute,
};

/** Attributes of `Parameter`, which is sent to the server of the stream. */
export const parameterAttributes = {
  name: z.string().trim().min(1).optional(),
  value: z.string().optional(),
};

/** Both ways: the server hears the caller and speaks to it, until either side ends it. */
export const connectStream = noun({
  name: "Stream",
  attributes: ofStream,
  hasElements: true,
  contents: ["Parameter"],
  compile(element, attributes, context) {
    const wanted = wantedOf(element, attributes, context);
    const { action } = context;
    if (attributes.track !== "inbound_track") {
      context.skip(`track "${attributes.track}" of Stream in Connect: its server hears the caller`);
    }
    if (wanted === null) return notPerformed(action, { StreamStatus: "failed" });
    const serviceContext: StreamOptions = { ...wanted, tracks: ["inbound"], isBidirectional: true };
    return [{ type: "consult", serviceContext, ...action && { action } }];
  },
});

/** One way: a copy of the audio, beside the script of the call. */
export const startStream = noun({
  name: "Stream",
  attributes: ofStream,
  hasElements: true,
  contents: ["Parameter"],
  compile(element, attributes, context) {
    const wanted = wantedOf(element, attributes, context);
    if (wanted === null) return [];
    const tracks = tracksOf[attributes.track];
    const serviceContext: StreamOptions = { ...wanted, tracks, isBidirectional: false };
    return [{ type: "consult", serviceContext }];
  },
});

/** Ends a stream of this name. */
export const stopStream = noun({
  name: "Stream",
  attributes: { name },
  compile(_, { name }, context) {
    if (name !== undefined) return [{ type: "stopStream", name }];
    context.skip("Stream in Stop: it needs a name");
    return [];
  },
});

interface Given {
  url?: string | undefined;
  name?: string | undefined;
  statusCallbackMethod: "GET" | "POST";
}

/** The stream that the noun asks for; null, with a note, without a URL. */
function wantedOf(
  element: Element,
  { url = "", name, statusCallbackMethod }: Given,
  context: NounContext,
): Pick<StreamOptions, "kind" | "url" | "name" | "parameters" | "callback"> | null {
  const target = URL.parse(url.trim());
  if (target === null || !/^wss?:$/.test(target.protocol)) {
    context.skip(`url "${url.slice(0, 100)}" of Stream: it is no wss address`);
    return null;
  }
  if (target.search !== "" || target.hash !== "") {
    context.skip("the query in the url of Stream: what its server is to know stands in Parameter");
    target.search = target.hash = "";
  }
  const callback = urlAttribute(element, "statusCallback", context);
  return {
    kind: "stream",
    url: target.href,
    ...name !== undefined && { name },
    parameters: parametersIn(element, context),
    ...callback && { callback: { url: callback, method: statusCallbackMethod } },
  };
}

/** Values of the Parameter elements inside an element, by their names. */
export function parametersIn(
  { name: parent, children }: Element,
  context: NounContext,
): Record<string, string> {
  const pairs: [string, string][] = [];
  for (const child of children) {
    if (child.name !== "Parameter") {
      context.skip(`${child.name} in ${parent}`);
      continue;
    }
    const { name, value = "" } = readAttributes(child, parameterAttributes, context);
    const isFull = pairs.length >= streamLimits.parameters;
    const isLong = (name?.length ?? 0) + value.length > streamLimits.parameterLength;
    if (name !== undefined && !isFull && !isLong) pairs.push([name, value]);
    else context.skip(`Parameter "${name ?? ""}" of ${parent}: ${whyNot(name, isFull)}`);
  }
  return Object.fromEntries(pairs);
}

function whyNot(name: string | undefined, isFull: boolean): string {
  if (name === undefined) return "it needs a name";
  return isFull
    ? `there are more than ${streamLimits.parameters}`
    : `name and value have more than ${streamLimits.parameterLength} characters`;
}
