/**
 * Security policies of workloads: the mode of mutual TLS, the rules for tokens, and
 * the access policies.
 *
 * @module
 */
import { type Derived, text } from "../../graph/mod.ts";
import { fromObject, keySetName, type ObjectKey } from "../../model/mod.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import { type Workload, workloadKeys } from "../inputs/mod.ts";
import { composeModes, ofWorkloads, type PeerModes } from "./peer_authentication.ts";
import { deriveAttached, type WaypointTarget } from "./attached.ts";
import { deriveSelected, indexSelectors, selecting, type SelectionOptions } from "./selection.ts";

/** The derived tables about security. */
export interface Security {
  /** Row keys of the AuthorizationPolicies that apply to a workload. */
  readonly authorization: Derived<readonly string[], Workload>;
  /** Row keys of the RequestAuthentications that apply to a workload. */
  readonly tokens: Derived<readonly string[], Workload>;
  /** Row keys of the AuthorizationPolicies that are attached to a destination at a waypoint. */
  readonly attachedAuthorization: Derived<readonly string[], WaypointTarget>;
  /** Row keys of the RequestAuthentications that are attached to it. */
  readonly attachedTokens: Derived<readonly string[], WaypointTarget>;
  readonly peerModes: Derived<PeerModes, Workload>;
  /** The PeerAuthentication that selects a workload by labels and counts; undefined: none. */
  readonly peerPolicy: Derived<ObjectKey | undefined, Workload>;
  /** `all` → names of the key sets that rules refer to, sorted; see `keySetName`. */
  readonly keySets: Derived<readonly string[]>;
}

/** Creates the tables. */
export function deriveSecurity(
  { graph, tables }: MeshInputs,
  options: SelectionOptions,
): Security {
  const access = indexSelectors(graph, tables.authorizationPolicies);
  const requests = indexSelectors(graph, tables.requestAuthentications);
  const peers = indexSelectors(graph, tables.peerAuthentications);
  const peerModes = graph.derive(
    "security.peerModes",
    workloadKeys,
    (read, workload): PeerModes => {
      const root = options.rootNamespace(read);
      const rows = selecting(read, peers, workload, root);
      for (const row of rows) {
        read.decide?.({ group: "mutualTls", ...fromObject(row, "spec"), value: "takes part" });
      }
      return composeModes(rows, root);
    },
  );
  const peerPolicy = graph.derive(
    "security.peerPolicy",
    workloadKeys,
    (read, workload): ObjectKey | undefined => {
      const root = options.rootNamespace(read);
      const [row] = ofWorkloads(selecting(read, peers, workload, root), root);
      return row && { namespace: row.meta.namespace, name: row.meta.name };
    },
  );
  const keySets = graph.index(
    tables.requestAuthentications,
    "RequestAuthentication.keySets",
    { bucket: text, member: text },
    function* (row) {
      for (const rule of row.spec.jwtRules) {
        const name = keySetName(rule);
        if (name !== undefined) yield ["all", name];
      }
    },
  );
  return {
    authorization: deriveSelected(graph, "security.authorization", access, options),
    tokens: deriveSelected(graph, "security.tokens", requests, options),
    attachedAuthorization: deriveAttached(graph, "security.attached", access, options),
    attachedTokens: deriveAttached(graph, "security.attachedTokens", requests, options),
    peerModes,
    peerPolicy,
    keySets: graph.derive(
      "security.keySets",
      text,
      (read, bucket) => read.members(keySets, bucket),
    ),
  };
}
