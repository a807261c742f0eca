/**
 * The configuration of a live cluster, read once as a daemon reads it: custom resources, Services
 * with their endpoints, pods, the mesh configuration and the networks.
 *
 * @module
 */
import { MeshError, printable } from "../../kit/base/mod.ts";
import { rowRef } from "../../mesh/graph/mod.ts";
import type { Intake } from "../../mesh/ingest/mod.ts";
import {
  type ConfigObject,
  networkLabel,
  objectKey,
  type ObjectMeta,
  objectRef,
  REVISION_LABEL,
} from "../../mesh/model/mod.ts";
import { followObjects, isOfRevision } from "../../mesh/sources/mod.ts";
import { isIp } from "../../kit/text/mod.ts";
import type { ClusterAccess } from "../cluster_access/mod.ts";
import { DOMAIN } from "./domain.ts";
import { type LiveSettings, readSettings, readTags } from "./live_objects.ts";

/** Origin of the rows of a daemon with default flags. */
const SOURCE = "cluster/Orchestrator";

/** Options of reading. */
export interface LiveMeshOptions {
  /** Revision whose configuration is read; empty: the default one. */
  readonly revision: string;
  /** Longest wait for all objects, in milliseconds. */
  readonly timeoutMs: number;
  /** Called for an object that a daemon rejects, and for an invalid mesh configuration. */
  readonly warn: (message: string) => void;
}

/** The objects, with the rows of Services and pods, and the settings. */
export interface LiveMesh extends LiveSettings {
  readonly objects: readonly ConfigObject[];
}

/**
 * Reads the configuration of all namespaces.
 *
 * @throws {MeshError} `cluster-unread` if a resource cannot be listed, or on the time limit
 */
export async function readLiveMesh(
  cluster: ClusterAccess,
  { revision, timeoutMs, warn }: LiveMeshOptions,
): Promise<LiveMesh> {
  const settings = await readSettings(cluster, revision, warn);
  const unread: string[] = [];
  const tags = await readTags(cluster, (message) => unread.push(message));
  const rows = new Map<string, ConfigObject>();
  const failed = Promise.withResolvers<never>();
  const fail = (reason: string): void =>
    failed.reject(
      new MeshError("cluster-unread", printable(`cannot read the cluster: ${reason}`), {
        remedy: "Check the identity's rights to list, or name files with --config-dir.",
      }),
    );
  failed.promise.catch(() => {});
  const timer = setTimeout(() => fail(`no complete answer in ${timeoutMs / 1000} s`), timeoutMs);
  const abort = (): void => failed.reject(cluster.signal?.reason);
  cluster.signal?.addEventListener("abort", abort, { once: true });
  const source = followObjects({
    client: cluster.client,
    source: SOURCE,
    intake: intakeOf(rows, fail),
    namespace: "",
    systemNamespace: cluster.meshNamespace,
    domain: DOMAIN,
    revision: {
      isOwn: (labels) => isOfRevision(labels[REVISION_LABEL], revision || "default", tags),
      synced: Promise.resolve(),
      onChange: () => () => {},
    },
  });
  try {
    await Promise.race([source.synced, failed.promise]);
    unread.forEach(warn);
    warnOfNames(settings.networks, rows.values(), warn);
    for (const { object, message } of source.problems()) {
      const ref = object === undefined ? "an object" : refOf(object);
      warn(`${ref} is left out: ${message}`);
    }
  } finally {
    clearTimeout(timer);
    cluster.signal?.removeEventListener("abort", abort);
    await source.close();
  }
  return { objects: [...rows.values()], ...settings };
}

/** Names the gateways of networks that are left out: their host names are not resolved. */
function warnOfNames(
  networks: LiveSettings["networks"],
  rows: Iterable<ConfigObject>,
  warn: LiveMeshOptions["warn"],
): void {
  const services = new Set<string>();
  for (const [network, { gateways }] of Object.entries(networks?.networks ?? {})) {
    for (const { gw } of gateways) {
      if (gw.case === "registryServiceName") services.add(gw.value.toLowerCase());
      if (gw.case !== "address" || isIp(gw.value)) continue;
      warn(`the gateway ${gw.value} of network ${network} is left out: its name is not resolved`);
    }
  }
  for (const { meta: { namespace, name, labels }, service } of rows) {
    const host = `${name}.${namespace}.svc.${DOMAIN}`;
    if (networkLabel(labels) === "" && !services.has(host)) continue;
    for (const address of service?.externalAddresses ?? []) {
      if (isIp(address)) continue;
      warn(`the gateway ${address} of Service ${host} is left out: its name is not resolved`);
    }
  }
}

function intakeOf(rows: Map<string, ConfigObject>, fail: (reason: string) => void): Intake {
  return {
    objects: ({ upserts, deletes }) => {
      for (const one of upserts) rows.set(objectRef(one), one);
      for (const one of deletes) rows.delete(refOf(one));
    },
    settings: () => {},
    synced: () => {},
    expecting: () => {},
    health: (fault) => {
      if (fault !== undefined) fail(fault);
    },
  };
}

function refOf({ kind, namespace, name }: Pick<ObjectMeta, "kind" | "namespace" | "name">): string {
  return rowRef({ table: kind, key: objectKey({ namespace, name }) });
}
