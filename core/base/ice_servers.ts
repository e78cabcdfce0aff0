/**
 * ICE servers of browsers, with TURN credentials that must not be public. They come with the response to
 * REGISTER: only the holder of a password gets it, and lock-outs guard it; a page of the service would not
 * be. They last for a day, since coturn cannot revoke them, and are renewed every few minutes. A Token
 * follows from TURN_SECRET, the account and the time: there is nothing to list or to delete.
 */
import { createHmac } from "node:crypto";

/** Servers that help browsers behind NATs and firewalls to a way for audio (RFC 8489, RFC 8656). */
export interface IceSettings {
  /** STUN and TURN URLs (RFC 7064, RFC 7065). */
  urls: readonly string[];
  /** The secret that the TURN servers share with this service: coturn's `static-auth-secret`. */
  turnSecret: string;
}

/** A server as RTCPeerConnection takes it. `url` repeats `urls` for older libraries. */
export interface IceServer {
  url: string;
  urls: string;
  username?: string;
  credential?: string;
}

/**
 * Servers for one user, with the credentials of the TURN servers; those are null where there is
 * none.
 */
export interface IceGrant {
  username: string | null;
  password: string | null;
  iceServers: IceServer[];
}

/** True for the URL of a TURN server, which needs credentials. */
export const isTurn = (url: string): boolean => /^turns?:/.test(url);

/**
 * Grants a user the servers until an instant in ms, by credentials that the TURN servers can check
 * by themselves (draft-uberti-behave-turn-rest-00, coturn's `use-auth-secret`). The name is the
 * expiry in seconds since 1970, and the user; the password is its HMAC-SHA1.
 */
export function grantIceServers(
  { urls, turnSecret }: IceSettings,
  user: string,
  expiresAt: number,
): IceGrant {
  const name = `${Math.floor(expiresAt / 1_000)}:${user}`;
  if (!urls.some(isTurn)) {
    return { username: null, password: null, iceServers: urls.map((url) => ({ url, urls: url })) };
  }
  const secret = createHmac("sha1", turnSecret).update(name).digest("base64");
  return {
    username: name,
    password: secret,
    iceServers: urls.map((url) => ({
      url,
      urls: url,
      ...isTurn(url) && { username: name, credential: secret },
    })),
  };
}
