/**
 * Cases of external authorization.
 *
 * @module
 */
import assert from "node:assert/strict";
import { askTcp, eventually } from "../../../scripts/harness/mod.ts";
import { manifest, type Spec } from "../../support/manifest.ts";
import { becomes, throughMesh } from "./case.ts";
import { type Authorizer, PLEA } from "./servers.ts";
import { authorization, CLIENT, type SecurityWorld, SERVER_NAMESPACE } from "./world.ts";

/** A case that asks. */
export interface CustomCase {
  readonly name: string;
  readonly run: (world: SecurityWorld, grpc: Authorizer, http: Authorizer) => Promise<void>;
}

/** Providers of the mesh: the two authorisers, one that nothing stands behind, and a wrong one. */
export function providersOf(grpc: Authorizer, http: Authorizer): Spec {
  const service = (name: string): string => `${SERVER_NAMESPACE}/${name}.test`;
  return {
    extensionProviders: [
      { name: "grpc", dataproxyExtAuthzGrpc: { service: service("ask-grpc"), port: grpc.port } },
      {
        name: "http",
        dataproxyExtAuthzHttp: {
          service: service("ask-http"),
          port: http.port,
          pathPrefix: "/check",
          includeRequestHeadersInCheck: [PLEA],
        },
      },
      { name: "gone", dataproxyExtAuthzGrpc: { service: service("gone"), port: 1 } },
      {
        name: "odd",
        dataproxyExtAuthzGrpc: {
          service: service("ask-grpc"),
          port: grpc.port,
          statusOnError: "299",
        },
      },
    ],
  };
}

/** Services of the authorisers. */
export function authorizerServices(grpc: Authorizer, http: Authorizer): string[] {
  const service = (name: string, number: number, protocol: string): string =>
    manifest("ServiceEntry", name, {
      hosts: [`${name}.test`],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [{ number, protocol, name: "main" }],
      endpoints: [{ address: "127.0.0.1", ports: { main: number } }],
    }, SERVER_NAMESPACE);
  return [service("ask-grpc", grpc.port, "GRPC"), service("ask-http", http.port, "HTTP")];
}

const asking = (name: string, operation: Spec): string =>
  authorization(`ask-${name}`, {
    action: "CUSTOM",
    provider: { name },
    rules: [{ to: [{ operation }] }],
  });

const please = { headers: { [PLEA]: "please" } };

export const CUSTOM_CASES: readonly CustomCase[] = [
  ...(["grpc", "http"] as const).map((name): CustomCase => ({
    name: `asked by ${name}, where a rule holds and not elsewhere`,
    run: async (world, grpc, http) => {
      const authorizer = name === "grpc" ? grpc : http;
      await world.apply(asking(name, { paths: ["/asked*"] }));
      await becomes("a call without a plea", 403, () => throughMesh(world, "/asked"));
      await eventually("the authoriser to be asked", async () => {
        assert.equal(await throughMesh(world, "/asked", please), 200);
        return authorizer.asked.some((path) => path.endsWith("/asked"));
      });
      const before = authorizer.asked.length;
      await becomes("a call that no rule is about", 200, () => throughMesh(world, "/"));
      assert.equal(authorizer.asked.length, before);
    },
  })),
  {
    name: "a DENY policy applies for any answer of the authorizer",
    run: async (world) => {
      const deny = { action: "DENY", rules: [{ to: [{ operation: { paths: ["/asked"] } }] }] };
      await world.apply(asking("grpc", { paths: ["/asked"] }), authorization("deny", deny));
      await becomes("a call with a plea", 403, () => throughMesh(world, "/asked", please));
    },
  },
  {
    name: "without one known provider, only what the rules select is denied",
    run: async (world) => {
      const wrong: readonly (readonly [string, string[]])[] = [
        ["a provider whose service is unknown", [asking("gone", { paths: ["/asked"] })]],
        ["a status that the proxy rejects", [asking("odd", { paths: ["/asked"] })]],
        ["an unknown provider", [asking("unheard-of", { paths: ["/asked"] })]],
        ["two providers", [
          asking("grpc", { paths: ["/asked"] }),
          asking("http", { paths: ["/other"] }),
        ]],
      ];
      for (const [what, policies] of wrong) {
        await world.apply(...policies);
        await becomes(`a selected call, ${what}`, 403, () => throughMesh(world, "/asked", please));
        await becomes(`another call, ${what}`, 200, () => throughMesh(world, "/"));
        await world.apply();
        await becomes("a call without policies", 200, () => throughMesh(world, "/asked"));
      }
    },
  },
  {
    name: "plain connections are asked about too",
    run: async (world) => {
      await world.apply(asking("grpc", { ports: [`${world.tcp}`] }));
      await assert.rejects(askTcp(CLIENT, world.tcp, 3_000));
      await world.apply();
      assert.equal(await askTcp(CLIENT, world.tcp), "till");
    },
  },
];
