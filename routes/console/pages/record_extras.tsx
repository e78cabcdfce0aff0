import type { Child } from "hono/jsx";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { applications } from "../../../core/model/resources/applications.ts";
import { clients } from "../../../core/model/resources/clients.ts";
import { deliveries } from "../../../core/model/resources/deliveries.ts";
import { documentRequests } from "../../../core/model/resources/document_requests.ts";
import { gateways } from "../../../core/model/resources/gateways.ts";
import { notifications } from "../../../core/model/resources/notifications.ts";
import { recordings } from "../../../core/model/resources/recordings.ts";
import type { Row } from "../frame/api.ts";
import type { Page } from "../frame/env.ts";
import { clientExtra } from "../build/client_extra.tsx";
import { gatewayExtra } from "../build/gateway_extra.tsx";
import { deliveryExtra } from "./delivery_extra.tsx";
import { applicationExtra } from "./application_extra.tsx";
import { exchangeExtra } from "./exchange.tsx";
import { notificationExtra } from "./notification_extra.tsx";
import { recordingExtra } from "./recording_extra.tsx";

type Extra = (c: Page, row: Row, ports: Ports) => Child | Promise<Child>;

/** Content of a record's page besides its fields, by the path of its resource. */
export const extras: Readonly<Record<string, Extra>> = {
  [applications.path]: applicationExtra,
  [clients.path]: clientExtra,
  [deliveries.path]: deliveryExtra,
  [documentRequests.path]: exchangeExtra,
  [gateways.path]: gatewayExtra,
  [notifications.path]: notificationExtra,
  [recordings.path]: recordingExtra,
};
