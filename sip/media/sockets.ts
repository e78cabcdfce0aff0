/**
 * WebSockets to servers of customers, apart from `mod.ts`: the Workers that hold the WebSockets of
 * conversations import this alone, and so load no codec and no engine.
 */

export type { Reach } from "./server_socket/connect.ts";
export { createLiveness, type Liveness } from "./server_socket/liveness.ts";
export { serveSockets } from "./server_socket/serve_sockets.ts";
export { ownSockets, type ServerSockets } from "./server_socket/server_sockets.ts";
export {
  type Closing,
  floodMessage,
  heldMessage,
  type ServerSocket,
} from "./server_socket/socket.ts";
export { socketWorkers } from "./server_socket/socket_workers.ts";
