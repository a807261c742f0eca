/**
 * A world of documents for tests of this room: objects, and lookups that find them.
 *
 * @module
 */
import { readYaml } from "../../lib/kit/text/mod.ts";
import type { ConfigObject, ObjectKey } from "../../lib/mesh/model/mod.ts";
import type {
  AddressLookup,
  BackendLookups,
  BackendTlsPolicy,
  BoundGateway,
  Gateway,
  GatewayClass,
  GatewayLookups,
  ListenerSet,
  MaterialState,
  ObjectReference,
  ParametersLookup,
  PolicyLookups,
  ReferenceGrant,
  RouteLookups,
} from "../../lib/mesh/gateway_api/mod.ts";
import {
  BACKEND_PORT,
  backendHost,
  bindGateway,
  gatewayOfSet,
  isDefaultGateway,
} from "../../lib/mesh/gateway_api/mod.ts";

/** The objects of a text, and lookups over them. */
export interface World
  extends
    GatewayLookups,
    ParametersLookup,
    RouteLookups,
    BackendLookups,
    PolicyLookups,
    AddressLookup {
  readonly objects: readonly ConfigObject[];
  /** Objects of a kind. */
  of<T extends ConfigObject>(kind: string): T[];
}

interface Document {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
    readonly generation?: number;
    readonly creationTimestamp?: number;
  };
  readonly spec?: unknown;
  /** State of a Secret or a ConfigMap: `valid` if absent, otherwise why it cannot be used. */
  readonly state?: string;
}

/** The fields of a Service in tests, beside its ports. */
interface FrontSpec {
  readonly external?: readonly string[];
  readonly type?: string;
  readonly ready?: boolean;
}

function objectOf({ kind, metadata, spec = {} }: Document): ConfigObject {
  const { name, namespace = "default", labels = {}, annotations = {} } = metadata;
  const { generation = 1, creationTimestamp: creationTime = 0 } = metadata;
  const meta = { kind, name, namespace, labels, annotations, generation, creationTime };
  return { meta: { ...meta, origin: { source: "file" } }, spec, digest: JSON.stringify(spec) };
}

/** The objects of some documents. */
export function objectsOf(text: string): ConfigObject[] {
  return documentsOf(text).map(objectOf);
}

function documentsOf(text: string): Document[] {
  return [...readYaml(text)].flatMap(({ document }) =>
    document?.value ? [document.value as Document] : []
  );
}

/**
 * The world of some documents. Hosts of Services end in `.svc.cluster.local`.
 *
 * @param others lookups instead of those over the documents
 */
export function worldOf(text: string, others: Partial<World> = {}): World {
  const documents = documentsOf(text);
  const objects = documents.map(objectOf);
  const of = <T extends ConfigObject>(kind: string) =>
    objects.filter(({ meta }) => meta.kind === kind) as T[];
  const find = <T extends ConfigObject>(kind: string, key: Partial<ObjectKey>) =>
    of<T>(kind).find(({ meta }) =>
      meta.name === key.name && (key.namespace === undefined || meta.namespace === key.namespace)
    );
  const world: World = {
    objects,
    of,
    namespaceLabels: (name) => find("Namespace", { name })?.meta.labels,
    grants: (namespace) =>
      of<ReferenceGrant>("ReferenceGrant").filter(({ meta }) => meta.namespace === namespace),
    certificate: (key) => material(documents, "Secret", key),
    authorities: (kind, key) => material(documents, kind, key),
    parameters: (key) => material(documents, "ConfigMap", key),
    gatewayClass: (name) => find<GatewayClass>("GatewayClass", { name }),
    listenerSets: (key) =>
      of<ListenerSet>("ListenerSet").filter((set) => {
        const gateway = gatewayOfSet(set);
        return gateway !== undefined && sameKey(gateway, key);
      }),
    listenerSet: (key) => find<ListenerSet>("ListenerSet", key),
    gateway: (key): BoundGateway | undefined => {
      const found = find<Gateway>("Gateway", key);
      return found && bindGateway(found, world);
    },
    defaultGateways: () =>
      of<Gateway>("Gateway").filter(({ spec }) => isDefaultGateway(spec)).map(({ meta }) => meta),
    aliases: ({ namespace, name }) =>
      of("Gateway").filter(({ meta }) =>
        meta.namespace === namespace && meta.annotations["gateway.mesh.io/alias-for"] === name
      ).map(({ meta }) => ({ namespace: meta.namespace, name: meta.name })),
    service: (_kind, key) => serviceOf(find("Service", key)),
    host: (host) => ({ host, namespace: "default", ports: [80] }),
    backend: (key) =>
      find("XBackend", key) &&
      { host: backendHost(key), namespace: key.namespace, ports: [BACKEND_PORT] },
    serviceEntry: (key) => {
      const found = find<ConfigObject<{ hosts: string[] }>>("ServiceEntry", key);
      return found?.spec.hosts.map((host) => ({ host, namespace: key.namespace, ports: [80] }));
    },
    front: (host) => {
      const [name = "", namespace = ""] = host.split(".");
      const found = find<ConfigObject<FrontSpec>>("Service", { name, namespace });
      const service = serviceOf(found);
      if (found === undefined || service === undefined) return undefined;
      const { external: externalAddresses = [], type = "LoadBalancer", ready } = found.spec;
      return { ...service, addresses: [], externalAddresses, type, ready };
    },
    policies: (namespace) =>
      of<BackendTlsPolicy>("BackendTLSPolicy").filter(({ meta }) => meta.namespace === namespace),
    ...others,
  };
  return world;
}

function sameKey(a: ObjectReference, b: ObjectReference): boolean {
  return a.namespace === b.namespace && a.name === b.name;
}

function material(documents: readonly Document[], kind: string, key: ObjectKey): MaterialState {
  const found = documents.find(({ kind: one, metadata: { name, namespace = "default" } }) =>
    one === kind && name === key.name && namespace === key.namespace
  );
  if (found === undefined) return "missing";
  return found.state === undefined ? "valid" : { invalid: found.state };
}

function serviceOf(found: ConfigObject | undefined): ReturnType<World["service"]> {
  if (found === undefined) return undefined;
  const { name, namespace } = found.meta;
  const { ports = [] } = found.spec as { ports?: { port: number }[] };
  return {
    host: `${name}.${namespace}.svc.cluster.local`,
    namespace,
    ports: ports.map(({ port }) => port),
  };
}
