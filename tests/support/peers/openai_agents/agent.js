/**
 * An unmodified agent of OpenAI's library, as the server of an audio stream. Prints its port, and
 * connects each call to the endpoint of the Realtime API at the URL of its argument.
 */
import { TwilioRealtimeTransportLayer } from "@openai/agents-extensions";
import { WebSocketServer } from "ws";

const [url] = Deno.args;
const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
server.on("connection", (twilioWebSocket) => {
  const transport = new TwilioRealtimeTransportLayer({ twilioWebSocket, url });
  transport.connect({ apiKey: "none", model: "none" });
});
server.on("listening", () => {
  Deno.stdout.writeSync(new TextEncoder().encode(`${server.address().port}\n`));
});
