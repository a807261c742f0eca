/**
 * Modes of mutual TLS as policies of node proxies: connections without an identity are denied.
 *
 * @module
 */
import { create } from "../../../kit/proto/mod.ts";
import {
  Action,
  type Authorization,
  AuthorizationSchema,
  type Match,
  MatchSchema,
  Scope,
} from "#mesh/security/authorization_pb.ts";
import type { ObjectKey, PeerMode } from "../../model/mod.ts";
import { stringMatch } from "./match.ts";

/** Name of the policy of workloads whose mode is strict at all ports. */
export const STATIC_STRICT = "mesh_converted_static_strict";

/** The policy's key, `namespace/name`. */
export function strictPolicyName(rootNamespace: string): string {
  return `${rootNamespace}/${STATIC_STRICT}`;
}

function withoutIdentity(): Match {
  return create(MatchSchema, { notPrincipals: [stringMatch("*")] });
}

/** Denies connections without an identity. */
export function strictPolicy(rootNamespace: string): Authorization {
  return create(AuthorizationSchema, {
    name: STATIC_STRICT,
    namespace: rootNamespace,
    scope: Scope.WORKLOAD_SELECTOR,
    action: Action.DENY,
    groups: [{ rules: [{ matches: [withoutIdentity()] }] }],
  });
}

/** Name of the policy with the ports of a PeerAuthentication. */
export function peerPolicyName({ name }: ObjectKey): string {
  return `converted_peer_authentication_${name}`;
}

/**
 * Denies connections without an identity: at the ports that are strict, or at all ports but those that
 * are not; undefined: no port differs in this.
 *
 * @param mode of all other ports
 */
export function portPolicy(
  key: ObjectKey,
  mode: PeerMode,
  ports: Readonly<Record<string, PeerMode>>,
): Authorization | undefined {
  const isStrict = mode === "strict";
  const others = Object.entries(ports).filter(([, one]) => (one === "strict") !== isStrict)
    .map(([port]) => Number(port));
  if (others.length === 0) return undefined;
  const ofPorts = create(
    MatchSchema,
    isStrict ? { notDestinationPorts: others } : { destinationPorts: others },
  );
  return create(AuthorizationSchema, {
    name: peerPolicyName(key),
    namespace: key.namespace,
    scope: Scope.WORKLOAD_SELECTOR,
    action: Action.DENY,
    groups: [{ rules: [{ matches: [withoutIdentity()] }, { matches: [ofPorts] }] }],
  });
}
