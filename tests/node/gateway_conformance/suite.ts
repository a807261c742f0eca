/**
 * A run of the Gateway API's conformance suite against a mesh on a node.
 *
 * @module
 */
import { MeshError } from "../../../lib/kit/base/mod.ts";
import { MESH_FEATURES } from "../../../lib/mesh/gateway_api/mod.ts";
import { gatewayApiPrograms } from "../../../scripts/cluster/gateway_api.ts";
import type { NodeCluster } from "../../../scripts/cluster/node/cluster.ts";
import { installMesh, SYSTEM } from "../../../scripts/cluster/mesh/install.ts";
import { join } from "../../../scripts/paths.ts";
import { applyGatewayApi } from "../../support/gateway_api.ts";
import { clientOf, podsEventually } from "../../support/node.ts";
import { startTestLoadBalancer, USABLE_ADDRESS } from "../../support/load_balancer.ts";
import { resultsOf, type SuiteTest } from "./results.ts";

/** Settings of a run. */
export interface SuiteRun {
  /** Such as `GATEWAY-HTTP`. */
  readonly profiles: readonly string[];
  /** Name of the only test to run; absent: all. */
  readonly test?: string;
  /** Flags of the suite beside these. */
  readonly flags?: readonly string[];
  /** The file for the suite's report. */
  readonly report: string;
  /** The file for the suite's output. */
  readonly log: string;
}

/** The result of a run. */
export interface SuiteOutcome {
  readonly success: boolean;
  readonly tests: readonly SuiteTest[];
}

/**
 * Installs the definitions and the mesh at default settings, and a test load balancer, which stands in
 * for that of a provider: it gives each Service its cluster IP.
 */
export async function prepareCluster(
  cluster: NodeCluster,
  progress: (line: string) => void = () => {},
): Promise<AsyncDisposable> {
  await applyGatewayApi(cluster);
  await installMesh(cluster, progress);
  await applyDefaults(cluster);
  // The suite takes the features of the class, which the status has once there is a leader.
  const accepted = "--for=condition=Accepted";
  await podsEventually("an accepted GatewayClass", async () => {
    return (await cluster.run(["wait", accepted, "gatewayclass/mesh", "--timeout=10s"])).success;
  });
  const client = await clientOf(cluster);
  const balancer = await startTestLoadBalancer(client);
  return {
    async [Symbol.asyncDispose]() {
      await balancer[Symbol.asyncDispose]();
      client[Symbol.dispose]();
    },
  };
}

/** The suite has twenty Gateways at a time: the node of the tests has no such processors to promise. */
const DEFAULTS = `apiVersion: v1
kind: ConfigMap
metadata:
  name: small-gateways
  namespace: ${SYSTEM}
  labels: {gateway.mesh.io/defaults-for-class: mesh}
data:
  deployment: |
    spec:
      template:
        spec:
          containers:
          - name: mesh-proxy
            resources: {requests: {cpu: 10m}}
`;

async function applyDefaults(cluster: NodeCluster): Promise<void> {
  const file = join(cluster.dir, "defaults.yaml");
  await Deno.writeTextFile(file, DEFAULTS);
  const { success, stderr } = await cluster.run(["apply", "-f", file]);
  if (!success) throw new MeshError("suite", `kubectl apply -f ${file}: ${stderr}`);
}

/**
 * Flags of runs of profiles of the mesh: the pods of the tests get proxies, and the features are named
 * here, because the status of a GatewayClass must not have them, and the standard channel has no XMesh.
 */
const MESH_FLAGS: readonly string[] = [
  "-namespace-labels=mesh-injection=enabled",
  `-supported-features=${MESH_FEATURES.join(",")}`,
];

/** Profiles that run together: those of gateways, then those of the mesh. */
export function profileGroups(profiles: readonly string[]): readonly string[][] {
  const isMesh = (profile: string) => profile.startsWith("MESH-");
  return [profiles.filter((one) => !isMesh(one)), profiles.filter(isMesh)]
    .filter((group) => group.length > 0);
}

/** Runs the suite in the cluster's own network, which has a route to the addresses of Services. */
export async function runSuite(
  cluster: NodeCluster,
  { profiles, test, flags = [], report, log }: SuiteRun,
): Promise<SuiteOutcome> {
  const { suite } = await gatewayApiPrograms();
  const args = [
    "-test.v",
    "-test.timeout=3h",
    "-gateway-class=mesh",
    `-conformance-profiles=${profiles.join(",")}`,
    `-report-output=${join(cluster.dir, "report.yaml")}`,
    ...IMPLEMENTATION,
    ...(profiles.some((one) => one.startsWith("MESH-")) ? MESH_FLAGS : ADDRESS_FLAGS),
    ...(test === undefined ? [] : [`-run-test=${test}`]),
    ...flags,
  ];
  const file = join(cluster.dir, "suite.log");
  const command = `exec "$0" "$@" > ${file} 2>&1`;
  const { success } = await cluster.space.run([
    ...["env", `KUBECONFIG=${cluster.kubeconfig}`, "sh", "-c", command, suite],
    ...args,
  ]);
  await Deno.copyFile(file, log);
  await Deno.copyFile(join(cluster.dir, "report.yaml"), report).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error; // the suite ended early
  });
  return { success, tests: resultsOf(await Deno.readTextFile(log)) };
}

/** Addresses that the load balancer gives, and gives not. */
const ADDRESS_FLAGS: readonly string[] = [
  `-usable-address=${USABLE_ADDRESS}`,
  "-unusable-address=203.0.113.8",
];

/** The implementation, for the report. */
const IMPLEMENTATION: readonly string[] = [
  "-organization=mesh",
  "-project=mesh",
  "-url=https://mesh.io",
  "-version=dev",
  "-contact=https://mesh.io",
];
