/** An element of the markup, as XML. */
export interface Element<Name extends string = string> {
  readonly name: Name;
  readonly xml: string;
}

/** A builder of an element: its attributes, then its text or the elements inside it. */
export type Builder<Name extends string, Attributes, Content> = (
  attributes: Attributes,
  ...content: Content[]
) => Element<Name>;

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};

/** Escapes a text, and leaves out what XML 1.0 (§2.2) cannot carry. */
const escape = (text: string, special: RegExp): string =>
  // deno-lint-ignore no-control-regex
  text.toWellFormed().replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "")
    .replace(special, (character) => entities[character]!);

/** Makes the builder of an element. */
export const builder =
  <Name extends string, Attributes extends object, Content extends string | Element>(
    name: Name,
  ): Builder<Name, Attributes, Content> =>
  (attributes, ...content) => {
    const given = Object.entries(attributes).filter(([, value]) => value !== undefined)
      .map(([key, value]) => ` ${key}="${escape(String(value), /[&<>"\t\n\r]/g)}"`).join("");
    const inner = content.map((one) => typeof one === "string" ? escape(one, /[&<>\r]/g) : one.xml);
    return { name, xml: `<${name}${given}>${inner.join("")}</${name}>` };
  };

/** Builds a whole document. */
export const documentOf = (...verbs: Element[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>${builder("Response")({}, ...verbs).xml}`;
