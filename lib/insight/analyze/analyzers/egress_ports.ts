/**
 * Ports of the egress listeners of Sidecars: an imported service has them.
 *
 * @module
 */
import type { MeshEgressListener, Sidecar } from "#mesh/networking/v1alpha3/sidecar_pb.ts";
import { type ConfigObject, covers, objectKey } from "../../../mesh/model/mod.ts";
import { protocolOf, visibilityOf, visibleTo } from "../../../mesh/derive/mod.ts";
import type { Analyzer, Context } from "../analyzer.ts";

/** An egress listener with a port that no imported service has. */
export const EGRESS_PORTS: Analyzer<"Sidecar"> = {
  name: "sidecar.EgressPortAnalyzer",
  kinds: ["Sidecar"],
  codes: ["MSH1004"],
  *analyze(context, row) {
    if (context.read.get(context.indexes.services, "all") === false) return;
    for (const [listener, egress] of row.spec.egress.entries()) {
      const { port } = egress;
      // A listener at a socket has no port, and clients of a proxy name the port in their requests.
      if (port === undefined || port.number === 0 || egress.bind.startsWith("unix:")) continue;
      if (protocolOf(port.protocol) === "HTTP_PROXY") continue;
      if (isForOthers(context, row, egress) || isServed(context, row, listener)) continue;
      const path = `spec.egress[${listener}].port.number`;
      yield { code: "MSH1004", args: [`${port.number}`], path };
    }
  },
};

/** True for a listener whose hosts depend on the namespace of the proxies: the Sidecar is for many. */
function isForOthers(
  { read, mesh }: Context,
  { meta }: ConfigObject<Sidecar>,
  { hosts }: MeshEgressListener,
): boolean {
  return meta.namespace === mesh.field(read, "rootNamespace") &&
    hosts.some((host) => host.startsWith("./"));
}

/** True if an imported service has the port of a listener, or a VirtualService has routes for a host. */
function isServed(
  context: Context,
  { meta, spec }: ConfigObject<Sidecar>,
  listener: number,
): boolean {
  const { read, mesh } = context;
  const { namespace } = meta;
  const { port, hosts } = spec.egress[listener]!;
  const number = port?.number ?? 0;
  const key = { namespace, sidecar: objectKey(meta), listener };
  if (read.get(mesh.scopes.egressRouteHosts, key).length > 0) return true;
  const isInTables = read.get(mesh.scopes.egressHosts, key).some((host) => {
    const service = read.get(mesh.services.resolve, { namespace, host });
    const ports = service === undefined ? [] : read.get(mesh.services.service, service)?.ports;
    return ports?.some((one) => one.number === number);
  });
  return isInTables ||
    hosts.some((pattern) => isAssumedAt(context, { pattern, namespace }, number));
}

/** True if a Service of a manifest has the port, and a pattern `namespace/host` imports it. */
function isAssumedAt(
  { read, indexes }: Context,
  { pattern, namespace }: { readonly pattern: string; readonly namespace: string },
  number: number,
): boolean {
  const slash = pattern.indexOf("/");
  const written = slash < 0 ? "*" : pattern.slice(0, slash);
  const owner = written === "." ? namespace : written;
  const wanted = pattern.slice(slash + 1).toLowerCase();
  return read.members(indexes.assumedByNamespace, owner).some((host) => {
    const service = read.get(indexes.assumedHosts, host);
    return service !== undefined && covers(wanted, host) && service.ports.includes(number) &&
      visibleTo(visibilityOf(service.exportTo, service.namespace), namespace);
  });
}
