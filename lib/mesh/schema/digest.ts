/**
 * Digests of objects: equal content has equal digests.
 *
 * @module
 */
import { hash, STEP_ITEMS } from "../../kit/base/mod.ts";
import { type DescMessage, encode, type Message } from "../../kit/proto/mod.ts";
import type { Metadata } from "./metadata.ts";

/** The digest of an object. Long lists of its specification are encoded in steps. */
export function* digestInSteps(
  schema: DescMessage,
  spec: Message,
  { labels, annotations }: Metadata,
): Generator<void, string> {
  const lists = schema.fields.flatMap(({ localName }) => {
    const list: unknown = Reflect.get(spec, localName);
    return Array.isArray(list) && list.length > STEP_ITEMS ? [{ localName, list }] : [];
  });
  // The reader sorts the keys of maps, so equal content has equal bytes.
  const digestOf = (message: Message) => hash(encode(schema, message));
  if (lists.length === 0) return hash(JSON.stringify([digestOf(spec), labels, annotations]));
  const emptied = Object.fromEntries(lists.map(({ localName }) => [localName, []]));
  const digests = [digestOf({ ...spec, ...emptied })];
  for (const { localName, list } of lists) {
    for (let at = 0; at < list.length; at += STEP_ITEMS) {
      yield;
      const part: unknown[] = list.slice(at, at + STEP_ITEMS);
      digests.push(digestOf({ ...spec, ...emptied, [localName]: part }));
    }
  }
  return hash(JSON.stringify([digests, labels, annotations]));
}
