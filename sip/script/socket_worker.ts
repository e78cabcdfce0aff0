import { serveSockets } from "../media/sockets.ts";
import { readMessage } from "./conversation_messages.ts";

/** The inside of a Worker that has the WebSockets of conversations. */
serveSockets(readMessage);
