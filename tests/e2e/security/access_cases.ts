/**
 * Cases of AuthorizationPolicies by client and request.
 *
 * @module
 */
import assert from "node:assert/strict";
import { askTcp, eventually } from "../../../scripts/harness/mod.ts";
import { becomes, inPlain, type SecurityCase, throughMesh } from "./case.ts";
import { authorization, CLIENT, policy, type SecurityWorld, SERVER } from "./world.ts";
import type { Spec } from "../../support/manifest.ts";

/** Expected result of one call in a table. */
interface Expectation {
  readonly status: number;
  readonly path?: string;
  readonly method?: string;
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Straight to the server's proxy, without identity. */
  readonly plain?: true;
}

interface Row {
  readonly name: string;
  readonly spec: Spec | ((world: SecurityWorld) => Spec);
  readonly calls: readonly Expectation[];
}

const to = (operation: Spec): Spec => ({ to: [{ operation }] });
const from = (source: Spec): Spec => ({ from: [{ source }] });

const ROWS: readonly Row[] = [
  {
    name: "a policy without rules lets nobody in",
    spec: {},
    calls: [{ status: 403 }, { status: 403, plain: true }],
  },
  {
    name: "by method and path",
    spec: { rules: [to({ methods: ["GET"], paths: ["/open", "/files/*", "*.css"] })] },
    calls: [
      { status: 200, path: "/open" },
      { status: 200, path: "/open?x=/secret" },
      { status: 200, path: "/files/a/b" },
      { status: 200, path: "/style/a.css" },
      { status: 403, path: "/open", method: "POST" },
      { status: 403, path: "/" },
      { status: 403, path: "/opener" },
    ],
  },
  {
    name: "by template of a path",
    spec: { rules: [to({ paths: ["/users/{*}/posts", "/any/{**}"] })] },
    calls: [
      { status: 200, path: "/users/a/posts" },
      { status: 403, path: "/users/a/b/posts" },
      { status: 200, path: "/any/a/b/c" },
    ],
  },
  {
    name: "by host and header",
    spec: {
      rules: [
        to({ hosts: ["shop.test"] }),
        { when: [{ key: "request.headers[x-user]", values: ["admin*"] }] },
      ],
    },
    calls: [
      { status: 200, plain: true },
      { status: 200, plain: true, host: "SHOP.test" },
      { status: 403, plain: true, host: "other.test" },
      { status: 200, plain: true, host: "other.test", headers: { "x-user": "admin-7" } },
      { status: 403, plain: true, host: "other.test", headers: { "x-user": "guest" } },
    ],
  },
  {
    name: "by principal",
    spec: { rules: [from({ principals: ["cluster.local/ns/web/sa/web"] })] },
    calls: [{ status: 200 }, { status: 403, plain: true }],
  },
  {
    name: "by namespace",
    spec: { rules: [from({ namespaces: ["web"] })] },
    calls: [{ status: 200 }, { status: 403, plain: true }],
  },
  {
    name: "by another namespace",
    spec: { rules: [from({ namespaces: ["w.b", "web2"] })] },
    calls: [{ status: 403 }],
  },
  {
    name: "by service account",
    spec: { rules: [from({ serviceAccounts: ["web/web"] })] },
    calls: [{ status: 200 }, { status: 403, plain: true }],
  },
  {
    name: "by another service account that reads as a pattern of the caller's",
    spec: { rules: [from({ serviceAccounts: ["web/w.b"] })] },
    calls: [{ status: 403 }],
  },
  {
    name: "by trust domain",
    spec: { rules: [from({ trustDomains: ["cluster.*"] })] },
    calls: [{ status: 200 }, { status: 403, plain: true }],
  },
  {
    name: "by address",
    spec: { action: "DENY", rules: [from({ ipBlocks: ["127.0.0.1/32"] })] },
    calls: [{ status: 403, plain: true }],
  },
  {
    name: "by port",
    spec: (world) => ({ action: "DENY", rules: [to({ ports: [`${world.http}`] })] }),
    calls: [{ status: 403 }, { status: 403, plain: true }],
  },
  {
    name: "by another port",
    spec: { action: "DENY", rules: [to({ ports: ["1"] })] },
    calls: [{ status: 200 }],
  },
  {
    name: "by what is not",
    spec: {
      action: "DENY",
      rules: [{ ...from({ notNamespaces: ["web"] }), ...to({ notPaths: ["/health"] }) }],
    },
    calls: [
      { status: 200 },
      { status: 403, plain: true },
      { status: 200, plain: true, path: "/health" },
    ],
  },
  {
    name: "an audit refuses nothing",
    spec: { action: "AUDIT", rules: [{}] },
    calls: [{ status: 200 }],
  },
];

