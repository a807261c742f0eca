/**
 * Cases of filters that ask a server about requests (`ExternalAuth`), at gateways and between sidecars.
 *
 * @module
 */
import assert from "node:assert/strict";
import { call, eventually } from "../../../scripts/harness/mod.ts";
import { documents, type Spec } from "../../support/manifest.ts";
import type { Kind } from "../../support/world.ts";
import {
  PLEA,
  type Question,
  startGrpcAuthorizer,
  startHttpAuthorizer,
} from "../security/servers.ts";
import { api, type Bench, type GatewayCase, hostOf, route, service, to, urlOf } from "./bench.ts";

const filter = (externalAuth: Spec): Spec[] => [{ type: "ExternalAuth", externalAuth }];

/** The rules of a route; those with a server are named by their path. */
function rules(backend: Spec): Spec[] {
  const asks = (path: string, externalAuth: Spec): Spec => ({
    matches: [{ path: { value: path } }],
    filters: filter(externalAuth),
    backendRefs: [backend],
  });
  return [
    asks("/grpc", {
      protocol: "GRPC",
      backendRef: to("asked-grpc"),
      grpc: { allowedHeaders: [PLEA] },
      forwardBody: { maxSize: 8 },
    }),
    asks("/http", {
      protocol: "HTTP",
      backendRef: to("asked-http"),
      http: { path: "/check", allowedHeaders: [PLEA], allowedResponseHeaders: ["x-user"] },
    }),
    asks("/all", {
      protocol: "HTTP",
      backendRef: to("asked-http"),
      http: { allowedHeaders: [PLEA] },
    }),
    asks("/nobody", { protocol: "GRPC", backendRef: to("absent"), grpc: {} }),
    { backendRefs: [backend] },
  ];
}

interface Servers {
  readonly grpc: { readonly questions: readonly Question[] };
  readonly http: { readonly questions: readonly Question[] };
}

const please = { [PLEA]: "please", "x-other": "1" };

/** Requests are answered as the servers decide; those of a rule without one are not asked about. */
async function asks(bench: Bench, kind: Kind, host: string, { grpc, http }: Servers) {
  await bench.each(kind, async (proxy) => {
    const url = urlOf(bench, proxy);
    const ask = (path: string, headers: Record<string, string> = {}, body?: string) =>
      call(`${url}${path}`, {
        host,
        headers,
        ...(body === undefined ? {} : { body, method: "POST" }),
      });
    for (const path of ["/grpc", "/http", "/all"]) {
      // Until the route is there in all threads, a more general one of another case may answer.
      await eventually(`refusals at ${path}`, async () => {
        const answers = await Promise.all(Array.from({ length: 20 }, () => ask(path)));
        return answers.every(({ status }) => status === 403);
      });
      assert.equal((await ask(path, please)).status, 200, path);
    }
    const last = (one: Servers["grpc"]) => one.questions.at(-1)!;

    assert.equal((await ask("/grpc/b", please, "text")).echo?.backend, "a");
    assert.equal(last(grpc).path, "/grpc/b");
    assert.equal(last(grpc).body, "text");
    assert.equal(last(grpc).headers[PLEA], "please");
    assert.equal(last(grpc).headers["x-other"], undefined);
    assert.equal((await ask("/grpc", please, "more than eight")).status, 413);

    const answer = await ask("/http/b", { ...please, authorization: "Basic YTpi" }, "text");
    assert.equal(last(http).path, "/check/http/b");
    assert.equal(last(http).body, "");
    assert.equal(last(http).headers.authorization, "Basic YTpi");
    assert.equal(last(http).headers["x-other"], undefined);
    assert.equal(answer.echo?.headers["x-user"], "somebody");
    assert.equal(answer.echo?.headers["x-group"], undefined);

    const all = await ask("/all", please);
    assert.equal(all.echo?.headers["x-user"], "somebody");
    assert.equal(all.echo?.headers["x-group"], "some");

    const before = grpc.questions.length + http.questions.length;
    assert.equal((await ask("/")).echo?.backend, "a");
    assert.equal(grpc.questions.length + http.questions.length, before);
    assert.ok([403, 500].includes((await ask("/nobody", please)).status));
  });
}

/** In an order that matters: each leaves its routes behind unless it removes them. */
export const AUTHORIZER_CASES: readonly GatewayCase[] = [
  {
    name: "servers are asked about requests, at gateways and between sidecars",
    run: async (bench) => {
      await using grpc = await startGrpcAuthorizer();
      await using http = startHttpAuthorizer();
      await bench.world.config.write(
        "asked.yaml",
        documents(
          service("asked-grpc", grpc.port, { protocol: "GRPC" }),
          service("asked-http", http.port),
          route("HTTPRoute", "asked", { hostnames: ["asked.test"], rules: rules(to("a")) }),
          api("HTTPRoute", "inside-asked", {
            parentRefs: [{ group: "", kind: "Service", name: "inside-a" }],
            rules: rules(to("inside-a", { port: bench.meshPort })),
          }),
        ),
      );
      await asks(bench, "router", "asked.test", { grpc, http });
      await asks(bench, "sidecar", hostOf("inside-a"), { grpc, http });
      await bench.world.config.remove("asked.yaml");
    },
  },
];
