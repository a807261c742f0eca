/**
 * Certificates that several Gateways use.
 *
 * @module
 */
import { byAge, objectKey } from "../../model/mod.ts";
import type { Analyzer } from "../analyzer.ts";
import { certificateBucket, rowsOf } from "../indexes.ts";

/** Gateways of the same workloads with the same certificate: clients reuse connections between them. */
export const GATEWAY_CERTIFICATES: Analyzer<"Gateway"> = {
  name: "gateway.CertificateAnalyzer",
  kinds: ["Gateway"],
  codes: ["MSH0138"],
  *analyze({ read, mesh, indexes }, { meta, spec }) {
    const own = objectKey(meta);
    const others = new Set<string>();
    for (const server of spec.servers) {
      const bucket = certificateBucket(spec.selector, server);
      if (bucket === undefined) continue;
      for (const key of read.members(indexes.gatewaysByCertificate, bucket)) others.add(key);
    }
    others.add(own);
    if (others.size < 2) return;
    const rows = rowsOf(read, mesh.tables.gateways, [...others]).sort(byAge);
    const args = [rows.map((one) => objectKey(one.meta)).join(", ")];
    yield { code: "MSH0138", args, path: "spec.servers" };
  },
};
