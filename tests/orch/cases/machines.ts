/**
 * Cases of the files for machines: an agent that has nothing else joins the mesh.
 *
 * @module
 */
import assert from "node:assert/strict";
import { getObject, type OrchClient, type OrchObject } from "../../../lib/kit/orch/mod.ts";
import {
  type Cluster,
  type Daemon,
  eventually,
  startAgent,
  startCommand,
} from "../../../scripts/harness/mod.ts";
import { envoyPath } from "../../../scripts/tools.ts";
import { resourceTypeOf } from "../../../lib/mesh/sources/mod.ts";
import { TABLED_KINDS } from "../../../lib/mesh/schema/mod.ts";
import { createAccounts } from "../../support/service_accounts.ts";

/** A cluster with a daemon, and `meshctl` with its configuration file. */
export interface CommandCluster {
  readonly cluster: Cluster;
  readonly client: OrchClient;
  readonly daemon: Daemon;
  /** Port of the daemon's secured listener. */
  readonly secured: number;
  run(...args: string[]): Promise<{ out: string; err: string; status: number }>;
}

const SCRIPT =
  new URL("../../../scripts/packaging/machine/mesh-start.sh", import.meta.url).pathname;
const ADDRESS = "127.0.71.1";
const GROUP = ["--name", "tills", "-n", "shop"];
const CONFIGURE = ["x", "workload", "entry", "configure"];

/** The mesh configuration of the revision; a test has no gateway and no names of the cluster. */
const meshConfig = (port: number) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "mesh-canary", namespace: "mesh-system" },
  data: {
    mesh: JSON.stringify({
      trustDomain: "cluster.local",
      defaultConfig: { discoveryAddress: `localhost:${port}`, drainDuration: "7s" },
    }),
  },
});

export async function machines({ cluster, client, run, secured }: CommandCluster): Promise<void> {
  const dir = await Deno.makeTempDir({ prefix: "mesh-machine-files-" });
  try {
    await createAccounts(client, ["shop/default"]);
    const bundle = `${dir}/bundle`;
    const configure = (...args: string[]) =>
      run(...CONFIGURE, ...GROUP, "-r", "canary", "-o", bundle, ...args);
    const missing = await configure();
    assert.match(missing.err, /^Error: there is no WorkloadGroup tills in namespace shop\nCreate/);
    const made = await run("x", "workload", "group", "create", ...GROUP, "-l", "app=till");
    assert.equal(made.status, 0, made.err);
    for (const text of [made.out, JSON.stringify(meshConfig(secured))]) {
      const { success, text: said } = await cluster.run(["apply", "-f", "-"], text);
      assert.ok(success, said);
    }
    const unnamed = await configure();
    assert.match(unnamed.err, /^Error: failed to automatically determine the --clusterID: there/);
    await joins(dir, bundle, client, () =>
      configure(
        ...["--clusterID", "home", "--autoregister", "--internalIP", ADDRESS],
        "--capture-dns=false",
      ));
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

async function joins(
  dir: string,
  bundle: string,
  client: OrchClient,
  configure: () => ReturnType<CommandCluster["run"]>,
): Promise<void> {
  const { out, err, status } = await configure();
  assert.deepEqual([status, out], [0, `The files for the machine are in ${bundle}.\n`], err);
  assert.match(err, /Warning: the file hosts is empty, because there is no Service mesh-eastwest/);
  assert.equal((await Deno.stat(`${bundle}/mesh-token`)).mode! & 0o777, 0o600);
  assert.match(await Deno.readTextFile(`${bundle}/mesh.yaml`), /drainDuration: 7s/);
  const root = `${dir}/till-1`;
  await Deno.mkdir(root);
  const installed = startCommand("sh", [SCRIPT, "install", bundle], { MESH_ROOT: root });
  assert.equal((await installed.status).code, 0, installed.output());
  await using agent = await startAgent({
    role: "sidecar",
    name: "till-1",
    dir,
    envoy: await envoyPath(),
    ip: ADDRESS,
    secured: true,
    xds: addressIn(await Deno.readTextFile(`${root}/etc/mesh/config/mesh`)),
    env: {
      ...variables(await Deno.readTextFile(`${root}/var/lib/mesh/cluster.env`)),
      ...{ PROV_CERT: "./etc/certs", OUTPUT_CERTS: "./etc/certs" },
    },
  });
  const type = resourceTypeOf(TABLED_KINDS.WorkloadEntry);
  const entry = await eventually(
    "an entry of the machine",
    () =>
      getObject<OrchObject & { spec: Record<string, unknown> }>(client, type, {
        namespace: "shop",
        name: `tills-${ADDRESS}`,
      }).catch(() => false as const),
  );
  assert.deepEqual(entry.spec.address, ADDRESS);
  assert.ok((await agent.held("cluster")).length > 0);
}

const addressIn = (mesh: string) => /discoveryAddress: (\S+)/.exec(mesh)![1]!;

/** The variables of lines `NAME='value'`; as in the script, empty ones are left out. */
function variables(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^(\w+)='(.+)'$/gm)].map(([, name, value]) => [name!, value!]),
  );
}
