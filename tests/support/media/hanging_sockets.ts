import { serveSockets } from "../../../sip/media/server_socket/serve_sockets.ts";
import { packMessage, readMessage } from "../../../sip/media/streams/messages.ts";
import { hangFor } from "./hang_for.ts";

/** A Worker of streams that hangs as `hangFor` says. */
serveSockets((text) => {
  hangFor(text);
  return readMessage(text);
}, packMessage);
