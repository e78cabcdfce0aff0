import type { Child } from "hono/jsx";

/** A figure with its label, and a line of detail; with `to` it is a link. */
export function Tile({ to, title, figure, more = "" }: {
  to?: string;
  title: string;
  figure: string;
  more?: Child;
}) {
  const content = (
    <>
      <span class="soft">{title}</span>
      <span class="figure">{figure}</span>
      {more && <span class="soft">{more}</span>}
    </>
  );
  return to === undefined
    ? <div class="tile">{content}</div>
    : <a class="tile" href={to}>{content}</a>;
}
