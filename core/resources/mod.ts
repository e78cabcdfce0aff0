import { applications } from "./applications.ts";
import { calls } from "./calls.ts";
import { clients } from "./clients.ts";
import { notifications } from "./notifications.ts";

/** Every resource type below an account, by the name its records go by. */
export const resources = { applications, calls, clients, notifications };
