import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import { hasShortHost } from "../base/url_host.ts";
import type { Ports } from "../model/ports/ports.ts";

/** Throws `badStreamUrl` for an address at which no WebSocket may be opened. */
export function assertSocketUrl(
  text: string,
  { allowsPrivateUrls }: Pick<Ports["settings"], "allowsPrivateUrls">,
  { mayHaveQuery = false } = {},
): void {
  const url = URL.parse(text);
  const isSecure = url?.protocol === "wss:";
  if (url === null || !isSecure && url.protocol !== "ws:") {
    throw new Fault("badStreamUrl", `"${text.slice(0, 100)}" is no wss address`);
  }
  if (!isSecure && !allowsPrivateUrls) {
    throw new Fault("badStreamUrl", "ws is not encrypted, and ALLOW_PRIVATE_URLS is not set");
  }
  if (url.search !== "" && !mayHaveQuery || url.hash !== "") {
    throw new Fault("badStreamUrl", "it has a query or a fragment");
  }
  if (!hasShortHost(url) || url.href.length > limits.urlLength) {
    throw new Fault("badStreamUrl", "it is too long");
  }
}
