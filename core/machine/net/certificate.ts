import { Buffer } from "node:buffer";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { netLimits } from "./limits.ts";

/** Certificate of a TLS server: PEM, with the chain behind it. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateOptions {
  certFile: string;
  keyFile: string;
  /** The variables that these paths come from. */
  names?: { cert: string; key: string };
  clock: { after(ms: number, callback: () => void): () => void };
  log(line: string, fields?: Record<string, unknown>): void;
  pollMs?: number;
}

const sipNames = { cert: "SIP_TLS_CERT", key: "SIP_TLS_KEY" };

/** A certificate that follows its files. */
export interface CertificateWatch {
  readonly certificate: Certificate;
  /** Called with each renewed certificate. */
  onRenewed(take: (renewed: Certificate) => void): void;
  close(): void;
}

/**
 * Reads the files, and looks again every `pollMs`: a watch on a path would lose sight of it when a
 * renewal moves a link. Rejects when they cannot be used; later it logs that and keeps what it has.
 */
export async function watchCertificate(options: CertificateOptions): Promise<CertificateWatch> {
  const { clock, log, pollMs = netLimits.certificatePollMs } = options;
  let certificate = await readCertificate(options);
  const takers: ((renewed: Certificate) => void)[] = [];
  let closed = false;
  let problem = { text: "", times: 0 };
  let stop = () => {};

  const look = async () => {
    try {
      const found = await readCertificate(options);
      problem = { text: "", times: 0 };
      if (!closed && (found.cert !== certificate.cert || found.key !== certificate.key)) {
        certificate = found;
        for (const take of takers) take(found);
        log("Loaded the renewed TLS certificate", { level: "info", file: options.certFile });
      }
    } catch (error) {
      const text = String(error);
      problem = { text, times: text === problem.text ? problem.times + 1 : 1 };
      // A single mismatch is not logged: between the writing of one file and the other they do not match.
      if (problem.times === 2) log("Cannot load the renewed TLS certificate", { error: text });
    } finally {
      if (!closed) stop = clock.after(pollMs, look);
    }
  };
  stop = clock.after(pollMs, look);
  return {
    get certificate() {
      return certificate;
    },
    onRenewed: (take) => void takers.push(take),
    close() {
      closed = true;
      stop();
    },
  };
}

async function readCertificate(
  { certFile, keyFile, names = sipNames }: CertificateOptions,
): Promise<Certificate> {
  const cert = await readPem(certFile, names.cert);
  const key = await readPem(keyFile, names.key);
  const unusable = (why: string) => new Error(`Cannot use ${certFile} (${names.cert}): ${why}`);
  const first = leafOf(cert, unusable);
  if (!belong(first, key)) {
    throw new Error(`Cannot use ${keyFile} (${names.key}): it is not the key of ${certFile}`);
  }
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw unusable((cause as Error).message);
  }
  return { cert, key };
}

/**
 * The first of a chain. A server would send the rest of it unread, for every client to stumble
 * over.
 */
function leafOf(cert: string, unusable: (why: string) => Error): X509Certificate {
  const chain = cert.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  const begun = cert.split("-----BEGIN CERTIFICATE-----").length - 1;
  if (begun > chain.length) throw unusable("it is cut off");
  const [first] = chain.map((pem, i) => {
    try {
      return new X509Certificate(Buffer.from(pem));
    } catch {
      throw unusable(`number ${i + 1} in it is no certificate`);
    }
  });
  if (first === undefined) throw unusable("it holds no certificate");
  return first;
}

async function readPem(path: string, name: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new Error(`Cannot read ${path} (${name}): ${(cause as Error).message}`, { cause });
  }
}

function belong(cert: X509Certificate, key: string): boolean {
  try {
    return cert.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}
