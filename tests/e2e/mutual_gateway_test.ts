/**
 * A gateway that accepts only workloads of the mesh, and policies that name it as the Gateway API
 * does.
 *
 * @module
 */
import assert from "node:assert/strict";
import { request } from "node:https";
import { call, eventually, freePort } from "../../scripts/harness/mod.ts";
import { type Certificate, withCertificates } from "../support/certificates.ts";
import { documents, manifest, to } from "../support/manifest.ts";
import { becomes } from "./security/case.ts";
import { startEdge } from "./security/edge.ts";
import { filesOf, policy, SERVER, SERVER_NAMESPACE, startSecurityWorld } from "./security/world.ts";

const GATEWAY = "127.0.41.9";
const HOST = "shop.test";

/** The label by which workloads of such a Gateway are known. */
const GATEWAY_NAME = "gateway.networking.k8s.io/gateway-name";

/** A call with a certificate, or without; its status, 0 for none. */
async function statusOf(port: number, path: string, own?: Certificate): Promise<number> {
  const files = own && {
    cert: await Deno.readTextFile(own.cert),
    key: await Deno.readTextFile(own.key),
  };
  return await new Promise((resolve) => {
    // Workloads' certificates name no host.
    const options = { ...files, rejectUnauthorized: false, servername: HOST, agent: false };
    const asking = request(
      { host: GATEWAY, port, path, headers: { host: HOST }, ...options },
      (answer) => {
        answer.resume();
        answer.on("end", () => resolve(answer.statusCode ?? 0));
      },
    );
    asking.on("error", () => resolve(0));
    asking.end();
  });
}

Deno.test(
  withCertificates("a gateway for workloads of the mesh, with a policy that names it", async () => {
    await using world = await startSecurityWorld();
    await using stack = new AsyncDisposableStack();
    const env = filesOf(await world.certificate(SERVER_NAMESPACE, "edge"), world.authority);
    await startEdge(stack, world, GATEWAY, { labels: { [GATEWAY_NAME]: "edge" }, env });
    const port = freePort();
    const gateway = documents(
      manifest("Gateway", "edge", {
        selector: { app: "edge" },
        servers: [{
          port: { number: port, name: "https", protocol: "HTTPS" },
          bind: GATEWAY,
          hosts: [HOST],
          tls: { mode: "MESH_MUTUAL" },
        }],
      }, SERVER_NAMESPACE),
      manifest("VirtualService", "edge", {
        hosts: [HOST],
        gateways: ["edge"],
        http: [to(HOST)],
      }, SERVER_NAMESPACE),
    );
    await world.config.write("gateway.yaml", gateway);
    const member = await world.certificate("web", "caller");
    await becomes("a member", 200, () => statusOf(port, "/", member));
    assert.equal(await statusOf(port, "/"), 0, "somebody without a certificate");
    await world.apply(policy("AuthorizationPolicy", "edge", {
      targetRefs: [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "edge" }],
      action: "DENY",
      rules: [{ to: [{ operation: { paths: ["/closed"] } }] }],
    }));
    await becomes(
      "what the gateway's policy forbids",
      403,
      () => statusOf(port, "/closed", member),
    );
    await becomes("the rest", 200, () => statusOf(port, "/", member));
    await eventually("the server itself to take what only the gateway forbids", async () => {
      const answer = await call(`http://${SERVER}:${world.http}/closed`, { host: HOST });
      return answer.status === 200;
    });
  }),
);
