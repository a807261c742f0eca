/**
 * A real Envoy accepts every resource of every golden suite, also those without a file.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { JsonObject } from "../../lib/proto/mod.ts";
import { makeAuthority, withCertificates } from "../support/certificates.ts";
import { validateBootstrap } from "../support/envoy_validate.ts";
import { type StandIns, standInSecrets, staticResources } from "../support/static_envoy.ts";
import { isProgram, readSuites, translateSuite } from "../support/suites.ts";

/**
 * Returns the served resources, and stand-ins for the secrets of mutual TLS that are not served.
 */
function withStandIns(secrets: readonly JsonObject[], files: StandIns): JsonObject[] {
  const served = new Set(secrets.map(({ name }) => name));
  return [...secrets, ...standInSecrets(files).filter(({ name }) => !served.has(name))];
}

/** Envoys that are asked at once. */
const WIDTH = 3;

Deno.test(withCertificates("Envoy takes every resource of every golden suite", async () => {
  const dir = await Deno.makeTempDir({ prefix: "mesh-suites-" });
  try {
    const authority = await makeAuthority(dir);
    const own = await authority.issue("own", ["own.test"]);
    const files = { ...own, ca: authority.cert, crl: await authority.revocationList() };
    const asked = readSuites().flatMap((suite) =>
      [...translateSuite(suite)].filter(([proxy]) => !isProgram(suite.proxies[proxy]!)).map((
        [proxy, served],
      ) => ({
        name: `${suite.name}, ${proxy}`,
        resources: staticResources(served, files),
      }))
    );
    assert.ok(asked.length > 40, `${asked.length} proxies`);
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
        });
        if (!verdict.accepted) refused.push(`${name}: ${verdict.log}`);
      }
    };
    await Promise.all(Array.from({ length: WIDTH }, ask));
    assert.deepEqual(refused, []);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}));
