/**
 * The ConfigMaps that objects name: with authorities, with parameters.
 *
 * @module
 */
import type { ObjectKey } from "../../model/mod.ts";
import {
  type BackendTlsPolicySpec,
  type GatewaySpec,
  type ObjectReference,
  referenced,
} from "./objects.ts";

/** `namespace/name` of the ConfigMaps that objects name, each list sorted. */
export interface WantedConfigMaps {
  /** Those whose key `ca.crt` counts. */
  readonly authorities: readonly string[];
  /** Those of Gateways and GatewayClasses. */
  readonly parameters: readonly string[];
}

/** Those that a Gateway in `namespace` names, for the validation of clients. */
export function configMapsOfGateway({ tls }: GatewaySpec, namespace: string): ObjectKey[] {
  const frontend = tls?.frontend;
  const all = [frontend?.default, ...(frontend?.perPort ?? []).map((one) => one.tls)];
  return all.flatMap((one) => configMaps(one?.validation?.caCertificateRefs, namespace));
}

/** Those that a BackendTLSPolicy, or the TLS of an XBackend, in `namespace` names. */
export function configMapsOfPolicy(
  { validation }: Pick<BackendTlsPolicySpec, "validation">,
  namespace: string,
): ObjectKey[] {
  return configMaps(validation?.caCertificateRefs, namespace);
}

/** That with the parameters of a Gateway in `namespace`, or of a class (whose reference names one). */
export function configMapsOfParameters(
  reference: ObjectReference | undefined,
  namespace: string,
): ObjectKey[] {
  return reference === undefined ? [] : configMaps([reference], namespace);
}

function configMaps(refs: readonly ObjectReference[] = [], namespace: string): ObjectKey[] {
  return refs.filter(({ group, kind }) => !group && kind === "ConfigMap")
    .map((ref) => referenced(ref, namespace));
}
