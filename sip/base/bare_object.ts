/**
 * An object without a prototype: what peers name may be called `__proto__`. V8 makes a table of
 * `Object.create(null)`, which costs more to fill than the rest of what is read into it.
 */
export const BareObject = function () {} as unknown as new <T>() => Record<string, T>;
BareObject.prototype = Object.create(null);
