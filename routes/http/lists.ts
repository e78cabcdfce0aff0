import { listNames, readListQuery } from "../../core/model/rest/list_query.ts";
import { partOf, spellingsOf } from "../../core/model/values/dialled.ts";
import { linkHeader, pageOf, windowOf } from "../../core/model/rest/paging.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import type { Base } from "../../core/base/record.ts";
import type { Query, Slice } from "../../core/model/store.ts";
import type { AnyResource } from "../../core/model/resource.ts";
import type { Ctx } from "./env.ts";
import { formatOf } from "./format.ts";
import { answerTexts } from "./list_frame.ts";
import { queryOf, warnUnknown } from "./params.ts";
import type { Shape } from "./represent.ts";
import { writeInSlices } from "./slices.ts";

/** A list of records, and how it is read. */
export interface ListSource {
  definition: AnyResource;
  shape: Shape;
  /** The address of the list, without a suffix. */
  address: string;
  /** Plain in JSON with the total in a header, paged in XML: the spec's form of phone numbers. */
  isCounted?: boolean;
  read(query: Query): Promise<Slice<Base>>;
}

/** Responds with one page of a list: in the paging envelope, or plain with a `Link` header. */
export async function answerList(
  c: Ctx,
  { definition, shape, address, isCounted, read }: ListSource,
  { settings }: Ports,
): Promise<Response> {
  const { country } = settings.trunks;
  const query = readListQuery(
    definition,
    queryOf(c),
    (value, isPart) => isPart ? [partOf(value)] : spellingsOf(value, country),
  );
  warnUnknown(c, query.unknown, listNames(definition));
  const suffix = formatOf(c.req.raw) === "json" ? ".json" : "";
  const { items, page } = pageOf(await read(windowOf(query)), query, address + suffix);
  if (!definition.paged) {
    c.header("Link", linkHeader(page, new URL(settings.baseUrl).pathname.replace(/\/$/, "")));
  }
  if (isCounted) c.header("X-Total-Count", String(page.total));
  const envelope = definition.paged ? page : undefined;
  const write = formatOf(c.req.raw) === "json" ? shape.jsonText : shape.xmlText;
  const texts = await writeInSlices(items, write);
  return answerTexts(c, texts, {
    json: () => shape.jsonFrame(envelope),
    xml: () => shape.xmlFrame(isCounted ? page : envelope),
  });
}
