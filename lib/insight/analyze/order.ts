/**
 * Order of messages.
 *
 * @module
 */
import type { Message } from "./message.ts";

/** Orders messages by object, code and path. */
export function byText(a: Message, b: Message): number {
  const [one, two] = [a, b].map(({ object: o, code, path }) =>
    JSON.stringify([o?.kind, o?.namespace, o?.name, code, path])
  );
  return one! < two! ? -1 : one! > two! ? 1 : 0;
}
