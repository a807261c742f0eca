/**
 * Evasions of forbidding rules at a gateway: its policies must refuse what those of sidecars
 * refuse.
 *
 * @module
 */
import assert from "node:assert/strict";
import { freePort } from "../../scripts/harness/mod.ts";
import { withCertificates } from "../support/certificates.ts";
import { documents, manifest, type Spec, to } from "../support/manifest.ts";
import { becomes } from "./security/case.ts";
import { startEdge } from "./security/edge.ts";
import { HOSTS, rawTo, TARGETS } from "./security/evasion_cases.ts";
import { policy, SERVER_NAMESPACE, startSecurityWorld } from "./security/world.ts";

const GATEWAY = "127.0.41.10";
const HOST = "shop.test";

/** A gateway for all hosts, of which every one leads to the shop. */
function gatewayAt(port: number): string {
  return documents(
    manifest("Gateway", "edge", {
      selector: { app: "edge" },
      servers: [{
        port: { number: port, name: "http", protocol: "HTTP" },
        bind: GATEWAY,
        hosts: ["*"],
      }],
    }, SERVER_NAMESPACE),
    manifest("VirtualService", "edge", {
      hosts: ["*"],
      gateways: ["edge"],
      http: [to(HOST)],
    }, SERVER_NAMESPACE),
  );
}

/** Operations that forbid `/admin/keys`, each written otherwise. */
const PATHS: readonly (readonly string[])[] = [["/admin/keys"], ["/admin/*"], ["*/keys"], [
  "/{*}/keys",
]];

Deno.test(withCertificates("requests that a gateway forbids cannot evade it", async (t) => {
  await using world = await startSecurityWorld();
  await using stack = new AsyncDisposableStack();
  const gateway = await startEdge(stack, world, GATEWAY, {
    noWait: true,
    proxyConfig: { proxyStatsMatcher: { inclusionRegexps: [".*update_rejected"] } },
  });
  const at = { address: GATEWAY, port: freePort() };
  await world.config.write("gateway.yaml", gatewayAt(at.port));
  await becomes("the gateway without policies", 200, () => rawTo(at, "/open", HOST));

  let round = 0;
  /** Applies rules to the gateway alone, and waits until it has them: a path of each round's own is forbidden, too. */
  const forbid = async (operations: readonly Spec[]): Promise<void> => {
    const mark = `/round-${++round}`;
    const rules = [...operations, { paths: [mark] }].map((operation) => ({ to: [{ operation }] }));
    const selector = { matchLabels: { app: "edge" } };
    await world.apply(policy("AuthorizationPolicy", "edge", { selector, action: "DENY", rules }));
    await becomes("what this round forbids", 403, () => rawTo(at, mark, HOST));
    await becomes("what nothing forbids", 200, () => rawTo(at, "/open", HOST));
  };

  for (const paths of PATHS) {
    await t.step(`paths: ${paths}`, async () => {
      await forbid([{ paths }]);
      assert.equal(await rawTo(at, "/admin/keys", HOST), 403);
      for (const [how, target] of Object.entries(TARGETS)) {
        const status = await rawTo(at, target, HOST);
        assert.ok(status === 403 || status === 400, `${how}: ${target} gave ${status}`);
      }
    });
  }
  await t.step("paths that a rule leaves out", async () => {
    // Everything is forbidden but what is open: whatever reads as something else is.
    const notPaths = ["/open", "/admin/*"];
    await forbid([{ notPaths }]);
    for (const target of ["/open/../secret", "/open/%2e%2e/secret", "/./secret", "//secret"]) {
      const status = await rawTo(at, target, HOST);
      assert.ok(status === 403 || status === 400, `${target} gave ${status}`);
    }
  });
  for (const host of ["forbidden.test", "*.test", "forbidden.*"]) {
    await t.step(`hosts: ${host}`, async () => {
      await forbid([{ hosts: [host], notHosts: [HOST] }]);
      assert.equal(await rawTo(at, "/", "forbidden.test"), 403);
      for (const [how, name] of Object.entries(HOSTS)) {
        assert.equal(await rawTo(at, "/", name), 403, `${how}: ${name}`);
      }
    });
  }
  for (const [name, count] of Object.entries(await gateway.stats("update_rejected$"))) {
    assert.equal(count, 0, `${name}: ${gateway.program.output().slice(-2000)}`);
  }
}));
