/**
 * Cases of services that two clusters share by ServiceExports and ServiceImports.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  createObject,
  isNotFound,
  listAll,
  type OrchClient,
  type OrchObject,
  type ResourceType,
  types,
} from "../../../lib/kit/orch/mod.ts";
import {
  type Cluster,
  type Daemon,
  eventually,
  startDaemon,
} from "../../../scripts/harness/mod.ts";
import { make } from "../../support/cluster_objects.ts";
import { type EndpointWatcher, watchEndpoints } from "../../support/endpoint_watcher.ts";

/** Group of ServiceExports and ServiceImports. */
export const GROUP = "sharing.test";
const VERSION = "v1";
const EXPORT = sharedType("ServiceExport");
const IMPORT = sharedType("ServiceImport");

const host = (name: string, suffix = "cluster.local") =>
  `outbound|80||${name}.default.svc.${suffix}`;
const WEB = host("web");
const FAR = host("far");
const SHARED_WEB = host("web", "clusterset.local");
const SHARED_FAR = host("far", "clusterset.local");

function sharedType(kind: string): ResourceType {
  const plural = `${kind.toLowerCase()}s`;
  return { group: GROUP, version: VERSION, kind, plural, namespaced: true };
}

/** Creates the definition of a type, and waits until the server has it. */
async function define(client: OrchClient, { kind, plural }: ResourceType): Promise<void> {
  const schema = {
    openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  };
  await createObject(client, types.CUSTOM_RESOURCE_DEFINITION, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [{ name: VERSION, served: true, storage: true, schema }],
    },
  } as never);
  await eventually(`the type ${kind}`, async () => {
    try {
      await listAll(client, sharedType(kind));
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  });
}

/** The clusters `a`, of the daemon, and `b`. Each has `web`; `b` alone has `far`. */
export interface SharingClusters {
  readonly cluster: Cluster;
  readonly near: OrchClient;
  readonly far: OrchClient;
  /** Path of a mesh configuration in which `local` is local to its cluster. */
  readonly meshConfig: string;
}

function start(
  { cluster, meshConfig }: SharingClusters,
  env: Record<string, string>,
): Promise<Daemon> {
  return startDaemon({
    configDir: "",
    args: [
      `--orchconfig=${cluster.files.daemonKubeconfig}`,
      "--clusterID=a",
      `--meshConfig=${meshConfig}`,
    ],
    env: {
      PILOT_REMOTE_CLUSTER_TIMEOUT: "60s",
      ENABLE_MCS_SERVICE_DISCOVERY: "true",
      ENABLE_MCS_HOST: "true",
      MCS_API_GROUP: GROUP,
      MCS_API_VERSION: VERSION,
      ...env,
    },
  });
}

function has(watcher: EndpointWatcher, cluster: string, ...addresses: string[]) {
  return eventually(
    `${cluster} at ${addresses}`,
    () => `${watcher.addresses(cluster) ?? []}` === addresses.map((one) => `${one}:8080`).join(),
  );
}

interface SharedView {
  readonly cluster: string;
  readonly host: string;
  readonly exported: boolean;
  readonly imported: boolean;
  readonly addresses: readonly string[];
}

/** Runs the cases; nothing is exported before. */
export async function sharedServices(clusters: SharingClusters): Promise<void> {
  const { near, far } = clusters;
  for (const client of [near, far]) {
    for (const type of [EXPORT, IMPORT]) await define(client, type);
  }
  await make(far, EXPORT, { name: "far" });
  await servedByExports(clusters);
  await exportedByDaemon(clusters);
}

async function servedByExports(clusters: SharingClusters): Promise<void> {
  const { near, far } = clusters;
  await using daemon = await start(clusters, {});
  const all = [WEB, FAR, SHARED_WEB, SHARED_FAR];
  using a = watchEndpoints(daemon.xds, all, { metadata: { CLUSTER_ID: "a" } });
  using b = watchEndpoints(daemon.xds, all, { metadata: { CLUSTER_ID: "b" } });
  await has(a, WEB, "10.1.0.1");
  await has(b, WEB, "10.2.0.1");
  await has(a, FAR, "10.2.0.9");
  await has(a, SHARED_FAR, "10.2.0.9");
  assert.equal(a.addresses(SHARED_WEB), undefined, "nobody exports it");

  await make(far, EXPORT, { name: "web" });
  await has(a, WEB, "10.1.0.1", "10.2.0.1");
  await has(b, WEB, "10.2.0.1");
  await has(a, SHARED_WEB, "10.2.0.1");
  await has(b, SHARED_WEB, "10.2.0.1");

  await make(near, IMPORT, { name: "web" }, {
    spec: { type: "ClusterSetIP", ips: ["10.77.0.1"], ports: [{ name: "http", port: 80 }] },
  });
  const views = await eventually("an import", async () => {
    const found = await daemon.debug<SharedView[]>("mcsz");
    return found.some(({ imported }) => imported) && found;
  });
  assert.deepEqual(
    views.map((one) => [one.cluster, one.host, one.exported, one.addresses.join()]),
    [
      ["b", "far.default.svc.clusterset.local", true, ""],
      ["a", "web.default.svc.clusterset.local", false, "10.77.0.1"],
      ["b", "web.default.svc.clusterset.local", true, ""],
    ],
  );
  await eventually("the virtual address", async () => {
    const services = await daemon.debug<{ host: string; addresses?: string[] }[]>("registryz");
    return JSON.stringify(services).includes("10.77.0.1");
  });
  await has(a, SHARED_WEB, "10.2.0.1");
}

async function exportedByDaemon(clusters: SharingClusters): Promise<void> {
  const { near } = clusters;
  await using daemon = await start(clusters, {
    ENABLE_MCS_AUTO_EXPORT: "true",
    ENABLE_MCS_CLUSTER_LOCAL: "true",
  });
  using a = watchEndpoints(daemon.xds, [WEB, SHARED_WEB], { metadata: { CLUSTER_ID: "a" } });
  await has(a, SHARED_WEB, "10.1.0.1", "10.2.0.1");
  await has(a, WEB, "10.1.0.1");
  const names = (await listAll<OrchObject>(near, EXPORT))
    .map(({ metadata: { namespace, name } }) => `${namespace}/${name}`);
  assert.deepEqual(names, ["default/web"], "local and kubernetes are local to the cluster");
}
