/**
 * Cases of a daemon that controls another cluster, which has no daemon of its own (`EXTERNAL_MESHD`).
 *
 * @module
 */
import assert from "node:assert/strict";
import { secretClient } from "../../../cmd/pilot-discovery/clusters.ts";
import { useEnvironment } from "../../../lib/kit/env/mod.ts";
import {
  createObject,
  deleteObject,
  getObject,
  isNotFound,
  listAll,
  mergePatch,
  type OrchClient,
  type OrchObject,
  types,
} from "../../../lib/kit/orch/mod.ts";
import {
  type Cluster,
  type Daemon,
  eventually,
  freePort,
  startDaemon,
} from "../../../scripts/harness/mod.ts";
import { make } from "../../support/cluster_objects.ts";
import { MUTATING } from "../../support/webhook_types.ts";

const SYSTEM = "mesh-system";
const ROOTS = "mesh-ca-root-cert";
const NAMESPACES = "mesh-namespace-controller-election";
const INJECTOR = "mesh-sidecar-injector";

/** The cluster `b`, which a secret in the daemon's cluster `a` names. */
export interface ControlledClusters {
  /** Client of `b`. */
  readonly far: OrchClient;
  readonly daemon: Daemon;
}

interface Observed extends OrchObject {
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly holderIdentity?: string };
  readonly webhooks?: readonly { readonly clientConfig: { readonly caBundle?: string } }[];
}

async function observed(
  client: OrchClient,
  type: typeof types.LEASE,
  name: { namespace?: string; name: string },
): Promise<Observed | undefined> {
  try {
    return await getObject<Observed>(client, type, name);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Sets the annotation of the other cluster's system namespace; `null` removes it. */
function annotate(far: OrchClient, value: string | null): Promise<unknown> {
  const annotations = { "topology.mesh.io/controlPlaneClusters": value };
  return mergePatch(far, types.NAMESPACE, { name: SYSTEM }, { metadata: { annotations } });
}

/** Starts a daemon that controls other clusters. */
export function startControlling(
  cluster: Cluster,
  { secured, roots }: { readonly secured: number; readonly roots: string },
): Promise<Daemon> {
  return startDaemon({
    configDir: "",
    secured,
    args: [
      `--orchconfig=${cluster.files.daemonKubeconfig}`,
      ...["--clusterID=a", "--clusterAliases=bee=b", `--httpsAddr=127.0.0.1:${freePort()}`],
    ],
    env: {
      EXTERNAL_MESHD: "true",
      PILOT_REMOTE_CLUSTER_TIMEOUT: "60s",
      POD_NAME: "outside",
      ROOT_CA_DIR: roots,
    },
  });
}

/**
 * Creates the system namespace of `b`, which names the control plane of another cluster, and a webhook
 * configuration there.
 */
export async function makeControlled(far: OrchClient): Promise<void> {
  await annotate(far, "z");
  const url = "https://localhost:1/inject";
  const webhook = { admissionReviewVersions: ["v1"], sideEffects: "None", failurePolicy: "Ignore" };
  await createObject(far, MUTATING, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: INJECTOR, labels: { "mesh.io/rev": "default" } },
    webhooks: [{ ...webhook, name: "object.sidecar-injector.mesh.io", clientConfig: { url } }],
  } as OrchObject);
}

/** Runs the cases. */
export async function controlledClusters({ far, daemon }: ControlledClusters): Promise<void> {
  const rootsIn = async (namespace: string) =>
    (await observed(far, types.CONFIG_MAP, { namespace, name: ROOTS }))?.data?.["root-cert.pem"];
  const lease = { namespace: SYSTEM, name: NAMESPACES };
  const holder = async () => (await observed(far, types.LEASE, lease))?.spec?.holderIdentity ?? "";
  const bundle = async () =>
    (await observed(far, MUTATING, { name: INJECTOR }))?.webhooks?.[0]?.clientConfig.caBundle;

  const leads = async () =>
    (await (await fetch(`${daemon.monitoring}/metrics`)).text())
      .includes(`mesh_leader{election="${NAMESPACES}/b"} 1`);
  await eventually("the roots of the daemon's cluster", async () => {
    return (await (await fetch(`${daemon.monitoring}/metrics`)).text())
      .includes(`mesh_leader{election="${NAMESPACES}"} 1`);
  });
  assert.deepEqual([await rootsIn("default"), await bundle(), await holder()], [
    undefined,
    undefined,
    "",
  ]);

  await annotate(far, "z, a");
  await eventually("roots", async () => /BEGIN CERTIFICATE/.test(await rootsIn("default") ?? ""));
  await eventually("the lease of the other cluster", async () => /^outside_/.test(await holder()));
  await eventually("the bundle", async () => {
    return atob(await bundle() ?? "").includes((await rootsIn("default") ?? "?").trim());
  });
  assert.ok(await leads());
  await deleteObject(far, types.CONFIG_MAP, { namespace: "default", name: ROOTS });
  await eventually("repaired roots", async () => await rootsIn("default") !== undefined);

  await annotate(far, null);
  await eventually("the end", async () => await holder() === "" && !await leads());
  await deleteObject(far, types.CONFIG_MAP, { namespace: "default", name: ROOTS });
  await make(far, types.NAMESPACE, { name: "later" });
  assert.equal(await rootsIn("later"), undefined);

  await annotate(far, "*");
  await eventually("roots", async () => await rootsIn("later") !== undefined);
}

/** `LOCAL_CLUSTER_SECRET_WATCHER`: the pod runs in `other`, the configuration is in `own`. */
export async function secretsOfPodCluster(own: OrchClient, other: Cluster): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-account-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  await Deno.writeTextFile(`${dir}/token`, other.files.adminToken);
  await Deno.copyFile(other.files.ca, `${dir}/ca.crt`);
  const options = { orchConfig: "/etc/orchconfig", orchApiQps: 0, orchApiBurst: 0 };
  const chosen = (external: string, orchConfig = options.orchConfig) => {
    using _ = useEnvironment({
      ORCH_SERVICE_HOST: new URL(other.server).host,
      LOCAL_CLUSTER_SECRET_WATCHER: "true",
      EXTERNAL_MESHD: external,
    });
    return secretClient(own, { ...options, orchConfig }, stack, dir);
  };
  assert.equal(await chosen("false"), own, "needs EXTERNAL_MESHD");
  assert.equal(await chosen("true", ""), own, "the daemon's cluster is that of its pod");
  const client = await chosen("true");
  const names = async (one: OrchClient) =>
    (await listAll<OrchObject>(one, types.SECRET)).map(({ metadata }) => metadata.name);
  await make(own, types.SECRET, { name: "of-own" });
  const found = await names(client);
  assert.ok(!found.includes("of-own"));
  assert.equal(client.access.server, other.server);
}
