import { commandConfig } from "../machine/configuration/command_config.ts";
import type { Config } from "../machine/configuration/config.ts";
import { machineAddresses } from "../machine/configuration/machine_addresses.ts";
import type { Connection } from "./service.ts";

/** Flags of the command about the connection. */
export interface Flags {
  url?: string | undefined;
  "account-sid"?: string | undefined;
}

/** A connection; with the configuration of the service where it runs on this machine. */
export interface Connected extends Connection {
  config: Config | null;
}

/**
 * The service of flags and environment; without an address the one of this machine, with the
 * credentials that it wrote into DATA_DIR. The AuthToken is no flag: other users see those of a process.
 */
export function connect(flags: Flags): Connected {
  const url = flags.url ?? Deno.env.get("SWITCHBOARD_URL") ?? "";
  const accountSid = flags["account-sid"] ?? Deno.env.get("ACCOUNT_SID") ?? "";
  const key = Deno.env.get("API_KEY_SID") ?? "";
  const authToken = Deno.env.get(key === "" ? "AUTH_TOKEN" : "API_KEY_SECRET") ?? "";
  if ((accountSid === "") !== (authToken === "")) {
    throw new Error(
      "Cannot log in: set both ACCOUNT_SID and AUTH_TOKEN, or neither; with an API key, ACCOUNT_SID, " +
        "API_KEY_SID and API_KEY_SECRET",
    );
  }
  const user = key === "" ? accountSid : key;
  if (url !== "") {
    if (accountSid === "") {
      throw new Error(
        `Cannot log in at ${url}: set ACCOUNT_SID and AUTH_TOKEN of the root account`,
      );
    }
    return { url: checked(url), accountSid, user, authToken, config: null };
  }
  const config = commandConfig(machineAddresses());
  const credentials = accountSid === "" ? readCredentials(config) : { accountSid, user, authToken };
  return { url: config.SERVICE_URL.replace(/(?<!\/)\/+$/, ""), ...credentials, config };
}

function checked(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== "") {
    throw new Error(`Cannot use SWITCHBOARD_URL ${url}: set it as in https://pbx.example.com`);
  }
  return parsed.href.replace(/(?<!\/)\/+$/, "");
}

function readCredentials({ DATA_DIR }: Config) {
  const file = `${DATA_DIR}/credentials.json`;
  try {
    const { account_sid, auth_token } = JSON.parse(Deno.readTextFileSync(file));
    const accountSid = String(account_sid);
    return { accountSid, user: accountSid, authToken: String(auth_token) };
  } catch (cause) {
    throw new Error(
      `Cannot read ${file}: ${
        cause instanceof Error ? cause.message : cause
      }. Set DATA_DIR to the ` +
        "service's, or SWITCHBOARD_URL, ACCOUNT_SID and AUTH_TOKEN to reach it from afar",
      { cause },
    );
  }
}
