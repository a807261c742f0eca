/**
 * Gateways: their workloads, and hosts that several of them have.
 *
 * @module
 */
import type { Gateway, Server } from "#mesh/networking/v1alpha3/gateway_pb.ts";
import { type ConfigObject, objectKey } from "../../../mesh/model/mod.ts";
import type { Analyzer, Context } from "../analyzer.ts";
import { rowsOf, serverBuckets } from "../indexes.ts";
import { type Labels, labelText, selectsNoGateway, selectsSome } from "../workload_indexes.ts";

/** A Gateway that selects no workload. */
export const GATEWAY_WORKLOADS: Analyzer<"Gateway"> = {
  name: "gateway.IngressGatewayPortAnalyzer",
  kinds: ["Gateway"],
  codes: ["MSH0101"],
  *analyze(context, { spec }) {
    if (!selectsNoGateway(context, spec.selector)) return;
    yield {
      code: "MSH0101",
      args: ["selector", labelText(spec.selector)],
      path: "spec.selector",
      remedy: "Correct the selector, or start a gateway proxy with these labels " +
        "(MESH_METAJSON_LABELS).",
    };
  },
};

/** A Gateway with a host that another Gateway of its workloads has at the same port. */
export const GATEWAY_CONFLICTS: Analyzer<"Gateway"> = {
  name: "gateway.ConflictingGatewayAnalyzer",
  kinds: ["Gateway"],
  codes: ["MSH0145"],
  *analyze(context, row) {
    const { spec } = row;
    for (const [at, server] of spec.servers.entries()) {
      const others = rivalsOf(context, row, server);
      if (others.length === 0) continue;
      const hosts = new Set(others.flatMap((other) => sharedHosts(other, server)));
      const names = [...others, row].map((one) => objectKey(one.meta)).sort().join(", ");
      const port = `${server.port?.number ?? 0}`;
      const args = [names, labelText(spec.selector), port, [...hosts].sort().join(", ")];
      yield { code: "MSH0145", args, path: `spec.servers[${at}].hosts` };
    }
  },
};

/** The other Gateways with a host of a server, at its port and address, and of the same workloads. */
function rivalsOf(
  { read, mesh, indexes }: Context,
  { meta, spec }: ConfigObject<Gateway>,
  server: Server,
): ConfigObject<Gateway>[] {
  const keys = serverBuckets(server).flatMap((bucket) =>
    read.members(indexes.gatewaysByServer, bucket)
  );
  return rowsOf(read, mesh.tables.gateways, [...new Set(keys)]).filter((other) =>
    other.meta !== meta && share(spec.selector, other.spec.selector)
  );

  /** Equal selectors, or one is part of the other and a workload has the labels of both. */
  function share(a: Labels, b: Labels): boolean {
    const [one, two] = [labelText(a), labelText(b)];
    if (one === two) return true;
    if (!one.includes(two) && !two.includes(one)) return false;
    return selectsSome({ read, indexes }, "", { ...a, ...b });
  }
}

/** The hosts of a server that a Gateway has at the same port and address, as they are written. */
function sharedHosts({ spec }: ConfigObject<Gateway>, server: Server): string[] {
  const same = spec.servers.filter((one) =>
    one.port?.number === server.port?.number && one.bind === server.bind
  );
  return server.hosts.filter((host) => same.some(({ hosts }) => hosts.includes(host)));
}
