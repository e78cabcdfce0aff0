import { type Answer, type HttpServer, serveHttp } from "../net/http_server.ts";
import { type CertificateWatch, watchCertificate } from "../net/certificate.ts";
import { addressList } from "../../base/networks.ts";
import { boundOfAddress, createPlaces } from "../net/places.ts";
import type { Config } from "../configuration/config.ts";
import { listOf } from "../configuration/variable.ts";
import { log } from "../process/log.ts";

/** Serves the REST interface, by https where there is a certificate. */
export async function listenRest(
  config: Config,
  answer: Answer,
  onOver: (error: Error) => void,
): Promise<HttpServer> {
  const { HOST: hostname, PORT: port, MAX_CONNECTIONS: most } = config;
  const certificate = await certificateOf(config);
  const server = await serveHttp({
    address: { hostname, port, name: "PORT" },
    places: createPlaces(most),
    perAddress: boundOfAddress(config.CONNECTIONS_PER_ADDRESS, most),
    isTrustedProxy: addressList(listOf(config.TRUSTED_PROXIES)),
    certificate,
    onOver,
    log,
  }, answer).catch((error) => {
    certificate?.close();
    throw error;
  });
  return {
    ...server,
    async shutdown() {
      certificate?.close();
      await server.shutdown();
    },
  };
}

async function certificateOf(
  { TLS_CERT: certFile, TLS_KEY: keyFile }: Config,
): Promise<CertificateWatch | undefined> {
  if (certFile === "") return undefined;
  const names = { cert: "TLS_CERT", key: "TLS_KEY" };
  const clock = {
    after(ms: number, callback: () => void) {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  };
  return await watchCertificate({ certFile, keyFile, names, clock, log });
}
