import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";

/** A registry of npm packages on the loopback, each of version 1.0.0. */
export interface Registry extends AsyncDisposable {
  readonly url: string;
  /** The packages whose archive was requested, one for each request. */
  downloads(): string[];
  /** Answers 500 from now on to requests for an archive. */
  break(name: string): void;
  /** A `deno.lock` of a project that imports a package. */
  lock(name: string): string;
}

/** A file in the form of tar (POSIX.1-1988, ustar). */
function tarOf(path: string, text: string, mode: string): Uint8Array<ArrayBuffer> {
  const content = new TextEncoder().encode(text);
  const archive = new Uint8Array(512 + Math.ceil(content.length / 512) * 512 + 1024);
  const write = (at: number, value: string) => archive.set(new TextEncoder().encode(value), at);
  write(0, path);
  write(100, `${mode.padStart(7, "0")}\0`);
  write(124, `${content.length.toString(8).padStart(11, "0")}\0`);
  write(136, "00000000000\0");
  write(148, " ".repeat(8)); // The checksum is made with blanks in its place.
  write(156, "0");
  write(257, "ustar\x0000");
  const sum = archive.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  write(148, `${sum.toString(8).padStart(6, "0")}\0 `);
  archive.set(content, 512);
  return archive;
}

/** Starts one with packages that hold nothing but their name, in a file of a mode. */
export function startRegistry(names: string[], mode = "644"): Registry {
  const archives = new Map(names.map((name) => {
    const manifest = JSON.stringify({ name, version: "1.0.0", main: "index.js" });
    return [name, new Uint8Array(gzipSync(tarOf("package/package.json", manifest, mode)))];
  }));
  const integrity = (name: string) =>
    `sha512-${createHash("sha512").update(archives.get(name)!).digest("base64")}`;
  const downloads: string[] = [];
  const broken = new Set<string>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const [, name = "", file] = new URL(request.url).pathname.split("/");
    const archive = archives.get(name);
    if (archive === undefined) return new Response("Not found", { status: 404 });
    if (file === undefined) return Response.json(about(name));
    if (broken.has(name)) return new Response("Broken", { status: 500 });
    downloads.push(name);
    return new Response(archive);
  });
  const url: string = `http://127.0.0.1:${server.addr.port}/`;
  const about = (name: string) => {
    const dist = { tarball: `${url}${name}/-/${name}-1.0.0.tgz`, integrity: integrity(name) };
    const versions = { "1.0.0": { name, version: "1.0.0", dist } };
    return { name, "dist-tags": { latest: "1.0.0" }, versions };
  };
  return {
    url,
    downloads: () => [...downloads],
    break: (name) => void broken.add(name),
    lock: (name) =>
      JSON.stringify({
        version: "5",
        specifiers: { [`npm:${name}@1.0.0`]: "1.0.0" },
        npm: {
          [`${name}@1.0.0`]: {
            integrity: integrity(name),
            tarball: `${url}${name}/-/${name}-1.0.0.tgz`,
          },
        },
        workspace: { dependencies: [`npm:${name}@1.0.0`] },
      }),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
