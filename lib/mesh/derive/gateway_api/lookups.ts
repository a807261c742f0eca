/**
 * The lookups of binding, as recorded reads.
 *
 * @module
 */
import type { Derived, Read } from "../../graph/mod.ts";
import { fullHost, type ObjectKey, objectKey, type Service } from "../../model/mod.ts";
import {
  BACKEND_PORT,
  backendHost,
  type BackendLookups,
  type BackendTarget,
  type BackendTrafficPolicy,
  bindBackend,
  type BoundGateway,
  type FrontService,
  type GatewayLookups,
  type GrantLookup,
  type MaterialLookup,
  type ParametersLookup,
  type PolicyLookups,
  type RouteLookups,
  type ServiceLookup,
  type TargetLookups,
} from "../../gateway_api/mod.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import type { Services } from "../services/mod.ts";
import type { GatewayApiIndexes } from "./indexes.ts";
import type { GatewayApiOptions, GatewayApiTables } from "./tables.ts";

/** Everything that the lookups read. */
export interface GatewayApiInputs {
  readonly mesh: MeshInputs;
  readonly services: Services;
  readonly api: GatewayApiTables;
  readonly indexes: GatewayApiIndexes;
  readonly options: GatewayApiOptions;
}

/** Reads of namespaces, grants and certificates. */
function commonLookups(read: Read, { mesh, api, indexes, options }: GatewayApiInputs) {
  return {
    namespaceLabels: (name: string) =>
      read.get(mesh.tables.namespaces, objectKey({ namespace: "", name }))?.meta.labels,
    grants: (namespace: string) =>
      read.members(indexes.grants, namespace).map((key) => read.get(api.referenceGrants, key))
        .filter((one) => one !== undefined),
    certificate: (secret: ObjectKey) => options.certificate(read, secret),
    authorities: (kind: "ConfigMap" | "Secret", object: ObjectKey) =>
      options.authorities(read, kind, object),
  };
}

/** Parameters of Gateways and classes. */
export function parametersLookup(read: Read, { options }: GatewayApiInputs): ParametersLookup {
  return { parameters: (object) => options.parameters(read, object) };
}

/** The lookups of `bindGateway`. */
export function gatewayLookups(read: Read, inputs: GatewayApiInputs): GatewayLookups {
  const { api, indexes, options } = inputs;
  return {
    ...commonLookups(read, inputs),
    ...(options.names === undefined ? {} : { names: options.names }),
    gatewayClass: (name) => read.get(api.gatewayClasses, objectKey({ namespace: "", name })),
    listenerSets: (gateway) =>
      read.members(indexes.listenerSets, gateway)
        .map((key) => read.get(api.listenerSets, objectKey(key)))
        .filter((one) => one !== undefined),
  };
}

function targetOf({ host, namespace, ports }: Service): BackendTarget {
  return { host, namespace, ports: ports.map(({ number }) => number) };
}

/** Services, hosts and ServiceEntries as backends and parents. */
export function serviceLookups(
  read: Read,
  { mesh, services }: GatewayApiInputs,
): ServiceLookup {
  const serviceAt = (namespace: string, host: string) => {
    const found = read.get(services.service, { namespace, host });
    return found && targetOf(found);
  };
  return {
    service: (kind, { namespace, name }) => {
      const domain = kind === "Service" ? mesh.domain : "clusterset.local";
      return serviceAt(namespace, `${name}.${namespace}.svc.${domain}`);
    },
    host: (name, namespace) => {
      const key = read.get(services.resolve, { namespace, host: name.toLowerCase() });
      return key && serviceAt(key.namespace, key.host);
    },
    serviceEntry: (key) => {
      const entry = read.get(mesh.tables.serviceEntries, objectKey(key));
      if (entry === undefined) return undefined;
      const { namespace } = entry.meta;
      const ports = entry.spec.ports.map(({ number }) => number);
      return entry.spec.hosts.map((host) => ({ host: host.toLowerCase(), namespace, ports }));
    },
  };
}

