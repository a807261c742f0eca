/**
 * A real Envoy accepts every resource of every golden suite, also those without a file.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { JsonObject } from "../../lib/kit/proto/mod.ts";
import { makeAuthority, withCertificates } from "../support/certificates.ts";
import { validateBootstrap, type Validator } from "../support/envoy_validate.ts";
import { type StandIns, standInSecrets, staticResources } from "../support/static_envoy.ts";
import { isProgram, readSuites, type Suite, translateSuite } from "../support/suites.ts";
import { missingFeatures } from "../../lib/mesh/model/mod.ts";
import { OLDEST_ENVOY_VERSION, oldestEnvoyPath } from "../../scripts/tools.ts";

/**
 * Returns the served resources, and stand-ins for the secrets of mutual TLS that are not served.
 */
function withStandIns(secrets: readonly JsonObject[], files: StandIns): JsonObject[] {
  const served = new Set(secrets.map(({ name }) => name));
  return [...secrets, ...standInSecrets(files).filter(({ name }) => !served.has(name))];
}

/** Envoys that are asked at once. */
const WIDTH = 3;

/** Validates the resources of all proxies of all suites; returns the refusals. */
async function refusedOf(suites: readonly Suite[], validator?: Validator): Promise<string[]> {
  const dir = await Deno.makeTempDir({ prefix: "mesh-suites-" });
  try {
    const authority = await makeAuthority(dir);
    const own = await authority.issue("own", ["own.test"]);
    const files = { ...own, ca: authority.cert, crl: await authority.revocationList() };
    const asked = suites.flatMap((suite) =>
      [...translateSuite(suite)].filter(([proxy]) => !isProgram(suite.proxies[proxy]!)).map((
        [proxy, served],
      ) => ({
        name: `${suite.name}, ${proxy}`,
        resources: staticResources(served, files),
      }))
    );
    const refused: string[] = [];
    const ask = async (): Promise<void> => {
      for (let next = asked.pop(); next !== undefined; next = asked.pop()) {
        const { name, resources: { listeners, clusters, secrets } } = next;
        const verdict = await validateBootstrap({
          node: { id: "suite", cluster: "suite" },
          staticResources: {
            listeners: [...listeners],
            clusters: [...clusters],
            secrets: withStandIns(secrets, files),
          },
        }, validator);
        if (!verdict.accepted) refused.push(`${name}: ${verdict.log}`);
      }
    };
    await Promise.all(Array.from({ length: WIDTH }, ask));
    return refused;
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test(withCertificates("Envoy takes every resource of every golden suite", async () => {
  const suites = readSuites();
  assert.ok(suites.length > 40, `${suites.length} suites`);
  assert.deepEqual(await refusedOf(suites), []);
}));

/** The suite with proxies of the oldest Envoy. */
function withOldest(suite: Suite): Suite {
  const missing = missingFeatures({
    extensions: new Set(),
    version: OLDEST_ENVOY_VERSION,
    userAgent: "envoy",
  });
  const proxies = Object.entries(suite.proxies).map(([name, node]) => [name, { ...node, missing }]);
  return { ...suite, proxies: Object.fromEntries(proxies) };
}

Deno.test(withCertificates("the oldest Envoy takes what it is served of every suite", async () => {
  // Envoy ignores unknown fields of what it is served, but not of its own file.
  const oldest = { path: await oldestEnvoyPath(), args: ["--allow-unknown-static-fields"] };
  assert.deepEqual(await refusedOf(readSuites().map(withOldest), oldest), []);
  const metrics = readSuites().filter(({ name }) => name === "telemetry_metrics");
  const refused = await refusedOf(metrics, oldest);
  assert.match(refused.join(), /access_loggers\.stats/, "it would refuse what others are served");
}));
