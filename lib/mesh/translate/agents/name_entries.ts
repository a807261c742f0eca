/**
 * Entries of the name table: the addresses of one host, and its short names.
 *
 * @module
 */
import {
  type NameTable_NameInfo,
  NameTable_NameInfoSchema,
  NameTableSchema,
} from "#mesh/networking/nds/v1/nds_pb.ts";
import { type HostKey, isClusterLocal, isRange } from "../../derive/mod.ts";
import { shortNames } from "../../envoy/mod.ts";
import { converted, type KeyCodec, type Read, type Resource, text } from "../../graph/mod.ts";
import { type Endpoint, isWildcard, type ProxyClass, type Service } from "../../model/mod.ts";
import { create } from "../../../kit/proto/mod.ts";
import {
  addressesOf,
  type AddressUse,
  type Family,
  familyOf,
  findService,
  usesAutoAddresses,
} from "../context/mod.ts";
import type { Context } from "./features.ts";
import { encodeResource } from "../resources/mod.ts";

/** The registry of hosts of ServiceEntries; agents distinguish them from an orchestrator's services. */
const REGISTRY = "External";

/** The properties of a proxy class that change its name table, but not which hosts it sees. */
export interface DnsVariant extends AddressUse {
  /** The proxy's network: it cannot reach endpoints of other networks by their addresses. */
  readonly network: string;
}

export function dnsVariantOf(cls: ProxyClass): DnsVariant {
  return {
    family: familyOf(cls),
    autoAddresses: usesAutoAddresses(cls),
    network: cls.network,
    cluster: cls.options.ADDRESS_CLUSTER,
  };
}

/** The codec of variants in keys, for example `v4,auto,network-1`. */
export const dnsVariants: KeyCodec<DnsVariant> = converted(text, {
  encode: ({ family, autoAddresses, network, cluster = "" }: DnsVariant) =>
    [family, autoAddresses ? "auto" : "", encodeURIComponent(network), encodeURIComponent(cluster)]
      .join(),
  decode: (variant) => {
    const [family = "", auto = "", network = "", cluster = ""] = variant.split(",");
    return {
      family: family as Family,
      autoAddresses: auto !== "",
      network: decodeURIComponent(network),
      cluster: decodeURIComponent(cluster) || undefined,
    };
  },
});

/**
 * The entries of a host, as a namespace sees it: its own, and those of its workloads with names below
 * the host.
 */
export function entriesOf(
  read: Read,
  context: Context,
  variant: DnsVariant,
  seen: HostKey,
): readonly Resource[] {
  const { namespace, host } = seen;
  const service = findService(read, context, namespace, host);
  if (service === undefined) return [];
  const names = namesOf(read, context, seen);
  const addresses = addressesOf(read, context, service, variant).filter((a) => !isRange(a));
  if (addresses.length > 0) return [entry(host, addresses, names)];
  const endpoints = headlessEndpoints(read, context, variant, service);
  if (endpoints.length === 0) return [];
  return [
    entry(host, [...new Set(endpoints.map((e) => e.address))], names),
    ...workloadEntries(read, context, seen, { endpoints, names }),
  ];
}

type Names = Pick<NameTable_NameInfo, "shortname" | "namespace" | "altHosts">;

/** The other names of a host in a namespace; none that is the name of another host. */
function namesOf(read: Read, { mesh }: Context, { namespace, host }: HostKey): Names {
  const suffix = `.svc.${mesh.domain}`;
  const parts = host.endsWith(suffix) ? host.slice(0, -suffix.length).split(".") : [];
  const [shortname = "", owner = ""] = parts.length === 2 ? parts : [];
  const domain = namespace === "" ? `svc.${mesh.domain}` : `${namespace}.svc.${mesh.domain}`;
  const altHosts = shortname === "" ? [] : shortNames(host, domain)
    .filter((name) => read.get(mesh.services.resolve, { namespace, host: name }) === undefined);
  return { shortname, namespace: owner, altHosts };
}

function entry(name: string, ips: readonly string[], names: Names): Resource {
  const info = create(NameTable_NameInfoSchema, { ips: [...ips], registry: REGISTRY, ...names });
  return encodeResource(
    name,
    NameTableSchema,
    create(NameTableSchema, { table: { [name]: info } }),
  );
}

/**
 * The endpoints of a host without an address and without resolution. Its connections go to the address
 * that the client chooses, so that the client must know the addresses. Endpoints of other networks
 * cannot be reached. Endpoints of other clusters are left out for hosts that are local to clusters,
 * where an endpoint says so, and without `ENABLE_MULTICLUSTER_HEADLESS`.
 */
function headlessEndpoints(
  read: Read,
  { mesh, features }: Context,
  { network, cluster: own }: DnsVariant,
  service: Service,
): Endpoint[] {
  if (service.resolution !== "NONE" || isWildcard(service.host)) return [];
  const isShared = features.headlessAcrossClusters &&
    !isClusterLocal(mesh.field(read, "serviceSettings"), mesh.domain, service.host);
  return read.get(mesh.services.endpoints, service).filter((endpoint) =>
    isIp(endpoint.address) && endpoint.health === "healthy" &&
    (endpoint.cluster === own || isShared && endpoint.clusterOnly !== true) &&
    (endpoint.network === "" || endpoint.network === network)
  );
}

/**
 * Reports if an endpoint's address is neither a name nor the path of a socket; both are validated
 * when they are read.
 */
function isIp(address: string): boolean {
  return !address.startsWith("unix:") && (address.includes(":") || /^[0-9.]+$/.test(address));
}

/** Selected workloads have names of their own: `workload.host`. */
function workloadEntries(
  read: Read,
  { mesh }: Context,
  { namespace, host }: HostKey,
  { endpoints, names }: { readonly endpoints: readonly Endpoint[]; readonly names: Names },
): Resource[] {
  const byName = new Map<string, string[]>();
  for (const { workload, hostname = workload, address } of endpoints) {
    // Pods without a host name have no name of their own.
    if (hostname === "") continue;
    const name = `${hostname}.${host}`;
    byName.set(name, [...byName.get(name) ?? [], address]);
  }
  return [...byName].filter(([name]) =>
    read.get(mesh.services.resolve, { namespace, host: name }) === undefined
  ).map(([name, addresses]) =>
    entry(name, addresses, {
      shortname: names.shortname === "" ? "" : name.slice(0, -host.length) + names.shortname,
      namespace: names.namespace,
      altHosts: [],
    })
  );
}