/** The lookups of `bindRoute`. */
export function routeLookups(
  read: Read,
  inputs: GatewayApiInputs,
  gateways: Derived<BoundGateway | undefined, ObjectKey>,
): RouteLookups {
  const { api, indexes, options: { experimental } } = inputs;
  const { service, serviceEntry } = serviceLookups(read, inputs);
  return {
    namespaceLabels: commonLookups(read, inputs).namespaceLabels,
    gateway: (key) => read.get(gateways, key),
    aliases: (gateway) => read.members(indexes.aliases, gateway),
    defaultGateways: () => experimental ? read.members(indexes.defaultGateways, "all") : [],
    listenerSet: (key) => read.get(api.listenerSets, objectKey(key)),
    service,
    serviceEntry,
  };
}

/** The lookups of `resolveBackend`. */
export function backendLookups(read: Read, inputs: GatewayApiInputs): BackendLookups {
  const { service, host } = serviceLookups(read, inputs);
  const common = commonLookups(read, inputs);
  return {
    grants: common.grants,
    service,
    host,
    backend: (key) => {
      const row = read.get(inputs.api.backends, objectKey(key));
      if (row === undefined) return undefined;
      if (!inputs.options.experimental) return "XBackends need PILOT_ENABLE_ALPHA_GATEWAY_API";
      const { rejected } = bindBackend(row, common);
      // Servers without an authority that can be used are never trusted: the connection fails.
      if (rejected?.reason === "UnsupportedValue") return rejected.message;
      return { host: backendHost(key), namespace: key.namespace, ports: [BACKEND_PORT] };
    },
  };
}

/** The lookups of `bindBackend`. */
export function apiBackendLookups(
  read: Read,
  inputs: GatewayApiInputs,
): GrantLookup & MaterialLookup {
  return commonLookups(read, inputs);
}

/** The lookups of `bindBackendTls`. */
export function policyLookups(read: Read, inputs: GatewayApiInputs): PolicyLookups {
  const { api, indexes } = inputs;
  return {
    ...commonLookups(read, inputs),
    service: serviceLookups(read, inputs).service,
    policies: (namespace, { name }) =>
      read.members(indexes.policies, { namespace, name })
        .map((key) => read.get(api.backendTlsPolicies, objectKey(key)))
        .filter((one) => one !== undefined),
  };
}

/** The lookups of `bindBackendTraffic`. */
export function trafficLookups(
  read: Read,
  inputs: GatewayApiInputs,
): TargetLookups<BackendTrafficPolicy> {
  const { api, indexes } = inputs;
  return {
    service: serviceLookups(read, inputs).service,
    policies: (namespace, { name }) =>
      read.members(indexes.trafficPolicies, { namespace, name })
        .map((key) => read.get(api.backendTrafficPolicies, objectKey(key)))
        .filter((one) => one !== undefined),
  };
}

/** The Service of a host in front of a Gateway in `namespace`. */
export function frontOf(
  read: Read,
  { mesh, services }: GatewayApiInputs,
  { host, namespace, isDeployed }: {
    readonly host: string;
    readonly namespace: string;
    readonly isDeployed: boolean;
  },
): Omit<FrontService, "type"> | undefined {
  const key = read.get(services.resolve, {
    namespace,
    host: fullHost(host, namespace, mesh.domain),
  });
  const service = key && read.get(services.service, key);
  if (key === undefined || service === undefined) return undefined;
  const { externalAddresses = [], addresses } = service;
  // Proxies that somebody else runs may be unknown to the mesh.
  const ready = isDeployed
    ? read.get(services.endpoints, key).some(({ health }) => health === "healthy")
    : undefined;
  return {
    ...targetOf(service),
    externalAddresses,
    addresses,
    ...(ready === undefined ? {} : { ready }),
  };
}
