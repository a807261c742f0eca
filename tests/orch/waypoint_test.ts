/**
 * Waypoints in a cluster with a real API server: the commands about them, and the objects that the
 * daemon makes for them.
 */
import assert from "node:assert/strict";
import { MESHCTL } from "../../cmd/meshctl/program.ts";
import { parseYaml } from "../../lib/kit/text/mod.ts";
import { mergePatch, type OrchObject } from "../../lib/kit/orch/mod.ts";
import { GATEWAY } from "../../lib/cluster/waypoints/mod.ts";
import { applyDefinitions } from "../../scripts/crds.ts";
import { type Cluster, eventually, freePorts, startDaemon } from "../../scripts/harness/mod.ts";
import { adminClient, clusterTest } from "../support/cluster.ts";
import { applyGatewayApi, lackingGatewayApiDefinitions } from "../support/gateway_api.ts";
import { runInProcess } from "../support/program_run.ts";

/** Runs `meshctl` with a cluster. */
function commandsOf(cluster: Cluster) {
  return async (...args: string[]) => {
    const all = [...args, "-c", cluster.files.kubeconfig];
    const [out, err, status] = await runInProcess(MESHCTL, all);
    return { out, err, status };
  };
}

type Run = ReturnType<typeof commandsOf>;

async function kubectl(cluster: Cluster, args: readonly string[], input?: string): Promise<string> {
  const { success, text } = await cluster.run(args, input);
  assert.ok(success, text);
  return text;
}

/** The cells of a table. */
const cellsOf = (text: string): string[][] =>
  text.trimEnd().split("\n").map((line) => line.trim().split(/\s{2,}/));

/** Endpoints of the waypoint's proxies, which no node runs. */
const PROXIES = `apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  name: wp-proxies
  namespace: shop
  labels: {kubernetes.io/service-name: wp-mesh-waypoint}
addressType: IPv4
ports: [{name: mesh, port: 15008}]
endpoints: [{addresses: [10.9.9.9], conditions: {ready: true}}]
`;

async function refusals(run: Run): Promise<void> {
  const reserved = await run("waypoint", "apply", "-n", "shop", "--name", "none");
  assert.equal(reserved.status, 64);
  assert.match(reserved.err, /reserved/);
  for (const name of ["Bad_Name", "-a", "a".repeat(64)]) {
    const refused = await run("waypoint", "generate", `--name=${name}`);
    assert.equal(refused.status, 64, name);
    assert.match(refused.err, /is no name of a waypoint/);
  }
  const type = await run("waypoint", "apply", "-n", "shop", "--for", "some");
  assert.equal(type.status, 1);
  assert.match(type.err, /all or none or service or workload/);
  const both = await run("waypoint", "delete", "wp", "--all", "-n", "shop");
  assert.equal(both.status, 64);
  const neither = await run("waypoint", "delete", "-n", "shop");
  assert.equal(neither.status, 64);
  const missing = await run("waypoint", "delete", "lost", "-n", "shop");
  assert.equal(missing.status, 1);
  assert.match(missing.err, /waypoint shop\/lost not found/);
  const none = await run("waypoint", "list", "-n", "shop");
  assert.deepEqual([none.out, none.status], ["No waypoints found.\n", 0]);
  const unknown = await run("waypoint", "status", "lost", "-n", "shop");
  assert.match(unknown.err, /waypoint shop\/lost not found/);
}

async function applies(cluster: Cluster, run: Run): Promise<void> {
  const args = ["waypoint", "apply", "-n", "shop", "--name", "wp", "--for", "all"];
  const applied = run(...args, "--enroll-namespace", "--wait");
  await eventually("the Service", async () => {
    const { success } = await cluster.run(["get", "service", "wp-mesh-waypoint", "-n", "shop"]);
    return success;
  });
  await eventually("the status of a waypoint without proxies", async () => {
    const pending = await run("waypoint", "status", "-n", "shop");
    return cellsOf(pending.out)[1]?.slice(0, 3).join() === "wp,False,Programmed";
  });
  await kubectl(cluster, ["apply", "-f", "-"], PROXIES);
  const { out, err, status } = await applied;
  assert.equal(status, 0, err);
  assert.equal(
    out,
    "✅ waypoint shop/wp applied\n✅ waypoint shop/wp is ready!\n" +
      '✅ namespace shop labeled with "mesh.io/use-waypoint: wp"\n',
  );
  assert.match(err, /Warning: the namespace shop is not in ambient mode/);
  const deployment = JSON.parse(
    await kubectl(cluster, ["get", "deployment", "wp-mesh-waypoint", "-n", "shop", "-o=json"]),
  );
  const [container] = deployment.spec.template.spec.containers;
  assert.deepEqual(container.args.slice(0, 2), ["proxy", "waypoint"]);
  assert.equal(
    deployment.spec.template.metadata.labels["gateway.networking.k8s.io/gateway-name"],
    "wp",
  );
  const listed = await run("waypoint", "list", "-A");
  assert.deepEqual(cellsOf(listed.out), [
    ["NAMESPACE", "NAME", "REVISION", "TRAFFIC TYPE", "PROGRAMMED"],
    ["shop", "wp", "default", "all", "True"],
  ]);
}

