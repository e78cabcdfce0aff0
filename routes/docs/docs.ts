import { type Context, Hono } from "hono";
import { Fault } from "../../core/base/faults.ts";
import { openApiInParts } from "../../core/openapi/document.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import { siteParts } from "../http/site_header.ts";
import { type Layout, layout } from "./layout.ts";
import { compileMarkdown } from "./markdown.ts";
import { type Documentation, type DocumentationFiles, documentationOf } from "./pages.ts";
import { searchResults } from "./search.ts";

/** Allows styles and images of this service only, and no script. */
export const pagePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The path of the service's address, without a slash at its end. */
export const prefixOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/$/, "");

/** The parts that a service has unless one is turned off. */
export const allParts: readonly string[] = siteParts.map(({ name }) => name);

const longestQuery = 200;
const missing = "<h1>Page not found</h1>\n<p>Search for it, or choose one of the pages.</p>";

/**
 * The documentation at `/docs`: the pages of the folder `docs/`, and a page for each resource from
 * the OpenAPI document. It is the same for all readers and needs no credentials. `served` has the
 * parts of the service that its header leads to.
 */
export function docs(
  files: () => Promise<DocumentationFiles>,
  { settings }: Pick<Ports, "settings">,
  served: readonly string[] = allParts,
): Hono {
  const prefix = prefixOf(settings.baseUrl);
  const { baseUrl } = settings;
  compileMarkdown();
  const load = async () => {
    const found = await files();
    const document = await openApiInParts(settings);
    return { ...found, shown: await documentationOf(found, document, { prefix, baseUrl }) };
  };
  let loading: ReturnType<typeof load> | undefined;
  const loaded = () => {
    loading ??= load(); // At the first request; the documentation never changes.
    loading.catch(() => loading = undefined); // The next request reads the files again.
    return loading;
  };
  const show = (
    c: Context,
    { groups }: Documentation,
    page: Omit<Layout, "groups" | "prefix" | "served">,
  ) => {
    c.header("Content-Security-Policy", pagePolicy);
    c.header("Referrer-Policy", "no-referrer");
    return c.html(layout({ ...page, groups, prefix, served }));
  };
  return new Hono()
    .get("/search", async (c) => {
      const { shown } = await loaded();
      const query = (c.req.query("q") ?? "").slice(0, longestQuery);
      const content = await searchResults(shown, query, `${prefix}/docs`);
      return show(c, shown, { title: "Search", path: "search", content, query });
    })
    .get("*", async (c) => {
      const { shown, assets } = await loaded();
      const path = c.req.path.replace(/^\/docs\/?/, "");
      const page = shown.pages.get(path);
      if (page !== undefined) {
        return show(c, shown, { title: page.title, path, content: page.html });
      }
      const asset = assets.get(path);
      if (asset === undefined) {
        const isBrowser = c.req.header("Accept")?.includes("text/html");
        if (!isBrowser) throw new Fault("notFound", c.req.path);
        c.status(404);
        return show(c, shown, { title: "Page not found", path, content: missing });
      }
      c.header("Content-Type", asset.type);
      c.header("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
      c.header("Cache-Control", "no-cache");
      return c.body(asset.bytes);
    });
}
