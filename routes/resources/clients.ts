import { Hono } from "hono";
import { bindingsOf } from "../../core/accounts/bindings.ts";
import { Fault } from "../../core/base/faults.ts";
import { sliceOf } from "../../core/model/rest/paging.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import type { Query } from "../../core/model/store.ts";
import { bindings as definition } from "../../core/model/resources/views/bindings.ts";
import type { Env } from "../http/env.ts";
import { answerList } from "../http/lists.ts";
import { accountAddress, shapeOf } from "../http/represent.ts";

const shape = shapeOf(definition, null);

/** The operation of Clients beyond the regular ones: the list of their registrations. */
export function clientRoutes(ports: Ports): Hono<Env> {
  return new Hono<Env>().get("/:sid/Bindings", async (c) => {
    const accountSid = c.var.account.sid;
    const sid = c.req.param("sid");
    const client = await ports.records.clients.get(accountSid, sid);
    if (client === null) throw new Fault("notFound", sid);
    const address = `${accountAddress(accountSid)}/Clients/${sid}/${definition.path}`;
    const read = async (query: Query) => sliceOf(await bindingsOf(client, ports), query);
    return await answerList(c, { definition, shape, address, read }, ports);
  });
}
