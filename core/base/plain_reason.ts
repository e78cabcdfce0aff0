/** Errors of the runtime and its libraries for failed requests, and their plain words. */
const reasons: readonly [pattern: RegExp, words: string][] = [
  [/ECONNREFUSED|connection refused/i, "the server refused the connection; is it running there?"],
  [
    /ECONNRESET|EPIPE|connection (was )?reset|socket hang ?up|closed before message|unexpected e(nd|of)/i,
    "the server closed the connection before its response was complete",
  ],
  [/EHOSTUNREACH|ENETUNREACH|unreachable \(os/i, "there is no route to the server"],
  [/ETIMEDOUT|timed out/i, "the server did not answer in time"],
  [
    /ENOTFOUND|EAI_AGAIN|dns error|failed to lookup address/i,
    "the name of the server cannot be resolved",
  ],
  [/ERR_TLS_CERT_ALTNAME|NotValidForName/i, "the certificate is for another name"],
  [/CERT_HAS_EXPIRED|certificate.{0,40}expired/i, "the certificate of the server has expired"],
  [
    /UnknownIssuer|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|invalid peer certificate/i,
    "the certificate of the server is not trusted; NODE_EXTRA_CA_CERTS adds a private CA",
  ],
  [
    /HPE_HEADER_OVERFLOW|header overflow|head(er)?s? .{0,40}too (large|long|big)/i,
    "the headers of the response are too long",
  ],
  [
    /invalid (gzip|deflate)|corrupt (gzip|deflate)|decompress|incorrect header check/i,
    "the response cannot be decompressed: its Content-Encoding is wrong",
  ],
  [
    /WRONG_VERSION_NUMBER|InvalidContentType|tls handshake/i,
    "the server does not speak TLS on this port; is it http in place of https?",
  ],
  [/HPE_|parse error|invalid HTTP/i, "the response is not HTTP"],
  [/ENOSPC|no space left|disk quota|EDQUOT/i, "the disk of the service is full"],
  [/EROFS|read-only file system/i, "the disk of the service is read-only"],
  [/\bEIO\b|input\/output error/i, "the disk of the service reports I/O errors"],
  [
    /EMFILE|ENFILE|too many open files/i,
    "the service has too few descriptors; raise the limit of open files",
  ],
];

/**
 * Reason of a failure, for its owner to read: in plain words for errors of libraries in the table.
 */
export function plainReason(error: unknown): string {
  const why = causeOf(error);
  const message = why instanceof Error ? why.message : String(why);
  const code = (why as { code?: unknown })?.code;
  const known = reasons.find(([pattern]) => pattern.test(`${code} ${message}`));
  return known?.[1] ?? message.replace(/^(\w*Error: )+/, "");
}

/** The error that says most: a fetch itself says only that it failed, a try of all addresses of a name nothing. */
function causeOf(error: unknown): unknown {
  if (error instanceof TypeError && error.cause instanceof Error) return causeOf(error.cause);
  if (error instanceof AggregateError && error.message === "") return error.errors.at(-1) ?? error;
  return error;
}
