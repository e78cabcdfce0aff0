import { streamLimits } from "../model/values/stream_limits.ts";
import { stopParams, streamParams } from "../streams/request_stream.ts";
import { formSchema, type JsonSchema } from "./schemas.ts";

export { stopParams };

const text = (description: string): JsonSchema => ({
  type: "string",
  maxLength: streamLimits.parameterLength,
  description,
});

/** The form that starts an audio stream; of the parameters of its server the first one is shown. */
export function streamForm(): JsonSchema {
  const form = formSchema({ schema: streamParams });
  const ofServer = {
    "Parameter1.Name": text("Name of the first parameter that is sent to the WebSocket server."),
    "Parameter1.Value": text("Value of the first parameter that is sent to the WebSocket server."),
  };
  return { ...form, properties: { ...form.properties as JsonSchema, ...ofServer } };
}
