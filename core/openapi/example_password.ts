import { limits } from "../base/limits.ts";

const word = "secret";

/** The password of a Client that examples show: long enough for CLIENT_PASSWORD_MIN. */
export const examplePassword = (least: number): string =>
  word.repeat(Math.ceil(limits.passwordLength / word.length)).slice(
    0,
    Math.max(word.length, least),
  );
