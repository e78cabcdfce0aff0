/** The same text in memory of its own: one cut out of a message keeps all of that. */
export const apart = (text: string): string => ` ${text}`.slice(1);
