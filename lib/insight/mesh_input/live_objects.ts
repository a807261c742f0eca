/**
 * Objects of a cluster, for analysis.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import { type ConfigObject, REVISION_LABEL } from "../../mesh/model/mod.ts";
import {
  getObject,
  OrchError,
  type OrchObject,
  type ResourceType,
  types,
} from "../../kit/orch/mod.ts";
import type { RemoteSet } from "../analyze/mod.ts";
import {
  checkObject,
  KINDS,
  type ParsedMessage,
  parseMeshConfig,
  parseMeshNetworks,
  type SchemaProblem,
  type SeenDocument,
  writtenKind,
} from "../../mesh/schema/mod.ts";
import { isOfRevision, type RevisionTags, revisionTags } from "../../mesh/sources/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";
import type { ClusterAccess } from "../cluster_access/mod.ts";
import { itemsOf, readInjectors, seenOf } from "./cluster_items.ts";

/** Types of the orchestrator that analyzers read. */
const FOREIGN_TYPES: readonly ResourceType[] = [
  types.NAMESPACE,
  types.SERVICE,
  types.POD,
  types.DEPLOYMENT,
  types.DAEMON_SET,
  types.NODE,
  types.SERVICE_ACCOUNT,
  types.SECRET,
  types.MUTATING_WEBHOOKS,
  types.VALIDATING_WEBHOOKS,
];
/** Types of remote clusters that services of the mesh come from. */
const REMOTE_TYPES: readonly ResourceType[] = [
  types.NAMESPACE,
  types.SERVICE,
  types.POD,
  types.DEPLOYMENT,
];

/** The objects of a cluster. */
export interface LiveObjects {
  readonly objects: readonly ConfigObject[];
  readonly seen: readonly SeenDocument[];
  /** The name of the cluster, that of its context. */
  readonly cluster: string;
  /** Services of other clusters, and what belongs to them. */
  readonly remotes: readonly RemoteSet[];
  /** Objects that a daemon would reject. */
  readonly problems: readonly SchemaProblem[];
  readonly mesh?: MeshConfig | undefined;
}

/** Another cluster of the mesh. */
export interface RemoteCluster {
  /** Its name in messages. */
  readonly name: string;
  readonly cluster: ClusterAccess;
  /** True: an error ends the command; false: the cluster is left out with a warning. */
  readonly isNeeded: boolean;
}

/** Options of reading. */
export interface LiveOptions {
  /** Objects whose label names another revision, or a tag of one, are left out; empty: none are. */
  readonly revision: string;
  /** Clusters whose services, pods and namespaces count, too. */
  readonly remotes: readonly RemoteCluster[];
  /** Called for a type that cannot be read. */
  readonly warn: (message: string) => void;
}

/**
 * Reads the objects of all namespaces. Types that the identity may not list are left out, with a
 * warning, as are types that the cluster does not have.
 *
 * @throws {MeshError} if the cluster cannot be reached
 */
export async function readLiveObjects(
  cluster: ClusterAccess,
  { revision, remotes, warn }: LiveOptions,
): Promise<LiveObjects> {
  const objects: ConfigObject[] = [];
  const seen: SeenDocument[] = [];
  const problems: SchemaProblem[] = [];
  const custom = KINDS.filter(({ kind }) => kind !== "Namespace").map(customType);
  const absent: string[] = [];
  const foreign: OrchObject[] = [];
  for (const type of FOREIGN_TYPES) foreign.push(...await itemsOf(cluster, type, warn) ?? []);
  foreign.push(...await readInjectors(cluster, warn));
  const tags = tagsAmong(foreign, cluster.meshNamespace);
  for (const type of custom) {
    const items = await itemsOf(cluster, type, warn);
    if (items === undefined) absent.push(type.kind);
    for (const value of items ?? []) {
      const label = value.metadata.labels?.[REVISION_LABEL];
      if (revision !== "" && !isOfRevision(label, revision, tags)) continue;
      seen.push(seenOf(value));
      const checked = readObject(value, cluster);
      problems.push(...checked.problems);
      objects.push(...checked.objects);
    }
  }
  if (absent.length === custom.length) warn("the cluster has no definitions of the mesh's kinds");
  seen.push(...foreign.map(seenOf));
  return {
    ...{ objects, seen, problems, cluster: cluster.access.name },
    remotes: (await Promise.all(remotes.map((remote) => remoteSet(remote, warn))))
      .filter((one) => one !== undefined),
    mesh: (await readSettings(cluster, revision, warn)).mesh,
  };
}

function customType(kind: (typeof KINDS)[number]): ResourceType {
  const { group, plural, versions, scope } = kind;
  const namespaced = scope === "namespaced";
  return { group, kind: writtenKind(kind), plural, version: versions[0] ?? "v1", namespaced };
}

