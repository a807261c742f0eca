/**
 * Commands of `meshctl` to a cluster; they reach the pods through the kubelet.
 *
 * @module
 */
import assert from "node:assert/strict";
import { MESHCTL } from "../../../cmd/meshctl/program.ts";
import type { NodeCluster } from "../../../scripts/cluster/node/cluster.ts";
import { output } from "../../../scripts/cluster/node/commands.ts";
import { eventually } from "../../../scripts/harness/mod.ts";
import { podsEventually, temporaryFolder } from "../../support/node.ts";
import { type MeshCase, read } from "../../support/node_mesh.ts";
import { runInProcess } from "../../support/program_run.ts";

/** Runs a command, which succeeds; returns its output. */
async function meshctl(cluster: NodeCluster, ...args: readonly string[]): Promise<string> {
  const [out, err, status] = await failing(cluster, ...args);
  assert.equal(status, 0, `meshctl ${args.join(" ")}: ${out}${err}`);
  return out;
}

function failing(
  cluster: NodeCluster,
  ...args: readonly string[]
): Promise<readonly [out: string, err: string, status: number]> {
  return runInProcess(MESHCTL, ["--orchconfig", cluster.kubeconfig, ...args]);
}

function podOf(cluster: NodeCluster, namespace: string, app: string): Promise<string> {
  return read(cluster, namespace, `pods -l=app=${app}`, "{.items[0].metadata.name}");
}

const proxies: MeshCase = {
  name: "meshctl: state and configuration of proxies, and their log levels",
  async run(cluster) {
    const [client, server, daemon] = await Promise.all([
      podOf(cluster, "shop", "client"),
      podOf(cluster, "shop", "server"),
      podOf(cluster, "mesh-system", "meshd"),
    ]);
    const status = await meshctl(cluster, "proxy-status");
    for (const pod of [client, server]) {
      assert.match(status, new RegExp(`^${pod}\\.shop .*${daemon}`, "m"));
    }
    await podsEventually("the client's proxy to have what it is served", async () => {
      const [compared] = await failing(cluster, "proxy-status", `${client}.shop`);
      return /^Clusters Match\nListeners Match\nRoutes Match\n$/.test(compared);
    });
    const config = (kind: string, ...more: string[]) =>
      meshctl(cluster, "proxy-config", kind, `${client}.shop`, ...more);
    assert.match(await config("routes", "--name", "80"), /server\.shop\.svc\.cluster\.local/);
    const server80 = "outbound|80||server.shop.svc.cluster.local";
    assert.match(await config("endpoints", "--cluster", server80), /HEALTHY/);
    assert.match(await config("secret"), /default +Cert Chain +ACTIVE +true/);
    assert.match(await config("log", "--level", "rbac:debug"), /rbac: debug/);
    const [, near, code] = await failing(cluster, "proxy-config", "cluster", "clientt.shop");
    assert.match(near, /there is no pod clientt in shop/);
    assert.equal(code, 1);
  },
};

const daemons: MeshCase = {
  name: "meshctl: versions, pages and log levels of the daemon",
  async run(cluster) {
    assert.match(
      await meshctl(cluster, "version"),
      /control plane version: .*\ndata plane version/,
    );
    assert.match(await meshctl(cluster, "admin", "log", "--level", "ads:info"), /ads .*info/);
    assert.match(
      await meshctl(cluster, "experimental", "internal-debug", "syncz", "--all"),
      /\.shop/,
    );
  },
};

const answers: MeshCase = {
  name: "meshctl: pods in words, the path of a request, who is injected",
  async run(cluster) {
    const server = await podOf(cluster, "shop", "server");
    const described = await meshctl(cluster, "experimental", "describe", "pod", `${server}.shop`);
    assert.match(described, /Service: server/);
    assert.match(described, /STRICT/);
    const outsider = await podOf(cluster, "default", "outsider");
    const injected = (pod: string, namespace: string) =>
      meshctl(cluster, "experimental", "check-inject", pod, "-n", namespace);
    assert.match(await injected(server, "shop"), /✔/);
    assert.doesNotMatch(await injected(outsider, "default"), /✔/);
    const [found, said, status] = await failing(cluster, "analyze", "-n", "shop");
    assert.equal(status, 0, found + said);
    assert.match(found + said, /shop/);
  },
};

const incidents: MeshCase = {
  name: "meshctl: the policy that denies a request of a pod, and a request that passes",
  async run(cluster) {
    const from = ["--from", `${await podOf(cluster, "shop", "client")}.shop`];
    const [denied, said, status] = await failing(
      cluster,
      ...["incident", "curl http://server/denied", ...from],
    );
    assert.equal(status, 1, denied + said);
    assert.match(denied, /^now +DENIED by AuthorizationPolicy\/shop\/no-client: 403/m);
    assert.match(denied, /^Undone by\n.*AuthorizationPolicy\/shop\/no-client/m);
    const passes = ["explain", "request", "--to", "http://server/allowed", ...from];
    // The answer is not known while the proxy has not acknowledged what other tests change.
    await eventually("an explanation of what the proxy has", async () => {
      const [out, err, status] = await failing(cluster, ...passes);
      if (status === 2) return false;
      assert.equal(status, 0, out + err);
      assert.match(out, /^ALLOWED to server\.shop/m);
      return true;
    });
  },
};

const report: MeshCase = {
  name: "meshctl bug-report has the logs of the daemon and of proxies, and no secrets",
  async run(cluster) {
    await using folder = await temporaryFolder();
    await meshctl(cluster, "bug-report", "--output-dir", folder.path, "--include", "shop");
    const archive = [...Deno.readDirSync(folder.path)].find(({ name }) => name.endsWith(".tar.gz"));
    assert.ok(archive !== undefined, [...Deno.readDirSync(folder.path)].map((f) => f.name).join());
    const file = `${folder.path}/${archive.name}`;
    const { stdout: names } = await output(["tar", "-tzf", file]);
    for (const part of [/meshd/, /shop\/client-.*\.log/, /config_dump/]) assert.match(names, part);
    const { stdout: text } = await output(["tar", "-xzOf", file]);
    assert.doesNotMatch(text, /PRIVATE KEY-----\n[A-Za-z0-9+/]{20}/);
  },
};

/** The cases. */
export const TOOLS: readonly MeshCase[] = [proxies, daemons, answers, incidents, report];