async function check(world: SecurityWorld, { name, calls }: Row): Promise<void> {
  for (const { status, path = "/", plain, ...options } of calls) {
    const what = `${name}: ${plain ? "plain" : "mesh"} ${path} ${JSON.stringify(options)}`;
    await becomes(
      what,
      status,
      () => plain ? inPlain(world, path, options) : throughMesh(world, path, options),
    );
  }
}

const TABLE: readonly SecurityCase[] = ROWS.map((row) => ({
  name: row.name,
  run: async (world) => {
    const spec = typeof row.spec === "function" ? row.spec(world) : row.spec;
    await world.apply(authorization("rule", spec));
    await check(world, row);
  },
}));

async function tcpAnswer(host: string, port: number): Promise<string> {
  try {
    return await askTcp(host, port, 3_000);
  } catch {
    return "";
  }
}

export const ACCESS_CASES: readonly SecurityCase[] = [
  ...TABLE,
  {
    name: "a DENY policy wins over ALLOW policies",
    run: async (world) => {
      await world.apply(
        authorization("allow", { rules: [{}] }),
        authorization("deny", { action: "DENY", rules: [to({ paths: ["/admin"] })] }),
      );
      await becomes("the forbidden path", 403, () => throughMesh(world, "/admin"));
      await becomes("another path", 200, () => throughMesh(world, "/"));
    },
  },
  {
    name: "policies of the root namespace hold everywhere, those of another nowhere else",
    run: async (world) => {
      const deny = { action: "DENY", rules: [to({ paths: ["/root"] })] };
      const other = { action: "DENY", rules: [{}] };
      await world.apply(
        policy("AuthorizationPolicy", "root", deny, { namespace: "mesh-system" }),
        policy("AuthorizationPolicy", "other", other, { namespace: "elsewhere" }),
      );
      await becomes("the path that the mesh forbids", 403, () => throughMesh(world, "/root"));
      await becomes("another path", 200, () => throughMesh(world, "/"));
    },
  },
  {
    name: "a policy for other workloads does not hold",
    run: async (world) => {
      const selector = { matchLabels: { app: "till" } };
      await world.apply(authorization("other", { selector, action: "DENY", rules: [{}] }));
      await becomes("a call", 200, () => throughMesh(world, "/"));
    },
  },
  {
    name: "a policy that is tried refuses nothing and is counted",
    run: async (world) => {
      const spec = { action: "DENY", rules: [to({ paths: ["/tried"] })] };
      await world.apply(
        policy("AuthorizationPolicy", "tried", spec, {
          annotations: { "mesh.io/dry-run": "True" },
        }),
        policy("AuthorizationPolicy", "also", spec, { annotations: { "mesh.io/dry-run": "1" } }),
      );
      const count = async (): Promise<number> => {
        const found = await world.server.stats("http.*mesh_dry_run_deny_.shadow_denied$");
        return Object.values(found).reduce((a, b) => a + b, 0);
      };
      await eventually("the trial to be counted", async () => {
        assert.equal(await throughMesh(world, "/tried"), 200);
        return await count() > 0;
      });
    },
  },
  {
    name: "plain connections: by caller; a rule that allows requests lets none in",
    run: async (world) => {
      const ask = (host: string) => tcpAnswer(host, world.tcp);
      await world.apply(authorization("caller", { rules: [from({ namespaces: ["web"] })] }));
      assert.equal(await ask(CLIENT), "till");
      assert.equal(await ask(SERVER), "");
      await world.apply(authorization("request", { rules: [to({ methods: ["GET"] })] }));
      assert.equal(await ask(CLIENT), "");
      const spec = { action: "DENY", rules: [to({ methods: ["GET"], ports: [`${world.tcp}`] })] };
      await world.apply(authorization("widened", spec));
      assert.equal(await ask(CLIENT), "");
      await world.apply();
      assert.equal(await ask(CLIENT), "till");
    },
  },
];