/** The object of a custom resource, or the reasons why a daemon rejects it. */
function readObject(
  value: OrchObject,
  { access }: ClusterAccess,
): { readonly objects: readonly ConfigObject[]; readonly problems: readonly SchemaProblem[] } {
  const { identity, object, problems } = checkObject(value);
  if (object === undefined) {
    return {
      objects: [],
      problems: problems.map((one) => ({ ...one, ...POSITION, object: identity })),
    };
  }
  const { meta: { line: _, creationTime = 0, ...rest }, kind, spec, digest } = object;
  const origin = { source: `cluster/${access.name}` };
  const generation = value.metadata.generation ?? 1;
  const meta = { ...rest, kind, generation, creationTime, origin };
  return { objects: [{ meta, spec, digest }], problems: [] };
}

/** Kinds that decide which connections and requests a workload accepts. */
const POLICY_KINDS: readonly string[] = [
  "AuthorizationPolicy",
  "PeerAuthentication",
  "RequestAuthentication",
];

/** The security policies of all namespaces, and the mesh configuration, as a daemon would use them. */
export async function readPolicies(
  cluster: ClusterAccess,
  { revision, warn }: Pick<LiveOptions, "revision" | "warn">,
): Promise<{ readonly objects: readonly ConfigObject[]; readonly mesh?: MeshConfig | undefined }> {
  const tags = await readTags(cluster, warn);
  const objects: ConfigObject[] = [];
  for (const kind of KINDS.filter((one) => POLICY_KINDS.includes(one.kind))) {
    for (const value of await itemsOf(cluster, customType(kind), warn) ?? []) {
      const label = value.metadata.labels?.[REVISION_LABEL];
      if (revision !== "" && !isOfRevision(label, revision, tags)) continue;
      const read = readObject(value, cluster);
      const [problem] = read.problems;
      objects.push(...read.objects);
      if (problem === undefined) continue;
      const { name, namespace } = value.metadata;
      warn(
        `the daemon rejects ${value.kind} ${name}.${namespace}: ${problem.path}: ${problem.message}`,
      );
    }
  }
  return { objects, mesh: (await readSettings(cluster, revision, warn)).mesh };
}

async function remoteSet(
  { name, cluster, isNeeded }: RemoteCluster,
  warn: LiveOptions["warn"],
): Promise<RemoteSet | undefined> {
  const seen: SeenDocument[] = [];
  try {
    for (const type of REMOTE_TYPES) {
      seen.push(...(await itemsOf(cluster, type, warn) ?? []).map(seenOf));
    }
  } catch (error) {
    cluster.signal?.throwIfAborted();
    if (isNeeded) throw error;
    warn(`the remote cluster ${name} is left out: ${messageOf(error)}`);
    return undefined;
  }
  return { cluster: name, seen };
}

/** Objects of a cluster have no file. */
const POSITION = { file: "", line: 1, column: 1 };

/** The tags of revisions, as far as the identity may list them. */
export async function readTags(
  cluster: ClusterAccess,
  warn: LiveOptions["warn"],
): Promise<RevisionTags> {
  const objects: OrchObject[] = [];
  for (const type of [types.SERVICE, types.MUTATING_WEBHOOKS]) {
    objects.push(...await itemsOf(cluster, type, warn) ?? []);
  }
  return tagsAmong(objects, cluster.meshNamespace);
}

function tagsAmong(objects: readonly OrchObject[], meshNamespace: string): RevisionTags {
  return revisionTags({
    services: objects.filter(({ kind, metadata }) =>
      kind === types.SERVICE.kind && metadata.namespace === meshNamespace
    ),
    webhooks: objects.filter(({ kind }) => kind === types.MUTATING_WEBHOOKS.kind),
  });
}

/** The settings of a revision; what is absent, invalid or may not be read is left out. */
export interface LiveSettings {
  readonly mesh?: MeshConfig;
  readonly networks?: MeshNetworks;
}

type SettingsMap = OrchObject & {
  readonly data?: { readonly mesh?: string; readonly meshNetworks?: string };
};

/** The mesh configuration and networks of a revision, in the ConfigMap that the daemon reads. */
export async function readSettings(
  { client, meshNamespace: namespace }: ClusterAccess,
  revision: string,
  warn: LiveOptions["warn"],
): Promise<LiveSettings> {
  const name = revision === "" || revision === "default" ? "mesh" : `mesh-${revision}`;
  const place = `ConfigMap ${name}`;
  const checked = <T>({ value, problems: [first] }: ParsedMessage<T>): T | undefined => {
    if (first !== undefined) warn(`${place}:${first.line}: ${first.message}`);
    return value;
  };
  try {
    const { data } = await getObject<SettingsMap>(client, types.CONFIG_MAP, { namespace, name });
    const mesh = data?.mesh === undefined ? undefined : checked(parseMeshConfig(data.mesh, place));
    const networks = data?.meshNetworks === undefined
      ? undefined
      : checked(parseMeshNetworks(data.meshNetworks, place));
    return { ...mesh !== undefined && { mesh }, ...networks !== undefined && { networks } };
  } catch (error) {
    if (error instanceof OrchError && [403, 404].includes(error.status)) return {};
    throw error;
  }
}
