/**
 * Parts that are not names of the mesh: configuration and programs of Envoy, records of tools.
 *
 * @module
 */
import { type Place, textAt } from "./place.ts";

/** Records that tools of the orchestrator write. */
const RECORDS: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
]);

/** True for a value that is left as it is, with what is below it. */
export function isOpaque({ scalar, object, path }: Place): boolean {
  const last = path.at(-1);
  if (scalar.role === "value" && typeof last === "string" && RECORDS.has(last)) return true;
  return isPatchValue({ object, path });
}

/** True for a part of the value of a patch. */
export function isPatchValue({ object, path }: Pick<Place, "object" | "path">): boolean {
  const kind = textAt(object, "kind");
  return (kind === "EnvoyFilter" || kind === "DataproxyFilter") && path[1] === "configPatches" &&
    path[3] === "patch" && path[4] === "value" && path.length > 5;
}
