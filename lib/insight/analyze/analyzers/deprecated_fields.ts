/**
 * Deprecated fields.
 *
 * @module
 */
import type { VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import type { Sidecar } from "#mesh/networking/v1alpha3/sidecar_pb.ts";
import type { Analyzer } from "../analyzer.ts";
import type { Finding } from "../message.ts";

/** Fields that another one replaces. */
export const DEPRECATED_FIELDS: Analyzer<"Sidecar" | "VirtualService"> = {
  name: "deprecation.DeprecationAnalyzer",
  kinds: ["Sidecar", "VirtualService"],
  codes: ["MSH0002"],
  analyze: (_context, { meta, spec }) =>
    meta.kind === "VirtualService" ? inRoutes(spec as VirtualService) : inSidecar(spec as Sidecar),
};

function* inRoutes({ http }: VirtualService): Iterable<Finding> {
  for (const [at, { fault }] of http.entries()) {
    if ((fault?.delay?.percent ?? 0) > 0) {
      yield replaced(`spec.http[${at}].fault.delay.percent`, "percentage");
    }
  }
}

function* inSidecar({ outboundTrafficPolicy }: Sidecar): Iterable<Finding> {
  if (outboundTrafficPolicy?.egressProxy === undefined) return;
  const args = ["egressProxy is ignored; it is replaced by the egress listeners of a Sidecar"];
  yield { code: "MSH0002", args, path: "spec.outboundTrafficPolicy.egressProxy" };
}

function replaced(path: string, by: string): Finding {
  const field = path.slice(path.lastIndexOf(".") + 1);
  return { code: "MSH0002", args: [`${field} is replaced by ${by}`], path };
}
