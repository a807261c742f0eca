/**
 * Fetching of key sets: private addresses are excluded.
 *
 * @module
 */
import { objectKey } from "../../../mesh/model/mod.ts";
import type { DocumentAnalyzer, PodShape } from "../document_set.ts";
import { listAt, textAt } from "../plain.ts";
import { isDaemon } from "./mesh_objects.ts";

/** The variable of the daemon with the excluded ranges. */
const VARIABLE = "BLOCKED_CIDRS_IN_JWKS_URIS";

/** Most names in a message. */
const MAX_NAMES = 5;

/** RequestAuthentications, and a daemon that may fetch key sets from any address. */
export const KEY_SET_FETCHES: DocumentAnalyzer = {
  name: "authn.BlockedCIDRsAnalyzer",
  kinds: ["Deployment", "RequestAuthentication"],
  codes: ["MSH0175"],
  *analyze(set) {
    const names = set.of("RequestAuthentication").map(objectKey).sort();
    if (names.length === 0) return;
    const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : "";
    for (const pod of set.pods()) {
      const { document } = pod;
      if (document.kind !== "Deployment" || !isDaemon(document) || isRestricted(pod)) continue;
      const args = [`${names.length}`, names.slice(0, MAX_NAMES).join(", ") + more];
      yield { on: document, code: "MSH0175", args, path: "spec.template.spec.containers" };
    }
  },
};

function isRestricted({ spec }: PodShape): boolean {
  return listAt(spec, "containers").flatMap((container) => listAt(container, "env"))
    .some((one) => textAt(one, "name") === VARIABLE && textAt(one, "value") !== "");
}
