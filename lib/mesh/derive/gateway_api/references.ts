/**
 * The Secrets and ConfigMaps that objects of the Gateway API refer to: those that must be read, and
 * those that binding allows proxies to have.
 *
 * @module
 */
import { type Derived, type Graph, type Index, type Read, text } from "../../graph/mod.ts";
import { type ObjectKey, objectKey, objectKeys } from "../../model/mod.ts";
import {
  type ApiBackend,
  type BackendTlsPolicy,
  type BoundBackend,
  type BoundBackendTls,
  type BoundGateway,
  configMapsOfGateway,
  configMapsOfParameters,
  configMapsOfPolicy,
  type Gateway,
  type GatewayClass,
  type WantedConfigMaps,
} from "../../gateway_api/mod.ts";
import type { GatewayApiTables } from "./tables.ts";

/** An object that may be sent to proxies, in part. */
export interface AllowedReference extends ObjectKey {
  readonly kind: "Secret" | "ConfigMap";
  readonly part: "certificate" | "authorities";
}

/** Bindings with references. */
export interface ReferringTables {
  readonly gateways: Derived<BoundGateway | undefined, ObjectKey>;
  readonly policies: Derived<BoundBackendTls | undefined, ObjectKey>;
  readonly backends: Derived<BoundBackend | undefined, ObjectKey>;
}

/** The derived tables of references. */
export interface References {
  /** Key `all` → the ConfigMaps that objects name. */
  readonly wantedConfigMaps: Derived<WantedConfigMaps, string>;
  /**
   * Namespace of proxies → what its Gateways refer to: in the same namespace as the object with the
   * reference, or allowed by a ReferenceGrant.
   */
  readonly ofGateways: Derived<readonly AllowedReference[], string>;
  /** Key `all` → authorities that BackendTLSPolicies and XBackends refer to, which are no secret. */
  readonly ofPolicies: Derived<readonly AllowedReference[], string>;
}

const ALL = { bucket: text, member: text };

/** Creates the tables. */
export function deriveReferences(
  graph: Graph,
  api: GatewayApiTables,
  bound: ReferringTables,
): References {
  const {
    gateways,
    policies,
    parameters,
    classes,
    byNamespace,
    allPolicies,
    backends,
    allBackends,
  } = referenceIndexes(graph, api);
  const named = (read: Read, key: string, indexes: readonly Index[]) =>
    [...new Set(indexes.flatMap((index) => read.members(index, key)))].sort();
  return {
    wantedConfigMaps: graph.derive(
      "gatewayApi.configMaps",
      text,
      (read, key): WantedConfigMaps => ({
        authorities: named(read, key, [gateways, policies, backends]),
        parameters: named(read, key, [parameters, classes]),
      }),
    ),
    ofGateways: graph.derive(
      "gatewayApi.references",
      text,
      (read, namespace) =>
        read.members(byNamespace, namespace).flatMap((key) => {
          const found = read.get(bound.gateways, key);
          return found === undefined ? [] : referencesOf(found);
        }),
    ),
    ofPolicies: graph.derive(
      "gatewayApi.policyReferences",
      text,
      (read, key) =>
        [
          ...read.members(allPolicies, key).map((policy) => read.get(bound.policies, policy)),
          ...read.members(allBackends, key).map((one) => read.get(bound.backends, one)?.validation),
        ].flatMap((found) =>
          (found?.authorities.valid ?? []).map((one) => ({ ...referred(one), ...AUTHORITIES }))
        ),
    ),
  };
}

function referenceIndexes(graph: Graph, api: GatewayApiTables) {
  const gateways: Index = graph.index(
    api.gateways,
    "GatewayApi.gatewayConfigMaps",
    ALL,
    function* ({ meta, spec }: Gateway) {
      for (const one of configMapsOfGateway(spec, meta.namespace)) yield ["all", objectKey(one)];
    },
  );
  const parameters: Index = graph.index(
    api.gateways,
    "GatewayApi.parameters",
    ALL,
    function* ({ meta, spec }: Gateway) {
      const reference = spec.infrastructure?.parametersRef;
      for (const one of configMapsOfParameters(reference, meta.namespace)) {
        yield ["all", objectKey(one)];
      }
    },
  );
  const classes: Index = graph.index(
    api.gatewayClasses,
    "GatewayApi.classParameters",
    ALL,
    function* ({ spec }: GatewayClass) {
      for (const one of configMapsOfParameters(spec.parametersRef, "")) {
        yield ["all", objectKey(one)];
      }
    },
  );
  const policies: Index = graph.index(
    api.backendTlsPolicies,
    "GatewayApi.policyConfigMaps",
    ALL,
    function* ({ meta, spec }: BackendTlsPolicy) {
      for (const one of configMapsOfPolicy(spec, meta.namespace)) yield ["all", objectKey(one)];
    },
  );
  const byNamespace: Index<string, ObjectKey> = graph.index(
    api.gateways,
    "GatewayApi.namespace",
    { bucket: text, member: objectKeys },
    function* ({ meta }: Gateway) {
      yield [meta.namespace, meta];
    },
  );
  const allPolicies: Index<string, ObjectKey> = graph.index(
    api.backendTlsPolicies,
    "BackendTLSPolicy.all",
    { bucket: text, member: objectKeys },
    function* ({ meta }: BackendTlsPolicy) {
      yield ["all", meta];
    },
  );
  return {
    ...{ gateways, policies, parameters, classes, byNamespace, allPolicies },
    ...backendIndexes(graph, api),
  };
}

/** XBackends, and the ConfigMaps with their authorities. */
function backendIndexes(graph: Graph, api: GatewayApiTables) {
  const backends: Index = graph.index(
    api.backends,
    "GatewayApi.backendConfigMaps",
    ALL,
    function* ({ meta, spec: { tls } }: ApiBackend) {
      for (const one of configMapsOfPolicy(tls ?? {}, meta.namespace)) {
        yield ["all", objectKey(one)];
      }
    },
  );
  const allBackends: Index<string, ObjectKey> = graph.index(
    api.backends,
    "XBackend.all",
    { bucket: text, member: objectKeys },
    ({ meta: { namespace, name } }: ApiBackend) => [["all", { namespace, name }]],
  );
  return { backends, allBackends };
}

const CERTIFICATE = { part: "certificate" } as const;
const AUTHORITIES = { part: "authorities" } as const;

type Named = ObjectKey & { readonly kind: AllowedReference["kind"] };

/** The reference alone: members of the result must be equal when nothing else differs. */
function referred({ kind, namespace, name }: Named): Named {
  return { kind, namespace, name };
}

function referencesOf({ listeners, clientCertificate }: BoundGateway): AllowedReference[] {
  const ofListeners = listeners.flatMap(({ certificates, frontend }) => [
    ...certificates.valid.map((one) => ({ ...referred(one), ...CERTIFICATE })),
    ...(frontend?.authorities.valid ?? []).map((one) => ({ ...referred(one), ...AUTHORITIES })),
  ]);
  if (clientCertificate === undefined) return ofListeners;
  const own = referred({ kind: "Secret", ...clientCertificate });
  return [...ofListeners, { ...own, ...CERTIFICATE }];
}
