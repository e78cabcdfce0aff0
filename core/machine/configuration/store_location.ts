import type { Config } from "./config.ts";

type Named = Pick<Config, "STORE_URL" | "KV_URL" | "DATA_DIR">;

/** True when the store is a server that several services may share, not a file of this machine. */
export const isStoreShared = ({ STORE_URL, KV_URL }: Omit<Named, "DATA_DIR">): boolean =>
  STORE_URL !== "" || KV_URL !== "";

/** Place of the store: the URL of a server, or a file in DATA_DIR. */
export const storeLocation = ({ STORE_URL, KV_URL, DATA_DIR }: Named): string =>
  STORE_URL || KV_URL || `${DATA_DIR}/switchboard.db`;
