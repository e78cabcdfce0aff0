import { faults } from "../../../core/base/faults.ts";

const byCode = new Map(Object.values(faults).map(({ code, advice }) => [String(code), advice]));

/** What to do about an error code; undefined for an unknown one. */
export const adviceOf = (code: unknown): string | undefined => byCode.get(String(code));
