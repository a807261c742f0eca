/**
 * The mesh as pods, by manifests of a user and at default settings: the daemon, its webhook, injected
 * workloads, requests through both proxies.
 *
 * @module
 */
import assert from "node:assert/strict";
import { eventually } from "../../scripts/harness/mod.ts";
import { apply, deployment, kubectl, podsReady, workloadContainer } from "../support/node.ts";
import { inPod, manifest, meshTest } from "../support/node_mesh.ts";

const CLIENT = { pod: "deploy/client", namespace: "shop" };

meshTest(
  "the mesh as pods: injected workloads reach each other by mutual TLS",
  async (cluster, t) => {
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
        const text = await inPod(cluster, CLIENT, ...get);
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
        const answer = await inPod(
          cluster,
          { pod: "deploy/outsider", namespace: "default" },
          ...get,
        );
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
          await inPod(cluster, CLIENT, "get", "http://server/"),
        );
      });
    });
  },
);