/** A Service in the waypoint's namespace, one with a waypoint that does not exist, and policies. */
const REPORTED = `apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{name: http, port: 80}]}
---
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: lost, namespace: shop, labels: {mesh.io/use-waypoint: absent}}
spec: {hosts: [lost.test], ports: [{number: 80, name: http, protocol: HTTP}], resolution: DNS}
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: paths, namespace: shop}
spec: {rules: [{to: [{operation: {paths: [/a]}}]}]}
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: at-waypoint, namespace: shop}
spec:
  targetRefs:
  - {group: "", kind: Service, name: web}
  - {group: networking.mesh.io, kind: ServiceEntry, name: lost}
  rules: [{to: [{operation: {paths: [/a]}}]}]
`;

async function reports(cluster: Cluster): Promise<void> {
  await kubectl(cluster, ["apply", "-f", "-"], REPORTED);
  const conditions = async (object: string) => {
    const path = "-o=jsonpath={range .status.conditions[*]}{.type}={.status}:{.reason} {end}";
    return (await kubectl(cluster, ["get", ...object.split(" "), "-n", "shop", path])).trim();
  };
  const version = async (object: string) =>
    await kubectl(cluster, [
      "get",
      ...object.split(" "),
      "-n",
      "shop",
      "-o=jsonpath={.metadata.resourceVersion}",
    ]);
  const objects: readonly [string, string][] = [
    ["service web", "mesh.io/WaypointBound=True:WaypointAccepted"],
    ["serviceentry lost", "mesh.io/WaypointBound=False:WaypointMissing"],
    ["authorizationpolicy paths", "ZtunnelAccepted=False:UnsupportedValue"],
    ["authorizationpolicy at-waypoint", "WaypointAccepted=True:PartiallyInvalid"],
  ];
  for (const [object, wanted] of objects) {
    await eventually(`${object}: ${wanted}`, async () => await conditions(object) === wanted);
  }
  const before = await Promise.all(objects.map(([object]) => version(object)));
  // What concerns none of them changes none; the label of the Service itself does.
  await kubectl(cluster, [
    "label",
    "serviceentry",
    "lost",
    "-n",
    "shop",
    "mesh.io/use-waypoint=wp",
    "--overwrite",
  ]);
  await eventually(
    "the entry is bound",
    async () => /=True/.test(await conditions("serviceentry lost")),
  );
  await eventually(
    "the policy is whole",
    async () => /=True:Accepted/.test(await conditions("authorizationpolicy at-waypoint")),
  );
  assert.deepEqual(
    [await version("service web"), await version("authorizationpolicy paths")],
    [before[0], before[2]],
    "no write without a change",
  );
  await kubectl(cluster, ["label", "service", "web", "-n", "shop", "mesh.io/use-waypoint=none"]);
  await eventually("no condition", async () => await conditions("service web") === "");
}

async function enrols(cluster: Cluster, run: Run): Promise<void> {
  const args = ["waypoint", "apply", "-n", "shop", "--name", "second", "--enroll-namespace"];
  const refused = await run(...args);
  assert.equal(refused.status, 1);
  assert.match(refused.err, /mesh\.io\/use-waypoint=wp already/);
  const before = await run("waypoint", "list", "-n", "shop");
  assert.doesNotMatch(before.out, /second/, "nothing was made");
  await kubectl(cluster, ["label", "namespace", "shop", "mesh.io/dataplane-mode=ambient"]);
  const replaced = await run(...args, "--overwrite");
  assert.equal(replaced.status, 0, replaced.err);
  assert.doesNotMatch(replaced.err, /Warning/);
  const label = [
    "get",
    "namespace",
    "shop",
    "-o=jsonpath={.metadata.labels.mesh\\.io/use-waypoint}",
  ];
  assert.equal((await kubectl(cluster, label)).trim(), "second");
}

async function deletes(cluster: Cluster, run: Run): Promise<void> {
  const one = await run("waypoint", "delete", "second", "-n", "shop");
  assert.equal(one.out, "waypoint shop/second deleted\n");
  const all = await run("waypoint", "delete", "--all", "-n", "shop");
  assert.equal(all.out, "waypoint shop/wp deleted\n");
  const left = await kubectl(cluster, ["get", "gateways", "-n", "shop", "-o=name"]);
  assert.doesNotMatch(left, /gateway\.networking/);
}

