import { Hono } from "hono";
import type { Ports } from "../../core/ports/ports.ts";
import type { ConsoleEnv } from "./frame/env.ts";
import { schemasOf } from "./frame/schemas.ts";
import { accountPages as accountsPages } from "./administration/accounts.tsx";
import { buyNumberPages } from "./build/buy_number.tsx";
import { errorPages } from "./pages/errors.tsx";
import { recordingAudio } from "./pages/recordings.ts";
import { search } from "./pages/search.tsx";
import { keyPages } from "./administration/keys.tsx";
import { kindPages } from "./pages/kind_pages.tsx";
import { kinds } from "./pages/kinds.tsx";
import { callPages } from "./pages/calls.tsx";
import { designerPages } from "./designer/designer.tsx";
import { deliveryPages } from "./pages/deliveries.tsx";
import { eventPages, levelPages } from "./live/events.ts";
import { livePages } from "./live/live.tsx";
import { tailPages } from "./live/tail.tsx";
import { overviewPages } from "./pages/overview.tsx";
import { servicePages } from "./administration/service.tsx";
import { testCallPages } from "./build/test_call.tsx";
import { tryMarkupPages } from "./build/try_markup.tsx";
import { usagePages } from "./administration/usage.tsx";

/** The pages of an account. Those of their own come before the regular ones of the same path. */
export function accountPages(ports: Ports): Hono<ConsoleEnv> {
  const with_ = { ports, schemaOf: schemasOf(ports) };
  const app = new Hono<ConsoleEnv>();
  app.route("/", overviewPages(ports));
  app.get("/search", (c) => search(c, ports));
  app.route("/Accounts", accountsPages(with_));
  app.route("/Notifications", errorPages(ports));
  app.route("/Recordings", recordingAudio());
  app.route("/Calls", callPages(with_));
  app.route("/live", livePages(ports));
  app.route("/tail", tailPages(ports));
  app.route("/Events", eventPages(ports));
  app.route("/levels", levelPages(ports));
  app.route("/Flows", designerPages(with_));
  app.route("/Webhooks/Deliveries", deliveryPages(with_));
  app.route("/IncomingPhoneNumbers", buyNumberPages(ports));
  app.route("/Keys", keyPages(with_));
  app.route("/Usage/Records", usagePages(ports));
  app.route("/Supervisor", servicePages(ports));
  app.route("/test-call", testCallPages(ports));
  app.route("/Webhooks/Tests", tryMarkupPages(ports));
  for (const kind of kinds) app.route(`/${kind.definition.path}`, kindPages(kind, with_));
  return app;
}
