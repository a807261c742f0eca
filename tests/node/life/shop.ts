/**
 * Two workloads under STRICT, as a user writes them, and what a user does in their pods.
 *
 * @module
 */
import assert from "node:assert/strict";
import { call, freePort, startCommand } from "../../../scripts/harness/mod.ts";
import { apply, kubectl, podsEventually, temporaryFolder } from "../../support/node.ts";
import {
  asks,
  callerOf,
  CLIENT,
  isClosed,
  isOk,
  type MeshCase,
  OUTSIDER,
  read,
} from "../../support/node_mesh.ts";

const mutual: MeshCase = {
  name: "injected workloads reach each other by mutual TLS, others do not, a policy denies one",
  async run(cluster) {
    const path = "{.items[*].spec['initContainers','containers'][*].name}";
    assert.match(await read(cluster, "shop", "pods", path), /mesh-init.*mesh-proxy/);
    const outside = await read(cluster, "default", "pods -l=app=outsider", path);
    assert.doesNotMatch(outside, /mesh-/);
    const [line] = await asks(cluster, CLIENT, ["http://server/headers"], (all) => all.every(isOk));
    assert.equal(callerOf(line!), "spiffe://cluster.local/ns/shop/sa/client");
    const refused = await asks(
      cluster,
      OUTSIDER,
      ["http://server.shop/headers"],
      (lines) => lines.some(isClosed) || lines.some(isOk),
    );
    assert.ok(refused.some(isClosed), refused.join("\n"));
    await apply(cluster, {
      apiVersion: "security.mesh.io/v1",
      kind: "AuthorizationPolicy",
      metadata: { name: "no-client", namespace: "shop" },
      spec: {
        selector: { matchLabels: { app: "server" } },
        action: "DENY",
        rules: [{
          from: [{ source: { principals: ["cluster.local/ns/shop/sa/client"] } }],
          to: [{ operation: { paths: ["/denied"] } }],
        }],
      },
    });
    const urls = ["http://server/denied", "http://server/allowed"];
    await asks(cluster, CLIENT, urls, ([denied = "", allowed = ""]) => {
      return denied.startsWith("403 ") && isOk(allowed);
    });
  },
};

const tools: MeshCase = {
  name: "kubectl exec, logs, port-forward and cp into injected pods",
  async run(cluster) {
    await using folder = await temporaryFolder();
    // The container of the application is the default one.
    const exec = ["exec", "-n", "shop", "deploy/server", "--", "/workload", "print", "hello"];
    assert.deepEqual(await cluster.run(exec), { success: true, stdout: "hello\n", stderr: "" });
    const logs = await kubectl(cluster, ["logs", "-n", "shop", "deploy/server"]);
    assert.match(logs, /^server-\S+ serves port 8080/);
    const agent = ["-c", "mesh-proxy", "--", "pilot-agent", "request", "GET", "server_info"];
    const info = await kubectl(cluster, ["exec", "-n", "shop", "deploy/server", ...agent]);
    assert.equal(JSON.parse(info).state, "LIVE");

    const port = freePort();
    const forward = ["port-forward", "-n", "shop", "service/server", `${port}:80`];
    await using _ = startCommand(cluster.kubectl, [
      `--kubeconfig=${cluster.kubeconfig}`,
      ...forward,
    ]);
    const answer = await podsEventually(
      "an answer through the port",
      () => call(`http://127.0.0.1:${port}/`),
    );
    assert.match(answer.body, /^server-/);

    const pod = await read(cluster, "shop", "pods -l=app=server", "{.items[0].metadata.name}");
    const text = "a line\n".repeat(20_000);
    await Deno.writeTextFile(`${folder.path}/there`, text);
    await kubectl(cluster, ["cp", "-n", "shop", `${folder.path}/there`, `${pod}:/tmp/file`]);
    await kubectl(cluster, ["cp", "-n", "shop", `${pod}:/tmp/file`, `${folder.path}/back`]);
    assert.equal(await Deno.readTextFile(`${folder.path}/back`), text);
  },
};

/** The cases. */
export const SHOP: readonly MeshCase[] = [mutual, tools];
