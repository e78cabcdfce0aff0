import { Fault } from "../base/faults.ts";
import { method, url } from "../base/fields.ts";
import type { Stream } from "../model/resources/streams.ts";
import {
  findStream,
  parameterNames,
  startParameters,
  startStream,
  stopParams,
  stopStream,
  streamParams,
} from "../streams/request_stream.ts";
import { action, type Asked, noun, type Parameters, works } from "./noun/noun.ts";
import { basic } from "./noun/written.ts";

const { shape } = streamParams;

/** Parameters for the server of a stream: `Parameter1.Name`, `Parameter1.Value` and so on. */
const ofServer: Parameters = Object.fromEntries(
  parameterNames.map((name) => [name, works(startParameters.schema.shape[name]!)]),
);

const named = ({ account, path }: Asked) => ({
  accountSid: account.sid,
  callSid: path.CallSid ?? "",
  stream: path.Sid ?? "",
});

/** A copy of the audio of a call over WebSocket. */
export const callStreams = noun<Stream>({
  type: "Stream",
  path: "Calls/{CallSid}/Streams",
  plural: "streams",
  fields: {
    ...basic,
    call_sid: ({ callSid }) => callSid,
    name: ({ name }) => name,
    status: ({ status }) => status,
  },
  address: ({ callSid, sid }) => `Calls/${callSid}/Streams/${sid}`,
  async fetch(asked) {
    const found = await findStream(named(asked), asked.ports);
    if (found === null) throw new Fault("notFound", asked.path.Sid);
    return found;
  },
  create: action({
    parameters: {
      Url: { state: "works", schema: shape.url, note: "required; wss, without a query" },
      Name: works(shape.name),
      Track: works(shape.track),
      StatusCallback: works(url),
      StatusCallbackMethod: works(method),
      ...ofServer,
    },
    faults: { Url: "badStreamUrl" },
    perform: (asked, { Url, Name, Track, StatusCallback, StatusCallbackMethod, ...parameters }) =>
      startStream(named(asked), {
        url: Url,
        name: Name,
        track: Track,
        statusCallback: StatusCallback,
        statusCallbackMethod: StatusCallbackMethod,
        ...parameters,
      }, asked.ports),
  }),
  update: action({
    parameters: { Status: { state: "works", schema: stopParams.shape.status, note: "required" } },
    perform: (asked) => stopStream(named(asked), asked.ports),
  }),
});
