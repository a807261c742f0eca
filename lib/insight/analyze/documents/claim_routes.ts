/**
 * Routes by claims of tokens: the gateway authenticates requests.
 *
 * @module
 */
import { gatewayKey, hasLabels, objectKey } from "../../../mesh/model/mod.ts";
import {
  type DocumentAnalyzer,
  type DocumentSet,
  type PodShape,
  selectedPods,
} from "../document_set.ts";
import { listAt, mapAt, type PlainDocument, textsOf } from "../plain.ts";
import { MESH_NETWORKING } from "./groups.ts";

/** A VirtualService that routes by claims at a gateway without RequestAuthentication. */
export const CLAIM_ROUTES: DocumentAnalyzer = {
  name: "virtualservice.JWTClaimRouteAnalyzer",
  kinds: ["VirtualService", "Gateway", "Pod", "RequestAuthentication"],
  codes: ["MSH0149"],
  *analyze(set) {
    for (const on of set.of("VirtualService", MESH_NETWORKING)) {
      const claim = claimOf(on);
      if (claim === undefined) continue;
      for (const [at, name] of listAt(on.value, "spec", "gateways").entries()) {
        if (typeof name !== "string" || name === "mesh") continue;
        const key = gatewayKey(name, on.namespace);
        const gateway = set.of("Gateway", MESH_NETWORKING)
          .find((one) => objectKey(one) === key);
        const selector = textsOf(mapAt(gateway?.value, "spec", "selector"));
        for (const pod of selectedPods(set.pods(), undefined, selector)) {
          if (isAuthenticated(set, pod)) continue;
          const args = [claim, key, pod.document.name];
          yield { on, code: "MSH0149", args, path: `spec.gateways[${at}]` };
        }
      }
    }
  },
};

/** The first header of a match that stands for a claim (`@request.auth.claims.sub`). */
function claimOf({ value }: PlainDocument): string | undefined {
  return listAt(value, "spec", "http").flatMap((route) => listAt(route, "match"))
    .flatMap((match) => [
      ...Object.keys(mapAt(match, "headers")),
      ...Object.keys(mapAt(match, "withoutHeaders")),
    ])
    .find((name) => /^@request\.auth\.claims[.[]/.test(name));
}

function isAuthenticated(set: DocumentSet, pod: PodShape): boolean {
  return set.of("RequestAuthentication").some(({ namespace, value }) =>
    [pod.namespace, set.settings.meshNamespace].includes(namespace) &&
    hasLabels(pod.labels, textsOf(mapAt(value, "spec", "selector", "matchLabels")))
  );
}
