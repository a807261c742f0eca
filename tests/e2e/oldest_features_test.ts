/**
 * The oldest Envoy that is served has every feature of traffic: all cases of routing, and one of
 * each group of the other suites.
 *
 * @module
 */
import { OLDEST_ENVOY_VERSION as VERSION, oldestEnvoyPath } from "../../scripts/tools.ts";
import { withCertificates } from "../support/certificates.ts";
import { assertNothingRejected } from "../support/world.ts";
import { BALANCING_CASES } from "./clusters/balancing_cases.ts";
import { runCase as runClusterCase } from "./clusters/case.ts";
import { ENDPOINT_CASES } from "./clusters/endpoint_cases.ts";
import { LIMIT_CASES } from "./clusters/limit_cases.ts";
import { LOCALITY_CASES } from "./clusters/locality_cases.ts";
import { MESH_CASES } from "./clusters/mesh_cases.ts";
import { RULE_CASES } from "./clusters/rule_cases.ts";
import { SCOPE_CASES } from "./clusters/scope_cases.ts";
import { startClusterSuite } from "./clusters/suite.ts";
import { TCP_CASES } from "./clusters/tcp_cases.ts";
import { AUTHORIZER_CASES } from "./gateway_api/authorizer_cases.ts";
import { MESH_CASES as API_MESH_CASES } from "./gateway_api/mesh_cases.ts";
import { REQUEST_CASES } from "./gateway_api/request_cases.ts";
import { SESSION_CASES } from "./gateway_api/session_cases.ts";
import { startRoutesSuite } from "./gateway_api/suite.ts";
import { runCase as runRoutingCase } from "./routing/case.ts";
import { ROUTING_CASES, startRoutingSuite } from "./routing/suite.ts";
import { ACCESS_CASES } from "./security/access_cases.ts";
import { authorizerServices, CUSTOM_CASES, providersOf } from "./security/custom_cases.ts";
import { MUTUAL_CASES } from "./security/mutual_cases.ts";
import { PRECEDENCE_CASES } from "./security/precedence_cases.ts";
import { startGrpcAuthorizer, startHttpAuthorizer, startIssuer } from "./security/servers.ts";
import { TOKEN_CASES } from "./security/token_cases.ts";
import { startSecurityWorld } from "./security/world.ts";
import { CREDENTIAL_CASES } from "./tls/credential_cases.ts";
import { GATEWAY_CASES } from "./tls/gateway_cases.ts";
import { HTTP3_CASES } from "./tls/http3_cases.ts";
import { INGRESS_CASES } from "./tls/ingress_cases.ts";
import { ORIGINATION_CASES } from "./tls/origination_cases.ts";
import { OUTBOUND_CASES } from "./tls/outbound_cases.ts";
import { startTlsSuite } from "./tls/suite.ts";

/** The first case of each group. */
function firstOf<T>(...groups: readonly (readonly T[])[]): T[] {
  return groups.flatMap((group) => group.slice(0, 1));
}

Deno.test(`Envoy ${VERSION} obeys routing rules`, async (t) => {
  await using suite = await startRoutingSuite(await oldestEnvoyPath());
  const testProxy = suite.world.testProxies.find(({ transport }) => transport === "delta")!;
  for (const one of ROUTING_CASES) {
    await t.step(one.name, () => runRoutingCase(one, suite.targetOf(one, testProxy)));
  }
  await t.step("no update was refused", () => assertNothingRejected(suite.world));
});

Deno.test(`Envoy ${VERSION} reaches endpoints`, async (t) => {
  await using suite = await startClusterSuite(await oldestEnvoyPath());
  const { world, parts } = suite;
  const cases = firstOf(
    ENDPOINT_CASES,
    BALANCING_CASES,
    LOCALITY_CASES,
    LIMIT_CASES,
    RULE_CASES,
    TCP_CASES,
    MESH_CASES,
    SCOPE_CASES,
  );
  for (const one of cases) await t.step(one.name, () => runClusterCase(one, world, parts));
  await t.step("no update was refused", () => assertNothingRejected(world));
});

Deno.test(withCertificates(`Envoy ${VERSION} obeys the Gateway API`, async (t) => {
  await using suite = await startRoutesSuite(await oldestEnvoyPath());
  const { world, bench } = suite;
  const cases = [...firstOf(REQUEST_CASES, API_MESH_CASES), ...SESSION_CASES, ...AUTHORIZER_CASES];
  for (const { name, run } of cases) await t.step(name, () => run(bench));
  await t.step("no update was refused", () => assertNothingRejected(world));
}));

Deno.test(withCertificates(`Envoy ${VERSION} speaks TLS`, async (t) => {
  await using suite = await startTlsSuite(await oldestEnvoyPath());
  const cases = firstOf(
    GATEWAY_CASES,
    CREDENTIAL_CASES,
    HTTP3_CASES,
    INGRESS_CASES,
    ORIGINATION_CASES,
    OUTBOUND_CASES,
  );
  for (const one of cases) await t.step(one.name, () => one.run(suite.bench()));
  await t.step("no update was refused", () => assertNothingRejected(suite.world));
}));

Deno.test(withCertificates(`Envoy ${VERSION} enforces security policies`, async (t) => {
  await using stack = new AsyncDisposableStack();
  const issuer = stack.use(await startIssuer("https://issuer.test/main"));
  const grpc = stack.use(await startGrpcAuthorizer());
  const http = stack.use(startHttpAuthorizer());
  const world = stack.use(
    await startSecurityWorld({
      envoy: await oldestEnvoyPath(),
      meshConfig: providersOf(grpc, http),
      services: authorizerServices(grpc, http),
      env: { JWKS_ALLOWED_CIDRS: "127.0.0.1/32" },
    }),
  );
  for (const one of firstOf(MUTUAL_CASES, PRECEDENCE_CASES, ACCESS_CASES)) {
    await t.step(one.name, () => one.run(world));
  }
  for (const one of firstOf(TOKEN_CASES)) await t.step(one.name, () => one.run(world, issuer));
  for (const one of firstOf(CUSTOM_CASES)) {
    await t.step(one.name, () => one.run(world, grpc, http));
  }
}));
