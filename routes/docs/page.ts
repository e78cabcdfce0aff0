import type { Rendered } from "./markdown.ts";

/** A page of the documentation. */
export interface Page extends Rendered {
  /** Below `/docs/`; empty for the first page. */
  path: string;
  /** The folder that it stands under in the sidebar. */
  group: string;
}
