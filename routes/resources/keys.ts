import { Hono } from "hono";
import { makeKey, secretOf } from "../../core/accounts/make_key.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import { type AnyResource, paramsSchema } from "../../core/model/resource.ts";
import { type Key, keys as definition, newKeys } from "../../core/model/resources/keys.ts";
import { answer, type Forms } from "../http/answer.ts";
import type { Ctx, Env } from "../http/env.ts";
import { keeping, making } from "../http/make_once.ts";
import { readParams } from "../http/params.ts";
import { shapeOf } from "../http/represent.ts";
import { resourceRoutes } from "./resource_routes.ts";

const shape = shapeOf(newKeys);
const { create, ...regular }: AnyResource = definition;
const parameters = {
  ...definition,
  schema: paramsSchema(definition.fields, [], create?.optional ?? []),
};

const forms = (key: Key): Forms => {
  const shown = { ...key, secret: secretOf(key) };
  return shape.forms(shown);
};

/** API keys: the regular operations, and a creation that responds with the secret. */
export function keyRoutes(ports: Ports): Hono<Env> {
  const { keys } = ports.records;
  const app = new Hono<Env>().post(
    "/",
    making(ports, async (c: Ctx) => {
      const sent: Partial<Key> = await readParams(c, parameters);
      const records = {
        ...ports.records,
        keys: { ...keys, ...keeping(c, keys, { forms }, ports) },
      };
      return answer(c, forms(await makeKey(c.var, sent, { ...ports, records })));
    }),
  );
  return app.route("/", resourceRoutes(regular, keys, ports));
}
