import { SMTPServer } from "smtp-server";
import { testAuthority, testCertificates } from "../process/test_certificates.ts";

/** A mail server on the loopback that keeps what it gets. */
export interface MailServer extends AsyncDisposable {
  readonly url: string;
  readonly mails: Mail[];
}

/** An e-mail as it came. */
export interface Mail {
  from: string;
  to: string[];
  /** Head and body, with lines that end in CRLF. */
  text: string;
  /** Authenticated user, if any. */
  user: string | undefined;
  isEncrypted: boolean;
}

export interface MailServerOptions {
  /** The status by which an address is refused; undefined for one that is taken. */
  refuses?: (address: string) => number | undefined;
  /** Takes mail only of this login, and only once STARTTLS has encrypted the connection. */
  login?: { user: string; password: string };
  /** Offers no STARTTLS, though its url demands it. */
  isPlain?: boolean;
}

class Refusal extends Error {
  constructor(readonly responseCode: number) {
    super("not here");
  }
}

export async function startMailServer(
  { refuses = () => undefined, login, isPlain = login === undefined }: MailServerOptions = {},
): Promise<MailServer> {
  const mails: Mail[] = [];
  const { cert, key } = testCertificates.first;
  const disabled = [...isPlain ? ["STARTTLS"] : [], ...login === undefined ? ["AUTH"] : []];
  const server = new SMTPServer({
    cert,
    key,
    disabledCommands: disabled,
    authOptional: login === undefined,
    logger: false,
    onAuth({ username, password }, _session, done) {
      const isRight = username === login?.user && password === login?.password;
      done(isRight ? null : new Refusal(535), isRight ? { user: username } : undefined);
    },
    onRcptTo({ address }, _session, done) {
      const status = refuses(address);
      done(status === undefined ? null : new Refusal(status));
    },
    onData(stream, { envelope, user, secure }, done) {
      const chunks: Uint8Array[] = [];
      stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      stream.on("end", () => {
        mails.push({
          from: envelope.mailFrom === false ? "" : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }: { address: string }) => address),
          text: new TextDecoder().decode(Uint8Array.from(chunks.flatMap((chunk) => [...chunk]))),
          user: user as string | undefined,
          isEncrypted: secure,
        });
        done();
      });
    },
  });
  server.on("error", () => {}); // A client that leaves in the middle.
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as { port: number };
  const user = login === undefined ? "" : `${login.user}:${encodeURIComponent(login.password)}@`;
  const demands = login === undefined
    ? ""
    : `?requireTLS=true&tls.ca=${encodeURIComponent(testAuthority)}&tls.servername=localhost`;
  return {
    url: `smtp://${user}127.0.0.1:${port}/${demands}`,
    mails,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
