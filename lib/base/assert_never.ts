/**
 * Closes a `switch` over a union: the type checker refuses the call as long as a member is left,
 * and a value that came in from outside the types is named instead of being let through.
 */
export function assertNever(value: never): never {
  throw new TypeError(`value outside of its type: ${JSON.stringify(value)}`);
}
