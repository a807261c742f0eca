/**
 * Bad input of the Gateway API at a daemon with a real API server: parameters that are missing, and
 * thousands of listeners that conflict.
 */
import assert from "node:assert/strict";
import {
  type Cluster,
  type Daemon,
  eventually,
  freePorts,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { applyDefinitions } from "../../scripts/crds.ts";
import { adminClient, clusterTest } from "../support/cluster.ts";
import { applyGatewayApi, lackingGatewayApiDefinitions } from "../support/gateway_api.ts";

const GROUP = "gateway.networking.k8s.io";
/** Most listeners of one object, by the standard's definitions. */
const LISTENERS = 64;
const SETS = 40;

interface Seen {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
    }[];
  };
}

async function kubectl(cluster: Cluster, args: readonly string[], input?: string): Promise<string> {
  const { success, text } = await cluster.run(args, input);
  assert.ok(success, text);
  return text;
}

/** `TYPE:REASON` of the condition `Accepted`, with `!` where it does not hold. */
function acceptance({ status }: Seen): string {
  const found = status?.conditions?.find(({ type }) => type === "Accepted");
  return found === undefined ? "" : `${found.status === "True" ? "" : "!"}${found.reason}`;
}

async function accepted(cluster: Cluster, kind: string, name: string): Promise<string> {
  const text = await kubectl(cluster, ["get", kind, name, "-n", "default", "-o=json"]);
  return acceptance(JSON.parse(text));
}

const PARAMETERS = `apiVersion: ${GROUP}/v1
kind: Gateway
metadata: {name: small, namespace: default}
spec:
  gatewayClassName: mesh
  infrastructure: {parametersRef: {group: "", kind: ConfigMap, name: small}}
  listeners: [{name: web, port: 80, protocol: HTTP}]
`;

/** ListenerSets whose listeners all have hostnames of the Gateway's own. */
function conflicting(): string {
  const listener = (_: unknown, index: number) =>
    `{name: l${index}, port: 81, protocol: HTTP, hostname: h${index}.example}`;
  const listeners = Array.from({ length: LISTENERS }, listener).join(", ");
  const sets = Array.from({ length: SETS }, (_, index) =>
    `apiVersion: ${GROUP}/v1
kind: ListenerSet
metadata: {name: set-${index}, namespace: default}
spec: {parentRef: {name: crowded}, listeners: [${listeners}]}
`);
  const gateway = `apiVersion: ${GROUP}/v1
kind: Gateway
metadata: {name: crowded, namespace: default}
spec:
  gatewayClassName: mesh
  allowedListeners: {namespaces: {from: All}}
  listeners: [${listeners}]
`;
  return [gateway, ...sets].join("---\n");
}

/** The daemon answers at once, whatever it computes. */
async function answers({ http }: Daemon): Promise<void> {
  const ready = await fetch(`${http}/ready`, { signal: AbortSignal.timeout(10_000) });
  await ready.body?.cancel();
  assert.equal(ready.status, 200);
}

clusterTest(
  "Gateways with wrong parameters, and with thousands of listeners that conflict",
  async (cluster, t) => {
    await applyGatewayApi(cluster);
    using client = await adminClient(cluster);
    await applyDefinitions(client);
    const [secured] = freePorts(1);
    const args = [`--orchconfig=${cluster.files.daemonKubeconfig}`];
    await using daemon = await startDaemon({ secured: secured!, configDir: "", args });
    await eventually(
      "the class",
      async () => (await cluster.run(["get", "gatewayclass", "mesh"])).success,
    );

    await t.step(
      "parameters that are missing are named, and count once they are there",
      async () => {
        await kubectl(cluster, ["apply", "-f", "-"], PARAMETERS);
        const is = (text: string) =>
          eventually(text, async () => await accepted(cluster, "gateway", "small") === text);
        await is("!InvalidParameters");
        await kubectl(cluster, ["create", "configmap", "small", "-n", "default"]);
        await is("Accepted");
        await kubectl(cluster, ["delete", "configmap", "small", "-n", "default"]);
        await is("!InvalidParameters");
      },
    );

    await t.step(
      "listeners that conflict: all say so, in a bounded status, and the daemon answers",
      async () => {
        await kubectl(cluster, ["apply", "--server-side", "-f", "-"], conflicting());
        let running = true;
        const watching = (async () => {
          while (running) await answers(daemon);
        })();
        try {
          await eventually("the status of all ListenerSets", async () => {
            const text = await kubectl(cluster, ["get", "listenersets", "-n=default", "-o=json"]);
            const { items } = JSON.parse(text) as { items: Seen[] };
            return items.length === SETS &&
              items.every((one) => acceptance(one) === "!ListenersNotValid");
          });
        } finally {
          running = false;
          await watching;
        }
        const text = await kubectl(cluster, ["get", "gateway", "crowded", "-n=default", "-o=json"]);
        const gateway = JSON.parse(text) as Seen;
        assert.equal(acceptance(gateway), "Accepted");
        for (const { message } of gateway.status?.conditions ?? []) {
          assert.ok(message.length < 2000, message);
        }
        const set = await kubectl(cluster, [
          "get",
          "listenerset",
          "set-7",
          "-n=default",
          "-o=json",
        ]);
        for (const { message } of (JSON.parse(set) as Seen).status?.conditions ?? []) {
          assert.ok(message.length < 2000, message);
        }
      },
    );
  },
  { missing: lackingGatewayApiDefinitions() },
);
