/**
 * The real Envoy accepts the cluster of every golden file of cluster translation.
 *
 * @module
 */
import assert from "node:assert/strict";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { makeAuthority, withCertificates } from "../../../../tests/support/certificates.ts";
import { INBOUND_CASES, OUTBOUND_CASES } from "../../../../tests/support/envoy_cases/clusters.ts";
import { validateBootstrap } from "../../../../tests/support/envoy_validate.ts";
import { standInSecrets, staticResources } from "../../../../tests/support/static_envoy.ts";
import { toBinary, typeUrl } from "../../../kit/proto/mod.ts";

Deno.test(withCertificates("Envoy takes the cluster of every case", async () => {
  const dir = await Deno.makeTempDir({ prefix: "mesh-clusters-" });
  try {
    const authority = await makeAuthority(dir);
    const own = await authority.issue("own", ["own.test"]);
    const files = { ...own, ca: authority.cert, crl: await authority.revocationList() };
    const made = Object.entries({ ...OUTBOUND_CASES, ...INBOUND_CASES }).flatMap(
      ([name, build]) => {
        const cluster = build();
        // The clusters have the same name, because they belong to one service.
        return cluster === undefined
          ? []
          : [{ name, version: name, bytes: toBinary(ClusterSchema, { ...cluster, name }) }];
      },
    );
    assert.ok(made.length > 40, `${made.length} clusters`);
    const byName = new Map(made.map((one) => [one.name, one]));
    const view = { entries: () => made.values(), get: (name: string) => byName.get(name) };
    const { clusters } = staticResources(
      (url) => url === typeUrl(ClusterSchema) ? view : undefined,
      files,
    );
    const verdict = await validateBootstrap({
      node: { id: "clusters", cluster: "clusters" },
      staticResources: { clusters: [...clusters], secrets: standInSecrets(files) },
    });
    assert.ok(verdict.accepted, verdict.log);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}));
