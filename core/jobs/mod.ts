import type { AnyJobHandler } from "../job.ts";
import { deliverWebhook } from "./deliver_webhook.ts";
import { dialCall } from "./dial_call.ts";
import { forgetClients } from "./forget_clients.ts";
import { hangUp } from "./hang_up.ts";
import { packTexts } from "./pack_texts.ts";
import { redirectCall } from "./redirect_call.ts";

/** Every kind of job that the service runs. */
export const handlers: AnyJobHandler[] = [
  deliverWebhook,
  dialCall,
  forgetClients,
  hangUp,
  packTexts,
  redirectCall,
];
