/**
 * The mesh as pods, by manifests of a user and at default settings: the daemon, its webhook, injected
 * workloads, requests through both proxies.
 *
 * @module
 */
import assert from "node:assert/strict";
import { daemonRoles, defaultRoleOptions } from "../../cmd/pilot-discovery/roles.ts";
import {
  accessOf,
  ALL_CREDENTIAL_OPTIONS,
  createClient,
  loadKubeconfig,
} from "../../lib/kit/orch/mod.ts";
import type { NodeCluster } from "../../scripts/cluster/node/cluster.ts";
import { applyDefinitions } from "../../scripts/crds.ts";
import { eventually } from "../../scripts/harness/mod.ts";
import { keptImages } from "../../scripts/images/kept.ts";
import { rolesText } from "../../scripts/roles.ts";
import {
  apply,
  deployment,
  kubectl,
  nodeTest,
  podsReady,
  workloadContainer,
} from "../support/node.ts";

const manifest = (name: string): Promise<string> =>
  Deno.readTextFile(new URL(`./mesh/${name}.yaml`, import.meta.url));

/** Installs the daemon as a user does. */
async function installMesh(cluster: NodeCluster): Promise<void> {
  const images = await keptImages();
  for (const program of ["pilot-discovery", "pilot-agent"]) {
    await cluster.importImages(images[program]!);
  }
  const config = await loadKubeconfig([cluster.kubeconfig]);
  using client = createClient(accessOf(config, { allowed: ALL_CREDENTIAL_OPTIONS }));
  await applyDefinitions(client);
  await kubectl(cluster, ["create", "namespace", "mesh-system"]);
  const roles = rolesText(daemonRoles(defaultRoleOptions()));
  await kubectl(cluster, ["apply", "-f", "-"], `${roles}---\n${await manifest("daemon")}`);
  await podsReady(cluster, "app=meshd", { namespace: "mesh-system" });
  await eventually("the webhook to have the daemon's authority", async () => {
    const path = "{.webhooks[0].clientConfig.caBundle}";
    const get = ["get", "mutatingwebhookconfiguration", "mesh-sidecar-injector"];
    return (await kubectl(cluster, [...get, `-o=jsonpath=${path}`])) !== "";
  });
}

/** Runs the workload's program in a container. */
async function inPod(
  cluster: NodeCluster,
  pod: string,
  namespace: string,
  command: readonly string[],
): Promise<string> {
  const exec = ["exec", "-n", namespace, pod, "-c", "app", "--", "/workload", ...command];
  const { stdout, stderr } = await cluster.run(exec);
  return stdout.trim() || stderr.trim();
}

nodeTest(
  "the mesh as pods: injected workloads reach each other by mutual TLS",
  async (cluster, t) => {
    await installMesh(cluster);
    await kubectl(cluster, ["apply", "-f", "-"], await manifest("shop"));
    await apply(cluster, deployment("outsider", workloadContainer(["sleep", "1h"])));
    for (const app of ["server", "client"]) {
      await podsReady(cluster, `app=${app}`, { namespace: "shop" });
    }
    await podsReady(cluster, "app=outsider");

    await t.step(
      "pods have a proxy and an init container, those of other namespaces none",
      async () => {
        const path = "{.items[*].spec['initContainers','containers'][*].name}";
        const names = (namespace: string) =>
          kubectl(cluster, ["get", "pods", "-n", namespace, `-o=jsonpath=${path}`]);
        assert.match(await names("shop"), /mesh-init.*mesh-proxy/);
        assert.equal(await names("default"), "app");
      },
    );
    await t.step("the server sees the client's identity", async () => {
      // A node has the addresses of a Service a moment after its pods are ready.
      const answer = await eventually("an answer of the server", async () => {
        const get = ["get", "http://server/headers"];
        const text = await inPod(cluster, "deploy/client", "shop", get);
        return text.startsWith("200 ") && text;
      });
      const headers = JSON.parse(answer.slice("200 ".length));
      const [certificate = ""] = headers["X-Forwarded-Client-Cert"] ?? [];
      assert.match(certificate, /URI=spiffe:\/\/cluster\.local\/ns\/shop\/sa\/client/);
      assert.match(certificate, /By=spiffe:\/\/cluster\.local\/ns\/shop\/sa\/server/);
    });
    await t.step("a pod outside the mesh is refused", async () => {
      const get = ["get", "http://server.shop/headers"];
      await eventually("a closed connection", async () => {
        const answer = await inPod(cluster, "deploy/outsider", "default", get);
        assert.doesNotMatch(answer, /^200 /, answer);
        return /^error .*(reset|EOF)/.test(answer);
      });
    });
    await t.step("a policy denies the client, as soon as it is applied", async () => {
      await apply(cluster, {
        apiVersion: "security.mesh.io/v1",
        kind: "AuthorizationPolicy",
        metadata: { name: "no-client", namespace: "shop" },
        spec: {
          selector: { matchLabels: { app: "server" } },
          action: "DENY",
          rules: [{ from: [{ source: { principals: ["cluster.local/ns/shop/sa/client"] } }] }],
        },
      });
      await eventually("a refusal", async () => {
        return /^403 /.test(
          await inPod(cluster, "deploy/client", "shop", ["get", "http://server/"]),
        );
      });
    });
  },
);