async function generates(cluster: Cluster, run: Run): Promise<void> {
  const { out } = await run(
    "waypoint",
    "generate",
    "-n",
    "shop",
    "--for",
    "workload",
    "-r",
    "blue",
  );
  const object = parseYaml(out) as { spec: unknown; metadata: unknown };
  assert.deepEqual(JSON.parse(JSON.stringify(object.metadata)), {
    name: "waypoint",
    namespace: "shop",
    labels: { "mesh.io/waypoint-for": "workload", "mesh.io/rev": "blue" },
  });
  assert.deepEqual(JSON.parse(JSON.stringify(object.spec)), {
    gatewayClassName: "mesh-waypoint",
    listeners: [{ name: "mesh", port: 15008, protocol: "HBONE" }],
  });
  await kubectl(cluster, ["apply", "-f", "-"], out);
  const revision = await run("waypoint", "delete", "--revision", "blue", "-n", "shop");
  assert.equal(revision.out, "waypoint shop/waypoint deleted\n");
}

clusterTest("waypoints are made, shown and removed", async (cluster, t) => {
  await using stack = new AsyncDisposableStack();
  const client = stack.use(await adminClient(cluster));
  await applyDefinitions(client);
  await applyGatewayApi(cluster);
  await kubectl(cluster, ["create", "namespace", "shop"]);
  const [secured] = freePorts(1);
  stack.use(
    await startDaemon({
      configDir: "",
      secured: secured!,
      args: [`--orchconfig=${cluster.files.daemonKubeconfig}`],
      env: {
        PILOT_ENABLE_AMBIENT: "true",
        PILOT_ENABLE_AMBIENT_WAYPOINTS: "true",
        AMBIENT_ENABLE_STATUS: "true",
      },
    }),
  );
  const run = commandsOf(cluster);
  await t.step("mistakes are refused", () => refusals(run));
  await t.step("a waypoint is made, and its namespace enrolled", () => applies(cluster, run));
  await t.step("conditions of objects and policies", () => reports(cluster));
  await t.step("a namespace keeps its waypoint, unless it is replaced", () => enrols(cluster, run));
  await t.step("waypoints are deleted", () => deletes(cluster, run));
  await t.step("a waypoint is printed", () => generates(cluster, run));
}, { missing: await lackingGatewayApiDefinitions() });

const CORPORA = Deno.env.get("MESH_CORPORA");
const LACKING = CORPORA === undefined ? "MESH_CORPORA names no corpora" : undefined;

/** A waypoint as the corpus has it. */
interface WrittenWaypoint extends OrchObject {
  readonly spec: object;
  readonly status: { readonly conditions: readonly object[] };
}

clusterTest("the list of waypoints is that of the corpus", async (cluster) => {
  using client = await adminClient(cluster);
  await applyGatewayApi(cluster);
  type Case = { name: string; args: string[]; inputs: string[]; golden?: string };
  const { cases } = JSON.parse(await Deno.readTextFile(`${CORPORA}/cli/cases.json`)) as {
    cases: Case[];
  };
  const chosen = cases.filter(({ args }) => args[0] === "waypoint");
  assert.ok(chosen.length > 0);
  const made = new Set(["default"]);
  for (const { name, args, inputs, golden } of chosen) {
    const objects: WrittenWaypoint[] = [];
    for (const file of inputs) {
      const text = await Deno.readTextFile(`${CORPORA}/cli/${file}`);
      objects.push(
        ...text.split(/^---$/m).filter((one) => one.trim() !== "")
          .map((one) => parseYaml(one) as WrittenWaypoint),
      );
    }
    const namespaces = new Set(objects.map(({ metadata }) => metadata.namespace!));
    for (const namespace of namespaces) {
      if (made.has(namespace)) continue;
      made.add(namespace);
      await kubectl(cluster, ["create", "namespace", namespace]);
    }
    for (const { metadata, spec, status, ...object } of objects) {
      // The definitions demand more than the corpus has.
      const listeners = [{ name: "mesh", port: 15008, protocol: "HBONE" }];
      const whole = { ...object, metadata, spec: { listeners, ...spec }, status: undefined };
      await kubectl(cluster, ["apply", "-f", "-"], JSON.stringify(whole));
      const conditions = status.conditions.map((one) => ({
        reason: "Test",
        message: "",
        lastTransitionTime: "2026-01-01T00:00:00Z",
        ...one,
      }));
      await mergePatch(client, GATEWAY, { ...metadata, subresource: "status" }, {
        status: { conditions },
      });
    }
    const { out, err } = await commandsOf(cluster)(...args);
    const expected = await Deno.readTextFile(`${CORPORA}/cli/${golden}`);
    assert.deepEqual(cellsOf(out), cellsOf(expected), `${name}: ${err}`);
    await kubectl(cluster, ["delete", "gateways", "-A", "--all"]);
  }
}, { missing: LACKING ?? await lackingGatewayApiDefinitions() });
