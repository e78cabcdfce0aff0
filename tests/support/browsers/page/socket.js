/** Messages on the softphone's connection, for every library. */

const sockets = [];
let hear = () => {};

/** Remembers every WebSocket, and reports the received requests and the outcomes of ours. */
globalThis.WebSocket = class extends globalThis.WebSocket {
  constructor(...address) {
    super(...address);
    sockets.push(this);
    this.addEventListener("message", ({ data }) => typeof data === "string" && read(data));
  }
};

function read(message) {
  const [, version, status] = /^(SIP\/2\.0|\S+) (\S+)/.exec(message) ?? [];
  const [, method] = /^CSeq:\s*\d+\s+(\w+)/im.exec(message) ?? [];
  if (version !== "SIP/2.0") hear(`${method} received`, "");
  else if (status >= "200") hear(`${method} answered`, status);
}

/** Sets the listener: it gets `METHOD received`, and `METHOD answered` with the status. */
export const onSip = (listener) => void (hear = listener);

/** Closes the connection without a word, as when the network changes. */
export const dropSocket = () => sockets.at(-1).close();
