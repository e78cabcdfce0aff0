import { phoneText } from "../../base/fields.ts";
import { dialString } from "../../values/dialled.ts";

/** A phone number without the separators that people write in it; any other text as it is. */
const bare = (text: string): string =>
  /^[+(]?[\d\s().-]{6,}$/.test(text) ? dialString(text) ?? text : text;

/** `From` or `To` of a call or message; a number may have spaces, hyphens, full stops and parentheses. */
export const asWritten = phoneText().overwrite(bare);
