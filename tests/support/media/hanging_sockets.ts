import { serveSockets } from "../../../sip/media/server_socket/serve_sockets.ts";
import { packMessage, readMessage } from "../../../sip/media/streams/messages.ts";

/** A Worker of streams that hangs for the time that a message `{"hangMs": …}` of a server says. */
serveSockets((text) => {
  const [, ms] = /"hangMs":(\d+)/.exec(text) ?? [];
  for (const until = performance.now() + Number(ms ?? 0); performance.now() < until;);
  return readMessage(text);
}, packMessage);
