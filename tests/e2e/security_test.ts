/**
 * Mutual TLS and authorization, by requests to real proxies.
 *
 * @module
 */
import { withCertificates } from "../support/certificates.ts";
import type { SecurityCase } from "./security/case.ts";
import { ACCESS_CASES } from "./security/access_cases.ts";
import { authorizerServices, CUSTOM_CASES, providersOf } from "./security/custom_cases.ts";
import { EVASION_CASES, fragmentCase } from "./security/evasion_cases.ts";
import { ALIAS, ISSUER_CASES } from "./security/issuer_cases.ts";
import { MUTUAL_CASES, NEWEST_CASE } from "./security/mutual_cases.ts";
import { PRECEDENCE_CASES } from "./security/precedence_cases.ts";
import { startGrpcAuthorizer, startHttpAuthorizer, startIssuer } from "./security/servers.ts";
import { TOKEN_CASES } from "./security/token_cases.ts";
import { startSecurityWorld } from "./security/world.ts";

const CASES: readonly SecurityCase[] = [
  ...MUTUAL_CASES,
  ...PRECEDENCE_CASES,
  ...ACCESS_CASES,
  ...EVASION_CASES,
  fragmentCase(true),
];

Deno.test(withCertificates("security between proxies", async (t) => {
  await using world = await startSecurityWorld();
  for (const one of CASES) await t.step(one.name, () => one.run(world));
}));

Deno.test(withCertificates("tokens and external authorization", async (t) => {
  await using stack = new AsyncDisposableStack();
  const issuer = stack.use(await startIssuer("https://issuer.test/main"));
  const grpc = stack.use(await startGrpcAuthorizer());
  const http = stack.use(startHttpAuthorizer());
  const world = stack.use(
    await startSecurityWorld({
      meshConfig: { ...providersOf(grpc, http), trustDomainAliases: [ALIAS] },
      services: authorizerServices(grpc, http),
      env: { JWKS_ALLOWED_CIDRS: "127.0.0.1/32" },
    }),
  );
  for (const one of [...TOKEN_CASES, ...ISSUER_CASES]) {
    await t.step(one.name, () => one.run(world, issuer));
  }
  for (const one of CUSTOM_CASES) await t.step(one.name, () => one.run(world, grpc, http));
}));

Deno.test(withCertificates("TLS 1.3 alone, and fragments", async (t) => {
  await using world = await startSecurityWorld({
    meshConfig: { meshMTLS: { minProtocolVersion: "TLSV1_3", ecdhCurves: ["P-256"] } },
    agentEnv: { HTTP_STRIP_FRAGMENT_FROM_PATH_UNSAFE_IF_DISABLED: "false" },
  });
  for (const one of [NEWEST_CASE, fragmentCase(false)]) {
    await t.step(one.name, () => one.run(world));
  }
}));
