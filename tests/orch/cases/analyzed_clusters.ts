/**
 * `meshctl analyze` over two clusters: contexts, and secrets with credentials, name the other one.
 *
 * @module
 */
import assert from "node:assert/strict";
import { MESHCTL } from "../../../cmd/meshctl/program.ts";
import { NO_CONFIGURED, runProgram } from "../../../lib/kit/cli/mod.ts";
import { deleteObject, type OrchClient, types } from "../../../lib/kit/orch/mod.ts";
import type { Cluster } from "../../../scripts/harness/mod.ts";
import { make, makeService } from "../../support/cluster_objects.ts";
import { execConfig } from "./remote_kubeconfigs.ts";

export interface AnalyzedClusters {
  readonly near: Cluster;
  readonly far: Cluster;
  readonly nearClient: OrchClient;
  readonly farClient: OrchClient;
}

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: unknown }[];
  readonly users: readonly { readonly user: unknown }[];
}

/** One kubeconfig with a context for each cluster. */
async function joined(clusters: Readonly<Record<string, Cluster>>): Promise<string> {
  const parts = await Promise.all(
    Object.entries(clusters).map(async ([name, { files }]) => {
      const config: Kubeconfig = JSON.parse(await Deno.readTextFile(files.kubeconfig));
      return {
        cluster: { name, cluster: config.clusters[0]!.cluster },
        user: { name, user: config.users[0]!.user },
        context: { name, context: { cluster: name, user: name } },
      };
    }),
  );
  return JSON.stringify({
    "current-context": Object.keys(clusters)[0],
    clusters: parts.map(({ cluster }) => cluster),
    users: parts.map(({ user }) => user),
    contexts: parts.map(({ context }) => context),
  });
}

/** The namespace with the secrets of this test. */
const SECRETS = "analyzed";

/** Secrets with the other cluster, with text that is no configuration, and with a program. */
async function makeSecrets(client: OrchClient, far: Cluster): Promise<void> {
  await make(client, types.NAMESPACE, { name: SECRETS });
  const kubeconfig = await Deno.readTextFile(far.files.daemonKubeconfig);
  const labels = { "mesh/multiCluster": "true" };
  const stringData = { b: kubeconfig, broken: "none", program: execConfig(kubeconfig, "t") };
  await make(client, types.SECRET, { name: "clusters", namespace: SECRETS, labels }, {
    stringData,
  });
}

/** Services of one name that differ between the clusters are found only with both contexts. */
export async function analyzedClusters(
  { near, far, nearClient, farClient }: AnalyzedClusters,
): Promise<void> {
  const file = `${near.files.kubeconfig}.two.json`;
  await Deno.writeTextFile(file, await joined({ near, far }));
  const port = (number: number) => ({ ports: [{ name: "http", port: number }] });
  await makeSecrets(nearClient, far);
  await makeService(nearClient, "apart", port(80));
  await makeService(farClient, "apart", port(81));
  const analyze = async (...more: string[]): Promise<{ out: string; err: string }> => {
    let [out, err] = ["", ""];
    const io = {
      out: (text: string) => void (out += text),
      err: (text: string) => void (err += text),
    };
    const args = ["analyze", "--orchconfig", file, "-A", "-o", "json", ...more];
    await runProgram(MESHCTL, args, {
      io,
      signal: new AbortController().signal,
      configured: NO_CONFIGURED,
    });
    return { out, err };
  };
  const found = (out: string): readonly { readonly message: string }[] =>
    JSON.parse(out).filter(({ code }: { readonly code: string }) => code === "MSH0170");
  try {
    const both = await analyze("--remote-contexts", "far");
    assert.deepEqual(found(both.out).map(({ message }) => message), [
      'Service apart in namespace "default" differs between the clusters near, far: ' +
      "ports 80/TCP http to 80 in near; ports 81/TCP http to 81 in far",
    ], both.err);
    assert.deepEqual(found((await analyze("--meshNamespace", "nowhere")).out), []);
    const secret = await analyze("--meshNamespace", SECRETS);
    assert.deepEqual(found(secret.out).map(({ message }) => message), [
      'Service apart in namespace "default" differs between the clusters near, b: ' +
      "ports 80/TCP http to 80 in near; ports 81/TCP http to 81 in b",
    ], secret.err);
    assert.match(secret.err, /^Warning: the remote cluster broken is left out: .+$/m);
    assert.match(secret.err, /^Warning: the remote cluster program is left out: .*exec/m);
    const gone = await analyze("--remote-contexts", "gone");
    assert.match(gone.err, /gone/);
    assert.equal(gone.out, "");
  } finally {
    for (const client of [nearClient, farClient]) {
      await deleteObject(client, types.SERVICE, { namespace: "default", name: "apart" });
    }
  }
}
