/**
 * Types of resources as the saved configuration needs them.
 *
 * @module
 */
import { AGENT_TYPE_URLS, TYPE_URLS } from "../../../mesh/model/mod.ts";

/** Variant of xDS: delta, or state of the world. Its configuration serves no proxy of the other one. */
export type Variant = "delta" | "sotw";

/** Secrets have private keys; trusted roots come from the daemon or from mounted files only. */
const UNSAVED: ReadonlySet<string> = new Set([TYPE_URLS.secret, AGENT_TYPE_URLS.proxyConfig]);

/** A proxy does not start without an answer for these. */
export const REQUIRED_TYPES: readonly string[] = [TYPE_URLS.cluster, TYPE_URLS.listener];

/** Types whose resources belong to one of another type: `<parent>/<rest>`. */
export const CHILD_TYPES: ReadonlyMap<string, string> = new Map([
  [TYPE_URLS.virtualHost, TYPE_URLS.route],
]);

/** Reports if resources of a type may be on disk. */
export function isSaved(type: string): boolean {
  return type !== "" && !UNSAVED.has(type);
}
