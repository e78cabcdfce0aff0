import { identifiedFetch } from "../net/identified_fetch.ts";
import { AwsV4Signer } from "aws4fetch";
import { limits } from "../../base/limits.ts";

/** An S3-compatible storage, addressed by path: ENDPOINT/BUCKET/KEY. */
export interface S3Options {
  /** Without a slash at its end. */
  endpoint: string;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** One request about an object. */
export interface S3Request {
  method: string;
  key: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array<ArrayBuffer>;
  signal?: AbortSignal;
}

export interface S3Client {
  /** The answer, when its status is 2xx or 404. Throws an error that says what the storage said. */
  send(request: S3Request): Promise<Response>;
  /** The URL of an object, without a signature. */
  address(key: string): string;
  /** A link that opens the object for `limits.s3LinkS` seconds. */
  signedLink(key: string, method: "GET" | "HEAD"): Promise<string>;
}

/** Requests with AWS Signature Version 4, their content signed too. */
export function s3Client({ endpoint, bucket, ...credentials }: S3Options): S3Client {
  const address = (key: string) => `${endpoint}/${bucket}/${key}`;
  const signing = { ...credentials, service: "s3" };

  return {
    address,
    async send({ method, key, query = {}, headers = {}, body, signal }) {
      const url = new URL(address(key));
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      const digest = await crypto.subtle.digest("SHA-256", body ?? new Uint8Array());
      const content = { "x-amz-content-sha256": new Uint8Array(digest).toHex() };
      const all = { ...headers, ...content };
      const signed = await new AwsV4Signer({ ...signing, method, url: url.href, headers: all })
        .sign();
      const timeout = AbortSignal.timeout(limits.s3TimeoutMs);
      const response = await identifiedFetch(signed.url, {
        method,
        headers: signed.headers,
        ...body && { body },
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      });
      if (response.ok || response.status === 404) return response;
      throw new Error(await complaint(response));
    },
    async signedLink(key, method) {
      const url = new URL(address(key));
      url.searchParams.set("X-Amz-Expires", String(limits.s3LinkS));
      const signed = await new AwsV4Signer({ ...signing, method, url: url.href, signQuery: true })
        .sign();
      return signed.url.href;
    },
  };
}

async function complaint(response: Response): Promise<string> {
  const text = await response.text();
  const [, code = ""] = /<Code>([^<]{1,100})<\/Code>/.exec(text) ?? [];
  return `The object storage answered ${response.status} ${code}`.trim();
}
