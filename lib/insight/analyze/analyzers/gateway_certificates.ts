/**
 * Certificates that several Gateways use.
 *
 * @module
 */
import { byAge, hasLabels, objectKey } from "../../../mesh/model/mod.ts";
import type { Analyzer } from "../analyzer.ts";
import { certificateBucket, rowsOf } from "../indexes.ts";

/** Another Gateway of the same workloads has the same certificate: clients reuse connections between them. */
export const GATEWAY_CERTIFICATES: Analyzer<"Gateway"> = {
  name: "gateway.CertificateAnalyzer",
  kinds: ["Gateway"],
  codes: ["MSH0138"],
  *analyze({ read, mesh, indexes }, { meta, spec }) {
    const found = new Set<string>();
    for (const server of spec.servers) {
      const bucket = certificateBucket(server);
      if (bucket === undefined) continue;
      for (const key of read.members(indexes.gatewaysByCertificate, bucket)) found.add(key);
    }
    const own = objectKey(meta);
    found.delete(own);
    // Workloads of a wider selector have this certificate too; of a narrower one, only some do.
    const others = rowsOf(read, mesh.tables.gateways, [...found])
      .filter((other) => hasLabels(other.spec.selector, spec.selector)).sort(byAge);
    for (const other of others) {
      const args = [[own, objectKey(other.meta)].join(", ")];
      yield { code: "MSH0138", args, path: "spec.servers" };
    }
  },
};
