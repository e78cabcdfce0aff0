/**
 * Stands for the tag of a peer that has none (RFC 2543), where the library needs one; RFC 3261 §12.1.2
 * takes it for null. No tag in a message can be like it. It is never sent.
 */
export const NO_TAG = "\0none";
