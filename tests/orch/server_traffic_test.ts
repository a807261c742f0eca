/**
 * Traffic to the pods of Services, captured from a client and for its servers, with Services and pods of
 * a real API server. Some pods have a proxy and some have none.
 */
import assert from "node:assert/strict";
import { mergePatch, type OrchClient, types } from "../../lib/kit/orch/mod.ts";
import { applyDefinitions } from "../../scripts/crds.ts";
import {
  call,
  type Cluster,
  eventually,
  freePort,
  startDaemon,
  startTcpBackend,
} from "../../scripts/harness/mod.ts";
import { asks } from "../e2e/redirect/programs.ts";
import { missing } from "../e2e/redirect/network.ts";
import { adminClient, clusterTest } from "../support/cluster.ts";
import { writePluggedCa } from "../support/identity.ts";
import { createAccounts, tokenOf } from "../support/service_accounts.ts";
import {
  type Bridge,
  type CapturedPod,
  makeBridge,
  startCapturedPod,
} from "./pods/captured_pod.ts";
import type { ProxyOptions } from "./pods/proxy.ts";

const NAMESPACE = "shop";
const HTTP = 8080;
/** Port of two external names, and of a server outside of the mesh. */
const OUTSIDE = 6000;

const OBJECTS = `
apiVersion: v1
kind: Node
metadata: {name: n1}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: ${NAMESPACE}}
spec:
  selector: {app: web}
  ports: [{name: http, port: 80, targetPort: ${HTTP}}]
---
apiVersion: v1
kind: Service
metadata: {name: db, namespace: ${NAMESPACE}}
spec:
  clusterIP: None
  selector: {tier: db}
  ports: [{name: tcp, port: 5432}, {name: http, port: ${HTTP}}]
---
apiVersion: v1
kind: Service
metadata: {name: mysql, namespace: ${NAMESPACE}}
spec:
  selector: {tier: db}
  ports: [{port: 3306}]
---
apiVersion: v1
kind: Service
metadata: {name: store, namespace: ${NAMESPACE}}
spec: {type: ExternalName, externalName: web.${NAMESPACE}.svc.cluster.local}
---
apiVersion: v1
kind: Service
metadata: {name: first, namespace: ${NAMESPACE}}
spec: {type: ExternalName, externalName: first.example, ports: [{name: tcp, port: ${OUTSIDE}}]}
---
apiVersion: v1
kind: Service
metadata: {name: second, namespace: ${NAMESPACE}}
spec: {type: ExternalName, externalName: second.example, ports: [{name: tcp, port: ${OUTSIDE}}]}
---
apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: strict, namespace: ${NAMESPACE}}
spec: {mtls: {mode: STRICT}}
`;

const REGISTRY_ONLY = `
apiVersion: networking.mesh.io/v1
kind: Sidecar
metadata: {name: closed, namespace: ${NAMESPACE}}
spec:
  egress: [{hosts: ["*/*"]}]
  outboundTrafficPolicy: {mode: REGISTRY_ONLY}
`;

/** The objects of an API server, and the pods on a bridge. */
interface World {
  readonly cluster: Cluster;
  readonly client: OrchClient;
  readonly bridge: Bridge;
  readonly proxy: Pick<ProxyOptions, "root" | "dir" | "daemon">;
}

async function apply({ cluster }: Pick<World, "cluster">, text: string): Promise<void> {
  const { success, text: said } = await cluster.run(["apply", "-f", "-"], text);
  assert.ok(success, said);
}

async function kubectl({ cluster }: World, ...args: readonly string[]): Promise<string> {
  const { success, text } = await cluster.run([...args, "-n", NAMESPACE]);
  assert.ok(success, text);
  return text.trim();
}

/** A pod with a proxy has the label that injection sets. */
interface PodOptions {
  readonly name: string;
  readonly number: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly serves: readonly string[];
  readonly proxied: boolean;
}

/** Creates the object of a pod, starts it, and reports its address as a kubelet would. */
async function startPod(world: World, options: PodOptions): Promise<CapturedPod> {
  const { name, number, serves, proxied } = options;
  const labels = { ...options.labels, ...proxied ? { "security.mesh.io/tlsMode": "mesh" } : {} };
  const account = `${NAMESPACE}/${name}`;
  await createAccounts(world.client, [account]);
  await apply(
    world,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: NAMESPACE, labels },
      spec: {
        nodeName: "n1",
        serviceAccountName: name,
        containers: [{ name: "c", image: "none" }],
      },
    }),
  );
  const proxy = {
    ...world.proxy,
    namespace: NAMESPACE,
    labels,
    token: await tokenOf(world.client, account),
  };
  const pod = await startCapturedPod(world.bridge, {
    name,
    number,
    serves,
    ...proxied ? { proxy } : {},
  });
  await mergePatch(world.client, types.POD, { namespace: NAMESPACE, name, subresource: "status" }, {
    status: {
      phase: "Running",
      podIP: pod.address,
      podIPs: [{ ip: pod.address }],
      conditions: [{ type: "Ready", status: "True" }],
    },
  });
  return pod;
}

