import { createHash, createHmac } from "node:crypto";

/** A small S3 on the loopback: one bucket, addressed by path, that checks every signature. */
export interface S3Server extends AsyncDisposable {
  readonly url: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  /** By key. */
  readonly objects: Map<string, { bytes: Uint8Array<ArrayBuffer>; type: string }>;
  /** Multipart uploads that were begun and not ended. */
  readonly uploads: Map<string, Map<number, Uint8Array<ArrayBuffer>>>;
  /** `METHOD key?query` of the requests whose signature was right, and `403 …` of the others. */
  readonly seen: string[];
  /** A status to refuse a request with. */
  refuse: (method: string, query: URLSearchParams) => number | undefined;
}

export function startS3(): S3Server {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => serve(s3, request),
  );
  const s3: S3Server = {
    url: `http://127.0.0.1:${server.addr.port}`,
    bucket: "recordings",
    accessKeyId: "AKIATEST",
    secretAccessKey: "a secret/of+the test",
    region: "eu-test-1",
    objects: new Map(),
    uploads: new Map(),
    seen: [],
    refuse: () => undefined,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return s3;
}

async function serve(s3: S3Server, request: Request): Promise<Response> {
  const url = new URL(request.url);
  const bytes = new Uint8Array(await request.arrayBuffer());
  const key = decodeURIComponent(url.pathname).replace(`/${s3.bucket}/`, "");
  const names = [...url.searchParams.keys()].filter((name) => !name.startsWith("X-Amz"));
  const what = `${request.method} ${key}${names.length > 0 ? `?${names.join("&")}` : ""}`;
  if (!isSigned(s3, request, url, bytes)) {
    s3.seen.push(`403 ${what}`);
    return xml("<Error><Code>SignatureDoesNotMatch</Code></Error>", 403);
  }
  s3.seen.push(what);
  const refused = s3.refuse(request.method, url.searchParams);
  if (refused !== undefined) return xml("<Error><Code>SlowDown</Code></Error>", refused);
  return answer(s3, { request, query: url.searchParams, key, bytes });
}

interface Asked {
  request: Request;
  query: URLSearchParams;
  key: string;
  bytes: Uint8Array<ArrayBuffer>;
}

function answer(s3: S3Server, asked: Asked): Response {
  const { request: { method, headers }, query, key, bytes } = asked;
  const uploadId = query.get("uploadId");
  if (method === "POST" && query.has("uploads")) {
    const id = crypto.randomUUID();
    s3.uploads.set(id, new Map());
    s3.objects.delete(key);
    return xml(`<Result><UploadId>${id}</UploadId></Result>`);
  }
  if (uploadId !== null) return ofUpload(s3, asked, uploadId);
  if (method === "PUT") {
    s3.objects.set(key, { bytes, type: headers.get("content-type") ?? "" });
    return new Response(null, { headers: { etag: etagOf(bytes) } });
  }
  if (method === "DELETE") {
    s3.objects.delete(key);
    return new Response(null, { status: 204 });
  }
  const found = s3.objects.get(key);
  if (found === undefined) return xml("<Error><Code>NoSuchKey</Code></Error>", 404);
  const [, start = 0, end = found.bytes.length - 1] =
    /bytes=(\d+)-(\d+)/.exec(headers.get("range") ?? "")?.map(Number) ?? [];
  const part = found.bytes.slice(start, end + 1);
  const length = { "content-length": String(part.length), "content-type": found.type };
  return new Response(method === "HEAD" ? null : part, {
    status: headers.has("range") ? 206 : 200,
    headers: length,
  });
}

function ofUpload(s3: S3Server, { request, query, key, bytes }: Asked, id: string): Response {
  const parts = s3.uploads.get(id);
  if (parts === undefined) return xml("<Error><Code>NoSuchUpload</Code></Error>", 404);
  if (request.method === "PUT") {
    parts.set(Number(query.get("partNumber")), bytes);
    return new Response(null, { headers: { etag: etagOf(bytes) } });
  }
  s3.uploads.delete(id);
  if (request.method === "DELETE") return new Response(null, { status: 204 });
  const list = [
    ...new TextDecoder().decode(bytes).matchAll(
      /<PartNumber>(\d+)<\/PartNumber><ETag>(.*?)<\/ETag>/g,
    ),
  ];
  const whole = list.map(([, number, etag]) => {
    const part = parts.get(Number(number));
    if (part === undefined || etagOf(part) !== etag) throw new Error("a part is not as listed");
    return part;
  });
  const small = whole.slice(0, -1).some((part) => part.length < 5 << 20);
  if (small) return xml("<Error><Code>EntityTooSmall</Code></Error>", 400);
  const object = new Uint8Array(whole.flatMap((part) => [...part]));
  s3.objects.set(key, { bytes: object, type: "audio/wav" });
  return xml(`<Result><ETag>"whole"</ETag></Result>`);
}

const etagOf = (bytes: Uint8Array) => `"${createHash("md5").update(bytes).digest("hex")}"`;

const xml = (text: string, status = 200) =>
  new Response(`<?xml version="1.0"?>${text}`, {
    status,
    headers: { "content-type": "application/xml" },
  });

const escaped = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** AWS Signature Version 4, in the Authorization header or in the query; the content is signed too. */
function isSigned(s3: S3Server, { method, headers }: Request, url: URL, body: Uint8Array): boolean {
  const inQuery = url.searchParams.has("X-Amz-Signature");
  const given = (name: string) => url.searchParams.get(name) ?? "";
  const authorization = headers.get("authorization") ?? "";
  const [, credential = "", signedHeaders = "", signature = ""] = inQuery
    ? ["", given("X-Amz-Credential"), given("X-Amz-SignedHeaders"), given("X-Amz-Signature")]
    : /^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=(\S+)$/
      .exec(authorization) ?? [];
  const date = inQuery ? given("X-Amz-Date") : headers.get("x-amz-date") ?? "";
  const digest = createHash("sha256").update(body).digest("hex");
  const told = inQuery ? "UNSIGNED-PAYLOAD" : headers.get("x-amz-content-sha256") ?? "";
  if (!inQuery && told !== digest) return false;
  if (isOld(date, inQuery ? Number(given("X-Amz-Expires")) : 900)) return false;

  const query = [...url.searchParams].filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`).toSorted().join("&");
  const named = signedHeaders.split(";")
    .map((name) => `${name}:${name === "host" ? url.host : headers.get(name)}\n`).join("");
  const path = url.pathname.split("/").map((part) => escaped(decodeURIComponent(part))).join("/");
  const canonical = [method, path, query, named, signedHeaders, told].join("\n");
  const scope = `${date.slice(0, 8)}/${s3.region}/s3/aws4_request`;
  const hash = createHash("sha256").update(canonical).digest("hex");
  const keys = [date.slice(0, 8), s3.region, "s3", "aws4_request"];
  const key = keys.reduce<string | Uint8Array>(
    (key, text) => createHmac("sha256", key).update(text).digest(),
    `AWS4${s3.secretAccessKey}`,
  );
  const text = ["AWS4-HMAC-SHA256", date, scope, hash].join("\n");
  return credential === `${s3.accessKeyId}/${scope}` &&
    signature === createHmac("sha256", key).update(text).digest("hex");
}

function isOld(date: string, seconds: number): boolean {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date)?.map(Number) ?? [];
  if (year === undefined) return true;
  const at = Date.UTC(year, month! - 1, day, hour, minute, second);
  return Math.abs(Date.now() - at) > seconds * 1000;
}
