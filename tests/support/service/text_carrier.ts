/** A carrier that accepts texts once it is ordered to, and records them. */
export interface TextCarrier extends AsyncDisposable {
  readonly url: string;
  readonly texts: string[];
  /** From now on it takes texts at once. */
  take(): void;
}

export function startTextCarrier(): TextCarrier {
  const texts: string[] = [];
  const taken = Promise.withResolvers<void>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    texts.push(await request.text());
    await taken.promise;
    return Response.json({ id: `m${texts.length}` });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/messages`,
    texts,
    take: taken.resolve,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