/** Waits until a server speaks to the client, and says who it is. */
async function greets(from: CapturedPod, address: string, port: number, by: string): Promise<void> {
  await eventually(`a greeting of ${by} at ${address}:${port}`, async () => {
    const said = await asks(from.space, "greeting", address, `${port}`);
    return said.from?.split(" ")[0] === by;
  }, 60_000);
}

clusterTest(
  "clients reach the pods of Services, with a proxy and without one",
  async (cluster, t) => {
    using client = await adminClient(cluster);
    await using stack = new AsyncDisposableStack();
    await applyDefinitions(client);
    await createAccounts(client, [`${NAMESPACE}/default`]);
    await apply({ cluster }, OBJECTS);
    const dir = await Deno.makeTempDir({ prefix: "mesh-servers-" });
    stack.defer(() => Deno.remove(dir, { recursive: true }));
    const { certificate: { pem: root } } = await writePluggedCa(`${dir}/ca`);
    const bridge = stack.use(await makeBridge());
    const secured = freePort();
    stack.use(
      await startDaemon({
        configDir: "",
        args: [
          `--orchconfig=${cluster.files.daemonKubeconfig}`,
          `--secureGRPCAddr=${bridge.address}:${secured}`,
        ],
        env: { ROOT_CA_DIR: `${dir}/ca` },
      }),
    );
    const daemon = { address: bridge.address, port: secured };
    const world: World = { cluster, client, bridge, proxy: { root, dir, daemon } };
    const [near, meshed, plain] = await Promise.all([
      startPod(world, { name: "client", number: 1, labels: {}, serves: [], proxied: true }),
      startPod(world, {
        name: "meshed",
        number: 2,
        labels: { app: "web", tier: "db" },
        serves: [`http:${HTTP}`, "tcp:5432", "tcp:3306"],
        proxied: true,
      }),
      startPod(world, {
        name: "plain",
        number: 3,
        labels: { app: "web" },
        serves: [`http:${HTTP}`, "tcp:5432"],
        proxied: false,
      }),
    ]).then((pods) => pods.map((pod) => stack.use(pod)) as [CapturedPod, CapturedPod, CapturedPod]);
    const vip = (name: string) =>
      kubectl(world, "get", "service", name, "-o", "jsonpath={.spec.clusterIP}");
    const web = await vip("web");
    const ask = (host: string) =>
      asks(near.space, "http", `http://${web}/`, `${host}.${NAMESPACE}.svc.cluster.local`);

    await t.step("mutual TLS to pods with a proxy, plain text to pods without one", async () => {
      const found = new Set<string | undefined>();
      await eventually("answers of both pods", async () => {
        found.add((await ask("web")).from);
        return found.has("meshed") && found.has("plain");
      }, 60_000);
      for (let i = 0; i < 8; i++) assert.equal((await ask("web")).status, 200);
      // The proxy of the one pod takes nothing but mutual TLS.
      await assert.rejects(call(`http://${meshed.address}:${HTTP}/`, { host: "web" }));
    });

    await t.step("mutual TLS to the addresses of a headless Service", async () => {
      await greets(near, meshed.address, 5432, "meshed");
    });

    await t.step(
      "mutual TLS to a pod of a headless Service that is called by its name",
      async () => {
        const name = `meshed.db.${NAMESPACE}.svc.cluster.local`;
        await eventually(`an answer of ${name}`, async () => {
          const { status, from } = await asks(
            near.space,
            "http",
            `http://${meshed.address}:${HTTP}/`,
            name,
          );
          return status === 200 && from === "meshed";
        }, 60_000);
      },
    );

    await t.step("a server that speaks first is heard on a port without a protocol", async () => {
      await greets(near, await vip("mysql"), 3306, "meshed");
    });

    await t.step(
      "with an instance without a proxy it is plain text to all, until it is gone",
      async () => {
        await kubectl(world, "label", "pod", "plain", "tier=db");
        await greets(near, plain.address, 5432, "plain");
        await kubectl(world, "label", "pod", "plain", "tier-");
        await greets(near, meshed.address, 5432, "meshed");
      },
    );

    await t.step("external names neither take connections nor open a way out", async () => {
      const at = { host: bridge.address, port: OUTSIDE };
      await using _ = await startTcpBackend("outside", at);
      const there = () => asks(near.space, "tcp", bridge.address, `${OUTSIDE}`);
      assert.equal((await there()).from, "outside", "the destination of the client");
      assert.deepEqual([(await ask("store")).status], [200], "an alias of a Service");
      await apply(world, REGISTRY_ONLY);
      await eventually("the end of the way out", async () => {
        return (await there()).error !== undefined;
      }, 60_000);
      assert.equal((await ask("store")).status, 200);
    });
  },
  { controllers: true, missing: missing() },
);
