import { createFlow, type Endpoint, type Flow, type FlowEvents, type LocalName } from "../flow.ts";
import { sipLimits } from "../limits.ts";

export interface WebSocketOptions {
  protocol: "WS" | "WSS";
  remote: Endpoint;
  local: LocalName;
  events: FlowEvents;
  /** We asked for it: a client may not give the close codes of a server. */
  outgoing?: boolean;
}

const goingAway = 1001;
const tooBig = 1009;
const tryLater = 1013;

/** A flow over a WebSocket, whichever side asked for it (RFC 7118 §5). */
export function openWebSocketFlow(socket: WebSocket, options: WebSocketOptions): Flow {
  const { protocol, remote, local, events, outgoing = false } = options;
  const close = (code: number) => outgoing ? socket.close() : socket.close(code);
  const flow = createFlow({
    protocol,
    remote,
    local,
    get closed() {
      return socket.readyState >= WebSocket.CLOSING;
    },
    send(message) {
      if (socket.readyState !== WebSocket.OPEN) {
        return Promise.reject(new Error("Cannot send: the connection is closed"));
      }
      if (socket.bufferedAmount > sipLimits.unsentBytes) {
        close(tryLater);
        return Promise.reject(new Error("Cannot send: the peer does not read"));
      }
      socket.send(message);
      return Promise.resolve();
    },
    close: () => close(goingAway),
  });
  const decoder = new TextDecoder();
  socket.binaryType = "arraybuffer";
  socket.onerror = () => {};
  socket.onclose = () => events.onClose(flow);
  socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
    // What was on its way when we said good-bye.
    if (flow.closed) return;
    const size = typeof data === "string" ? data.length : data.byteLength;
    if (size > sipLimits.messageBytes) return close(tooBig);
    const text = typeof data === "string" ? data : decoder.decode(data);
    // Keep-alive of RFC 5626 §3.5.1: two line ends are answered with one.
    if (text === "\r\n\r\n") return void flow.transport.send("\r\n").catch(() => {});
    if (text !== "\r\n") events.onMessage(flow, text);
  };
  return flow;
}
