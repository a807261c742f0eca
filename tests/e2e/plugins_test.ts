/**
 * Positions of WasmPlugins among security filters, failing plugins, and gateway routes by token
 * claims.
 *
 * @module
 */
import assert from "node:assert/strict";
import { call, freePort } from "../../scripts/harness/mod.ts";
import { toYaml } from "../../lib/kit/text/mod.ts";
import { withCertificates } from "../support/certificates.ts";
import { syncOf } from "../support/views.ts";
import { documents, manifest, type Spec, to } from "../support/manifest.ts";
import { brokenModule, headerModule } from "../support/wasm_module.ts";
import { becomes } from "./security/case.ts";
import { startEdge } from "./security/edge.ts";
import { startIssuer } from "./security/servers.ts";
import { policy, SERVER, SERVER_NAMESPACE, startSecurityWorld } from "./security/world.ts";

const GATEWAY = "127.0.41.8";
const HOST = "shop.test";
const ISSUER = "https://issuer.test/main";

/** A plugin for the server's callers, or the gateway's. */
function plugin(app: string, spec: Spec): string {
  return toYaml({
    apiVersion: "extensions.mesh.io/v1alpha1",
    kind: "WasmPlugin",
    metadata: { name: "plugin", namespace: SERVER_NAMESPACE },
    spec: { selector: { matchLabels: { app } }, ...spec },
  });
}

function gatewayOf(port: number): string {
  return documents(
    manifest("Gateway", "edge", {
      selector: { app: "edge" },
      servers: [{
        port: { number: port, name: "http", protocol: "HTTP" },
        bind: GATEWAY,
        hosts: [HOST],
      }],
    }, SERVER_NAMESPACE),
    manifest("VirtualService", "edge", {
      hosts: [HOST],
      gateways: ["edge"],
      http: [
        {
          match: [{ headers: { "@request.auth.claims[groups]": { exact: "dev" } } }],
          directResponse: { status: 218 },
        },
        {
          match: [{ headers: { "@request.auth.claims.org.team": { prefix: "re" } } }],
          directResponse: { status: 219 },
        },
        to(HOST),
      ],
    }, SERVER_NAMESPACE),
  );
}

Deno.test(withCertificates("plugins among guards, and routes by claims", async (t) => {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await startSecurityWorld());
  const issuer = stack.use(await startIssuer(ISSUER));
  const dir = await Deno.makeTempDir({ prefix: "mesh-plugins-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const port = freePort();
  await world.config.write("gateway.yaml", gatewayOf(port));
  await startEdge(stack, world, GATEWAY);
  const module = async (name: string, bytes: Uint8Array): Promise<string> => {
    await Deno.writeFile(`${dir}/${name}.wasm`, bytes);
    return `file://${dir}/${name}.wasm`;
  };
  const requests = [
    { app: "shop", what: "at the workload", url: `http://${SERVER}:${world.http}/` },
    { app: "edge", what: "at the gateway", url: `http://${GATEWAY}:${port}/` },
  ];
  const pass = await module("pass", headerModule("x-pass", "yes", "request"));
  const token = await module("token", headerModule("authorization", "Bearer no", "request"));
  const broken = await module("broken", brokenModule());

  for (const { app, what, url } of requests) {
    const status = (headers: Record<string, string> = {}) => async (): Promise<number> => {
      try {
        return (await call(url, { host: HOST, headers })).status;
      } catch {
        return 0;
      }
    };
    const selector = { matchLabels: { app } };
    await t.step(`${what}, before and after rules of access`, async () => {
      const rule = policy("AuthorizationPolicy", "pass", {
        selector,
        rules: [{ when: [{ key: "request.headers[x-pass]", values: ["yes"] }] }],
      });
      await world.apply(rule);
      await becomes("without the plugin", 403, status());
      const phases: readonly (readonly [string, number])[] = [
        ["AUTHN", 200],
        ["AUTHZ", 200],
        ["STATS", 403],
      ];
      for (const [phase, wanted] of phases) {
        await world.apply(rule, plugin(app, { url: pass, phase }));
        await becomes(`in phase ${phase}`, wanted, status());
      }
      const rows = (await syncOf(world.daemon)).filter((row) => row.extensionconfig_sent);
      assert.ok(rows.length > 0, "no proxy was sent the extension");
      for (const { extensionconfig_status, extensionconfig_sent, extensionconfig_acked } of rows) {
        assert.equal(extensionconfig_status, "SYNCED");
        assert.equal(extensionconfig_acked, extensionconfig_sent);
      }
    });
    await t.step(`${what}, before and after tokens are looked at`, async () => {
      const jwtRules = [{ issuer: issuer.name, jwks: issuer.jwks }];
      const tokens = policy("RequestAuthentication", "tokens", { selector, jwtRules });
      await world.apply(tokens, plugin(app, { url: token, phase: "AUTHN" }));
      await becomes("a bad token that is put in before", 401, status());
      await world.apply(tokens, plugin(app, { url: token, phase: "AUTHZ" }));
      await becomes("one that is put in afterwards", 200, status());
    });
    await t.step(`${what}, broken`, async () => {
      await world.apply(plugin(app, { url: broken, failStrategy: "FAIL_CLOSE" }));
      await becomes("requests where a broken plugin closes", 503, status());
      await world.apply(plugin(app, { url: broken, failStrategy: "FAIL_OPEN" }));
      // Each of Envoy's threads takes the plugin for itself, and has it break for itself.
      await becomes("requests where a broken plugin opens", 200, async () => {
        for (let i = 0; i < 8; i++) {
          const answered = await status()();
          if (answered !== 200) return answered;
        }
        return 200;
      });
    });
  }

  await t.step("routes at the gateway by claims", async () => {
    const jwtRules = [{ issuer: issuer.name, jwks: issuer.jwks }];
    const selector = { matchLabels: { app: "edge" } };
    await world.apply(policy("RequestAuthentication", "tokens", { selector, jwtRules }));
    const ask = async (claims?: Spec): Promise<number> => {
      const headers: Record<string, string> = claims === undefined
        ? {}
        : { authorization: `Bearer ${await issuer.token(claims)}` };
      return (await call(`http://${GATEWAY}:${port}/`, { host: HOST, headers })).status;
    };
    await becomes("a claim in a list", 218, () => ask({ sub: "ann", groups: ["ops", "dev"] }));
    await becomes("a claim as a text", 218, () => ask({ sub: "ann", groups: "dev" }));
    await becomes("a claim inside of another", 219, () => ask({ org: { team: "red" } }));
    await becomes("another claim", 200, () => ask({ groups: ["ops"], org: { team: "blue" } }));
    await becomes("no token", 200, () => ask());
    const headers = { "@request.auth.claims[groups]": "dev" };
    const said = await call(`http://${GATEWAY}:${port}/`, { host: HOST, headers })
      .then((answer) => answer.status, () => 400);
    assert.notEqual(said, 218, "a header of that name is no claim");
  });
}));
