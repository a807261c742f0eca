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

/** RequestAuthentications with a URI, and a daemon that may fetch from any address. */
export const KEY_SET_FETCHES: DocumentAnalyzer = {
  name: "authn.BlockedCIDRsAnalyzer",
  kinds: ["Deployment", "RequestAuthentication"],
  codes: ["MSH0175"],
  *analyze(set) {
    const fetching = set.of("RequestAuthentication").filter(({ value }) =>
      listAt(value, "spec", "jwtRules").some((rule) => textAt(rule, "jwksUri") !== "")
    );
    if (fetching.length === 0) return;
    const names = fetching.map(objectKey).sort().join(", ");
    for (const pod of set.pods()) {
      const { document } = pod;
      if (document.kind !== "Deployment" || !isDaemon(pod) || isRestricted(pod)) {
        continue;
      }
      const args = [`${fetching.length}`, names];
      yield { on: document, code: "MSH0175", args, path: "spec.template.spec.containers" };
    }
  },
};

function isRestricted({ spec }: PodShape): boolean {
  return listAt(spec, "containers").flatMap((container) => listAt(container, "env"))
    .some((one) => textAt(one, "name") === VARIABLE && textAt(one, "value") !== "");
}
