import { serveSockets } from "../../../sip/media/server_socket/serve_sockets.ts";
import { readMessage } from "../../../sip/script/conversation_messages.ts";
import { hangFor } from "./hang_for.ts";

/** A Worker of conversations that hangs as `hangFor` says. */
serveSockets((text) => {
  hangFor(text);
  return readMessage(text);
});
