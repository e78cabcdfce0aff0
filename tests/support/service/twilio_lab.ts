import twilio from "twilio";
import { type App, type AppOptions, startApp } from "./app.ts";

/** The service with npm `twilio`, as it is published, pointed at it over HTTP. */
export interface TwilioLab extends AsyncDisposable {
  app: App;
  /** The base address of the service. */
  url: string;
  /** Of the root account. */
  client: twilio.Twilio;
  /** A client with other credentials. */
  clientOf(sid: string, token: string): twilio.Twilio;
  /** A client with an API key of the root account. */
  clientOfKey(keySid: string, secret: string): twilio.Twilio;
  /** Sends a request of the root account and returns the response; paths are below the account. */
  ask(method: string, path: string, form?: Record<string, string>): Promise<Response>;
}

/** Starts the service on a port of the loopback. Only the base address of the library is changed. */
export async function startTwilioLab(options: AppOptions = {}): Promise<TwilioLab> {
  const app = await startApp(options);
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => app.http.fetch(request),
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  const { sid, token } = app.root;
  const pointed = (client: twilio.Twilio) => {
    client.api.baseUrl = client.accounts.baseUrl = url;
    return client;
  };
  const clientOf = (sid: string, token: string) =>
    pointed(twilio(sid, token, { keepAlive: false }));
  return {
    app,
    url,
    client: clientOf(sid, token),
    clientOf,
    clientOfKey: (keySid, secret) =>
      pointed(twilio(keySid, secret, { accountSid: sid, keepAlive: false })),
    ask: (method, path, form) =>
      fetch(`${url}/2010-04-01/Accounts/${sid}/${path}`, {
        method,
        headers: { Authorization: `Basic ${btoa(`${sid}:${token}`)}` },
        ...form && { body: new URLSearchParams(form) },
      }),
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      app[Symbol.dispose]();
    },
  };
}
