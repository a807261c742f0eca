/**
 * Makes a `switch` over a union exhaustive: the type checker rejects the call while a member is
 * missing, and an unexpected value at run time is an error that names it.
 */
export function assertNever(value: never): never {
  throw new TypeError(`value outside of its type: ${JSON.stringify(value)}`);
}
