import { html } from "hono/html";

/** The parts of the service that a person goes to, by the first segment of their paths. */
export const siteParts = [
  { name: "console", title: "Console" },
  { name: "docs", title: "Docs" },
  { name: "softphone", title: "Softphone" },
] as const;

export interface SiteHeader {
  /** The path of the service's address, without a slash at its end. */
  prefix: string;
  /** The first segments of the paths that the service has. */
  served: readonly string[];
  /** The part that the page is of. */
  current?: typeof siteParts[number]["name"];
}

type Html = ReturnType<typeof html>;

/** The links of the header, the same on the pages of all parts. */
export const siteLinks = ({ prefix, served, current }: SiteHeader): Html[] =>
  siteParts.filter(({ name }) => served.includes(name)).map(({ name, title }) =>
    name === current
      ? html`<a href="${prefix}/${name}" aria-current="true">${title}</a>`
      : html`<a href="${prefix}/${name}">${title}</a>`
  );

/** The header of pages with the styles of the documentation; `more` stands at its end. */
export const siteHeader = (site: SiteHeader, more: Html | "" = ""): Html =>
  html`<header class="bar">
          <a class="brand" href="${site.prefix}/">Switchboard</a>
          ${
    siteLinks(site).length > 0 ? html`<nav aria-label="Service">${siteLinks(site)}</nav>` : ""
  }
          ${more}
        </header>`;
