import { isAuthentic, type ReadStun, stunKey, type StunMessage, writeStun } from "./stun.ts";

/** The credentials of a side in its SDP, which authenticate STUN messages (RFC 8445 §5.3). */
export interface IceCredentials {
  ufrag: string;
  password: string;
}

/** The messages of two agents, by their credentials (RFC 8445 §7.2.2, RFC 8489 §9.1). */
export interface IceMessages {
  request(content: Omit<StunMessage, "type" | "username">): Uint8Array<ArrayBuffer>;
  answer(content: StunMessage): Uint8Array<ArrayBuffer>;
  /** True where a message read from these bytes is the peer's and meant for us. */
  isPeers(message: ReadStun, bytes: Uint8Array): boolean;
}

export function iceMessages(local: IceCredentials, remote: IceCredentials): IceMessages {
  // Requests and their responses are authenticated with the password of the side that is checked.
  const ourKey = stunKey(local.password);
  const theirKey = stunKey(remote.password);
  const toUs = `${local.ufrag}:${remote.ufrag}`;
  const toThem = `${remote.ufrag}:${local.ufrag}`;
  return {
    request: (content) => writeStun({ type: "request", username: toThem, ...content }, theirKey),
    answer: (content) => writeStun(content, ourKey),
    isPeers: (message, bytes) =>
      message.type === "request"
        ? message.username === toUs && isAuthentic(message, bytes, ourKey)
        : isAuthentic(message, bytes, theirKey),
  };
}
