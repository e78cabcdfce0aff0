import { gzipSync } from "node:zlib";

/** Whether an Accept-Encoding takes gzip (RFC 9110 §12.5.3). */
export function takesGzip(header: string | undefined): boolean {
  if (header === undefined) return false;
  const codings = new Map(
    header.toLowerCase().split(",").map((coding) => {
      const [name = "", ...parameters] = coding.split(";").map((part) => part.trim());
      const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
      return [name, Number(weight) > 0];
    }),
  );
  return codings.get("gzip") ?? codings.get("*") ?? false;
}

/** A text in gzip. */
export const gzipped = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(gzipSync(text));
