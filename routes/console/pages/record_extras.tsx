import type { Child } from "hono/jsx";
import type { Ports } from "../../../core/ports/ports.ts";
import { applications } from "../../../core/resources/applications.ts";
import { clients } from "../../../core/resources/clients.ts";
import { deliveries } from "../../../core/resources/deliveries.ts";
import { gateways } from "../../../core/resources/gateways.ts";
import type { Row } from "../frame/api.ts";
import type { Page } from "../frame/env.ts";
import { clientExtra } from "../build/client_extra.tsx";
import { gatewayExtra } from "../build/gateway_extra.tsx";
import { deliveryExtra } from "./delivery_extra.tsx";
import { applicationExtra } from "./application_extra.tsx";

type Extra = (c: Page, row: Row, ports: Ports) => Child | Promise<Child>;

/** What the page of a record shows beside its fields, by the path of its resource. */
export const extras: Readonly<Record<string, Extra>> = {
  [applications.path]: applicationExtra,
  [clients.path]: clientExtra,
  [deliveries.path]: deliveryExtra,
  [gateways.path]: gatewayExtra,
};
