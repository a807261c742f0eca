/**
 * The files with which a machine joins the mesh. Pure.
 *
 * @module
 */
import { canonicalJson, MeshError, printable } from "../../kit/base/mod.ts";
import { toYaml } from "../../kit/text/mod.ts";
import { type MachineGroup, mapOf, type Plain } from "./group.ts";

/** Everything that the files depend on. */
export interface BundleInput {
  readonly group: MachineGroup;
  /** The mesh configuration of the daemon's revision, as it is written. */
  readonly mesh: Plain;
  readonly clusterId: string;
  /** Address of the machine; empty: the agent finds it. */
  readonly address: string;
  /** Address by which the machine reaches the daemon; empty: names must lead there. */
  readonly ingress: string;
  readonly revision: string;
  readonly meshNamespace: string;
  readonly autoRegister: boolean;
  readonly captureDns: boolean;
  readonly token: string;
  readonly root: string;
}

/** Texts by file name. */
export type Bundle = Readonly<Record<BundleFile, string>>;

export type BundleFile = "cluster.env" | "mesh.yaml" | "mesh-token" | "root-cert.pem" | "hosts";

/** Ports that interception leaves alone: secure shell, and those of the agent. */
const EXCLUDED_PORTS = "22,15090,15021,15020";
const XDS_PORT = 15012;
const CANONICAL = {
  name: ["service.mesh.io/canonical-name", "app.kubernetes.io/name", "app"],
  revision: ["service.mesh.io/canonical-revision", "app.kubernetes.io/version", "version"],
} as const;

/** Makes the files. */
export function bundleOf(input: BundleInput): Bundle {
  const { group, mesh, ingress } = input;
  const written = mapOf(mesh.defaultConfig);
  const discoveryAddress = textAt(written, "discoveryAddress") || defaultAddress(input);
  const proxyMetadata = sorted({
    ...mapOf(written.proxyMetadata),
    ...metadataOf(input),
    ...mapOf(group.proxyConfig.proxyMetadata),
  });
  const config = {
    ...written,
    ...group.proxyConfig,
    discoveryAddress,
    proxyMetadata,
    ...group.probe === undefined ? {} : { readinessProbe: group.probe },
  };
  const environment = sorted({
    ...proxyMetadata,
    ...environmentOf(input),
    CA_ADDR: discoveryAddress,
  });
  return {
    "cluster.env": linesOf(environment),
    "mesh.yaml": toYaml({ defaultConfig: config }),
    "mesh-token": input.token,
    "root-cert.pem": input.root,
    "hosts": ingress === "" ? "" : `${ingress} ${hostOf(discoveryAddress)}\n`,
  };
}

/** The address of the daemon of a revision, beside a gateway. */
function defaultAddress({ revision, meshNamespace }: BundleInput): string {
  const suffix = revision === "" || revision === "default" ? "" : `-${revision}`;
  return `meshd${suffix}.${meshNamespace}.svc:${XDS_PORT}`;
}

/** Facts about the workload that its proxy tells the daemon. */
function metadataOf(input: BundleInput): Record<string, string> {
  const { group, mesh, clusterId, captureDns, autoRegister } = input;
  const label = (names: readonly string[]) =>
    names.map((name) => group.labels[name] ?? "").find((value) => value !== "");
  const service = label(CANONICAL.name) ?? group.name;
  const revision = label(CANONICAL.revision) ?? "latest";
  const labels = {
    ...group.labels,
    [CANONICAL.name[0]]: service,
    [CANONICAL.revision[0]]: revision,
  };
  return {
    CANONICAL_REVISION: revision,
    CANONICAL_SERVICE: service,
    MESH_METAJSON_LABELS: canonicalJson(labels),
    ...autoRegister ? { MESH_META_AUTO_REGISTER_GROUP: group.name } : {},
    MESH_META_CLUSTER_ID: clusterId,
    MESH_META_DNS_CAPTURE: String(captureDns),
    MESH_META_MESH_ID: textAt(mapOf(mesh.defaultConfig), "meshId"),
    MESH_META_NETWORK: group.network,
    MESH_META_WORKLOAD_NAME: group.name,
    POD_NAMESPACE: group.namespace,
    SERVICE_ACCOUNT: group.serviceAccount,
    TRUST_DOMAIN: textAt(mesh, "trustDomain"),
  };
}

/** Variables for the script of the machine, beside the facts about the workload. */
function environmentOf({ group, address }: BundleInput): Record<string, string> {
  return {
    MESH_INBOUND_PORTS: "*",
    MESH_LOCAL_EXCLUDE_PORTS: EXCLUDED_PORTS,
    MESH_NAMESPACE: group.namespace,
    MESH_SERVICE: `${group.name}.${group.namespace}`,
    MESH_SERVICE_CIDR: "*",
    ...address === "" ? {} : { MESH_SVC_IP: address },
  };
}

function linesOf(environment: Readonly<Record<string, unknown>>): string {
  return Object.entries(environment).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (/^[A-Za-z_]\w*$/.test(name) && !/['\n\r]/.test(text)) return `${name}='${text}'\n`;
    throw new MeshError(
      "machine-variable",
      printable(`proxyMetadata.${name}=${text} cannot be a line of cluster.env`),
      { remedy: "Use letters, digits and _ in names; values without ' and line breaks." },
    );
  }).join("");
}

function sorted(map: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => a < b ? -1 : 1));
}

function hostOf(address: string): string {
  return address.replace(/:\d+$/, "");
}

function textAt(map: Plain, name: string): string {
  const value = map[name];
  return typeof value === "string" ? value : "";
}
