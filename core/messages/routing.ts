import type { Ports } from "../ports.ts";
import type { MessageRoute } from "../providers.ts";
import type { Message } from "../resources/messages.ts";
import { clientRoute } from "./client_route.ts";
import { numberRoute } from "./number_route.ts";

/** The first way that leads to a message's recipient: within the service, else the operator's. */
export async function routeOf(message: Message, ports: Ports): Promise<MessageRoute | null> {
  for (const route of [clientRoute(ports), numberRoute(ports), ...ports.messageRoutes]) {
    if (await route.reaches(message)) return route;
  }
  return null;
}
