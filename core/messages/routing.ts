import type { Ports } from "../model/ports/ports.ts";
import type { MessageRoute } from "../model/ports/providers.ts";
import type { Message } from "../model/resources/messages.ts";
import { mayLeaveTo } from "../model/values/destinations.ts";
import { clientRoute } from "./client_route.ts";
import { numberRoute } from "./number_route.ts";

/**
 * The ways that lead to a message's recipient, in the order they are tried: the one within the
 * service where there is one, else the operator's.
 */
export async function routesOf(message: Message, ports: Ports): Promise<MessageRoute[]> {
  const holding = ports.messageRoutes.filter((route) => route.holds?.(message));
  if (holding.length > 0) return holding;
  for (const route of [clientRoute(ports), numberRoute(ports)]) {
    if (await route.reaches(message)) return [route];
  }
  if (!mayLeaveTo(message.to, ports.settings.trunks.prefixes)) return [];
  const routes: MessageRoute[] = [];
  for (const route of ports.messageRoutes) {
    if (await route.reaches(message)) routes.push(route);
  }
  return routes;
}
