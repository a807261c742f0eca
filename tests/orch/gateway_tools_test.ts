/**
 * `meshctl` about objects of the Gateway API in a real API server, with the status that a daemon writes.
 */
import assert from "node:assert/strict";
import { eventually, freePort, startDaemon } from "../../scripts/harness/mod.ts";
import { applyDefinitions } from "../../scripts/crds.ts";
import { adminClient, clusterTest } from "../support/cluster.ts";
import { applyGatewayApi, lackingGatewayApiDefinitions } from "../support/gateway_api.ts";
import { meshctl } from "../support/meshctl.ts";

const OBJECTS = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: front, namespace: default}
spec:
  gatewayClassName: mesh
  listeners: [{name: web, port: 80, protocol: HTTP}]
---
apiVersion: v1
kind: Service
metadata: {name: echo, namespace: default}
spec: {ports: [{port: 80, name: http}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: shop, namespace: default}
spec:
  parentRefs: [{name: front, sectionName: web}, {name: front, sectionName: none}]
  rules: [{backendRefs: [{name: echo, port: 80, weight: 3}, {name: nobody, port: 80}]}]
`;

clusterTest(
  "meshctl describes routes of the Gateway API and finds their faults",
  async (cluster, t) => {
    using client = await adminClient(cluster);
    await applyDefinitions(client);
    await applyGatewayApi(cluster);
    await using _ = await startDaemon({
      secured: freePort(),
      configDir: "",
      args: [`--orchconfig=${cluster.files.daemonKubeconfig}`],
    });
    const applied = await cluster.run(["apply", "-f", "-"], OBJECTS);
    assert.ok(applied.success, applied.text);
    const run = (...args: string[]) => meshctl([...args, "-c", cluster.files.kubeconfig]);
    await t.step("before and after the daemon reported", async () => {
      const last = { out: "" };
      await eventually("a report with status", async () => {
        last.out = (await run("x", "describe", "service", "echo")).out;
        return last.out.includes("NoMatchingParent");
      });
      const lines = last.out.split("\n");
      for (
        const line of [
          "HTTPRoute: shop.default",
          "   Parent: Gateway front.default, listener web",
          "   Parent: Gateway front.default, listener none",
          "   1 rule(s), 1 to echo",
          "   Weight in rule 1: 3 of 4",
        ]
      ) assert.ok(lines.includes(line), `${line}\n${last.out}`);
      assert.match(
        last.out,
        /^WARNING: Gateway front\.default, listener web: ResolvedRefs is False \(BackendNotFound\)/m,
      );
    });
    await t.step("analyze tells each condition once, and names what is missing", async () => {
      const { out, status } = await run("analyze", "-n", "default");
      assert.equal(status, 79, out);
      assert.match(
        out,
        /\[MSH0101\] \(HTTPRoute default\/shop\) .*nobody\.default\.svc\.cluster\.local/,
      );
      assert.match(out, /\[MSH0171\] \(HTTPRoute default\/shop\) .*NoMatchingParent/);
      assert.doesNotMatch(out, /MSH1008/);
    });
  },
  { controllers: true, missing: lackingGatewayApiDefinitions() },
);
