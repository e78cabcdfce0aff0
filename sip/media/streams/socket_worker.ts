import { serveSockets } from "../server_socket/serve_sockets.ts";
import { packMessage, readMessage } from "./messages.ts";

/** The inside of a Worker that has the WebSockets of audio streams. */
serveSockets(readMessage, packMessage);
