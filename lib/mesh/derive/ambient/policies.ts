/**
 * Policies of workloads, as node proxies enforce them: derived tables.
 *
 * @module
 */
import { type Derived, type KeyCodec, oneOf, pathOf, type Read, text } from "../../graph/mod.ts";
import { type ObjectKey, objectKey, type PeerMode } from "../../model/mod.ts";
import {
  allowWaypointName,
  allowWaypointPolicy,
  isWaypointPolicy,
  peerPolicyName,
  portPolicy,
  strictPolicy,
  strictPolicyName,
  translateAuthorization,
  type TranslatedPolicy,
} from "../../ambient/mod.ts";
import type { Authorization } from "#mesh/security/authorization_pb.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import type { MeshField, Workload } from "../inputs/mod.ts";
import type { Services } from "../services/mod.ts";
import { modesWithin, type Security } from "../workloads/mod.ts";
import { workloadKeys } from "../inputs/mod.ts";
import type { Waypoints } from "./waypoints.ts";

/** A policy of node proxies by its origin. */
export interface PolicyKey extends ObjectKey {
  /** `strict`: the policy of strict workloads; `waypoint`: that of the Gateway of this name. */
  readonly from: "AuthorizationPolicy" | "PeerAuthentication" | "strict" | "waypoint";
}

/** The codec of {@link PolicyKey}: `from/namespace/name`. */
export const policyKeys: KeyCodec<PolicyKey> = pathOf<PolicyKey>({
  from: oneOf("AuthorizationPolicy", "PeerAuthentication", "strict", "waypoint"),
  namespace: text,
  name: text,
});

/** The derived tables. */
export interface AmbientPolicies {
  /** An AuthorizationPolicy → its form; undefined: there is none, or it is for waypoints. */
  readonly translated: Derived<TranslatedPolicy | undefined, string>;
  /** The policy of an origin. */
  readonly policy: Derived<Authorization | undefined, PolicyKey>;
  /** Names, `namespace/name`, of the policies that select a workload, sorted. */
  readonly ofWorkload: Derived<readonly string[], Workload>;
}

/** Everything that they are made from. */
export interface PolicyInputs {
  readonly mesh: MeshInputs;
  readonly field: MeshField;
  readonly services: Services;
  readonly security: Security;
}

/** Trust domain of a mesh whose configuration names none. */
const DEFAULT_TRUST_DOMAIN = "cluster.local";

/** Trust domain of the mesh. */
export function trustDomainOf(read: Read, field: MeshField): string {
  return field(read, "trustDomain") || DEFAULT_TRUST_DOMAIN;
}

/** Creates the tables. */
export function deriveAmbientPolicies(
  inputs: PolicyInputs,
  waypoints: Waypoints,
): AmbientPolicies {
  const { mesh: { graph, tables, rootNamespace }, security } = inputs;
  const translated = graph.derive("ambient.policy.translated", text, (read, key) => {
    const row = read.get(tables.authorizationPolicies, key);
    return row && translateAuthorization(row, rootNamespace(read));
  });
  return {
    translated,
    policy: graph.derive("ambient.policy", policyKeys, (read, key) => {
      switch (key.from) {
        case "AuthorizationPolicy":
          return read.get(translated, objectKey(key))?.policy;
        case "PeerAuthentication":
          return portPolicyOf(read, inputs, key);
        case "strict":
          return strictPolicy(rootNamespace(read));
        case "waypoint":
          return allowPolicyOf(read, inputs, waypoints, key);
      }
    }),
    ofWorkload: graph.derive("ambient.policies", workloadKeys, (read, workload) => {
      const names = read.get(security.authorization, workload)
        .filter((key) => isSelected(read, inputs, translated, key));
      return [...names, ...peerPolicies(read, inputs, workload)].sort();
    }),
  };
}

/** Reports if a policy that selects workloads by labels is enforced by node proxies. */
function isSelected(
  read: Read,
  { mesh: { tables } }: PolicyInputs,
  translated: AmbientPolicies["translated"],
  key: string,
): boolean {
  const row = read.get(tables.authorizationPolicies, key);
  if (row === undefined || isWaypointPolicy(row.spec)) return false;
  const selects = Object.keys(row.spec.selector?.matchLabels ?? {}).length > 0;
  return selects && read.get(translated, key)?.policy !== undefined;
}

/** Names of the policies that the modes of mutual TLS become. */
function peerPolicies(
  read: Read,
  { mesh: { rootNamespace }, security }: PolicyInputs,
  workload: Workload,
): string[] {
  const { mode, ports } = read.get(security.peerModes, workload);
  const own = read.get(security.peerPolicy, workload);
  if (own !== undefined && portPolicy(own, mode, ports) !== undefined) {
    return [objectKey({ namespace: own.namespace, name: peerPolicyName(own) })];
  }
  return mode === "strict" ? [strictPolicyName(rootNamespace(read))] : [];
}

function portPolicyOf(
  read: Read,
  { mesh: { tables, rootNamespace }, security }: PolicyInputs,
  key: ObjectKey,
): Authorization | undefined {
  const row = read.get(tables.peerAuthentications, objectKey(key));
  if (row === undefined || key.namespace === rootNamespace(read)) return undefined;
  if (Object.keys(row.spec.selector?.matchLabels ?? {}).length === 0) return undefined;
  const around: PeerMode = read.get(security.peerModes, {
    role: "sidecar",
    namespace: key.namespace,
    labels: {},
  }).mode;
  const { mode, ports } = modesWithin(row.spec, around);
  return portPolicy(key, mode, ports);
}

function allowPolicyOf(
  read: Read,
  { field, services }: PolicyInputs,
  { waypoint }: Waypoints,
  key: ObjectKey,
): Authorization | undefined {
  const service = read.get(waypoint, key)?.service;
  if (service === undefined) return undefined;
  const accounts = read.get(services.accounts, service);
  return allowWaypointPolicy(key, accounts, trustDomainOf(read, field));
}

/** Name of the policy that allows a waypoint alone, `namespace/name`. */
export function allowPolicyName(waypoint: ObjectKey): string {
  return objectKey({ namespace: waypoint.namespace, name: allowWaypointName(waypoint) });
}
