/** A mail server on the loopback: it speaks as much SMTP (RFC 5321) as a client asks for. */
export interface MailServer extends AsyncDisposable {
  url: string;
  mails: { from: string; to: string[]; text: string }[];
}

/** Starts one; `refuses` says whose mail it does not take. */
export function startMailServer(
  { refuses = () => false }: { refuses?: (address: string) => boolean } = {},
): MailServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const mails: MailServer["mails"] = [];
  const talks: Promise<void>[] = [];

  async function talk(connection: Deno.Conn): Promise<void> {
    let mail = { from: "", to: [] as string[], text: "" };
    let isData = false;
    const say = (line: string) => connection.write(new TextEncoder().encode(line + "\r\n"));

    /** Answers one line; false ends the talk. */
    async function answer(line: string): Promise<boolean> {
      const address = /<([^>]*)>/.exec(line)?.[1] ?? "";
      if (isData) {
        if (line !== ".") mail.text += line + "\r\n";
        else {
          isData = false;
          mails.push(mail);
          mail = { from: "", to: [], text: "" };
          await say("250 taken");
        }
      } else if (line.startsWith("MAIL")) {
        mail.from = address;
        await say("250 ok");
      } else if (line.startsWith("RCPT") && refuses(address)) await say("550 no such mailbox");
      else if (line.startsWith("RCPT")) {
        mail.to.push(address);
        await say("250 ok");
      } else if (line === "DATA") {
        isData = true;
        await say("354 go on");
      } else if (line === "QUIT") return false;
      else await say("250 ok");
      return true;
    }

    await say("220 mail.test");
    let rest = "";
    const decoder = new TextDecoder();
    const bytes = new Uint8Array(16_384);
    try {
      for (let size = await connection.read(bytes); size !== null;) {
        const lines = (rest + decoder.decode(bytes.subarray(0, size))).split("\r\n");
        rest = lines.pop()!;
        for (const line of lines) if (!await answer(line)) return;
        size = await connection.read(bytes);
      }
    } finally {
      connection.close();
    }
  }

  const accepting = (async () => {
    for await (const connection of listener) talks.push(talk(connection).catch(() => {}));
  })();
  return {
    url: `smtp://127.0.0.1:${listener.addr.port}`,
    mails,
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      await Promise.all(talks);
    },
  };
}
