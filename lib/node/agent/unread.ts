/**
 * Settings of one pod that cannot be read. A proxy starts without them: a mistake in an annotation
 * must not stop a workload.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import type { JsonObject } from "../../kit/proto/mod.ts";

/** Collects settings that are set and cannot be read: name and reason. */
export type Unread = (name: string, reason: string) => void;

/** Reads a JSON object; `undefined` if the text is none. */
export function readObject(name: string, text: string, unread: Unread): JsonObject | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    unread(name, `its value is not JSON: ${messageOf(error).slice(0, MAX_MESSAGE)}`);
    return undefined;
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as JsonObject;
  }
  unread(name, 'its value is JSON and not an object such as {"app":"shop"}');
  return undefined;
}

/** The engine's message contains a part of the text, which may be long. */
const MAX_MESSAGE = 200;
