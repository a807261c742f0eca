/**
 * Gateways: their workloads, and hosts that several of them have.
 *
 * @module
 */
import type { Server } from "#mesh/networking/v1alpha3/gateway_pb.ts";
import { byAge, intersectHosts, type ObjectKey, objectKey } from "../../model/mod.ts";
import type { Analyzer } from "../analyzer.ts";
import { labelText, rowsOf, selectsNothing, serverBucket } from "../indexes.ts";

/** A Gateway that selects no workload, or whose hosts another Gateway has at the same port. */
export const GATEWAY_CONFLICTS: Analyzer<"Gateway"> = {
  name: "gateway.ConflictingGatewayAnalyzer",
  kinds: ["Gateway"],
  codes: ["MSH0101", "MSH0145"],
  *analyze(context, row) {
    const { read, mesh, indexes } = context;
    const { meta, spec } = row;
    if (selectsNothing(context, "", spec.selector)) {
      yield {
        code: "MSH0101",
        args: ["selector", labelText(spec.selector)],
        path: "spec.selector",
        remedy: "Correct the selector, or start a gateway proxy with these labels " +
          "(MESH_METAJSON_LABELS).",
      };
    }
    for (const [at, server] of spec.servers.entries()) {
      const keys = read.members(indexes.gatewaysByServer, serverBucket(spec.selector, server));
      const others = rowsOf(read, mesh.tables.gateways, keys)
        .filter((other) => other.meta !== meta);
      const hosts = new Set<string>();
      const conflicting = others.filter((other) => {
        const shared = other.spec.servers
          .filter((one) => one.port?.number === server.port?.number && one.bind === server.bind)
          .flatMap((one) => sharedHosts({ meta: other.meta, server: one }, { meta, server }));
        for (const host of shared) hosts.add(host);
        return shared.length > 0;
      });
      if (conflicting.length === 0) continue;
      const names = [...conflicting, row].sort(byAge).map((one) => objectKey(one.meta)).join(", ");
      const port = `${server.port?.number ?? 0}`;
      const args = [names, labelText(spec.selector), port, [...hosts].sort().join(", ")];
      yield { code: "MSH0145", args, path: `spec.servers[${at}].hosts` };
    }
  },
};

interface OwnedServer {
  readonly meta: ObjectKey;
  readonly server: Server;
}

/** Hosts that both servers accept for the same namespaces. */
function sharedHosts(a: OwnedServer, b: OwnedServer): string[] {
  const all = ({ meta, server }: OwnedServer) =>
    server.hosts.map((written) => {
      const slash = written.indexOf("/");
      const from = slash < 0 ? "*" : written.slice(0, slash);
      const namespace = from === "." ? meta.namespace : from;
      return { namespace, host: written.slice(slash + 1).toLowerCase() };
    });
  return all(a).flatMap((one) =>
    all(b).flatMap((two) => {
      const meet = one.namespace === "*" || two.namespace === "*" ||
        one.namespace === two.namespace;
      const host = meet ? intersectHosts(one.host, two.host) : undefined;
      return host === undefined ? [] : [host];
    })
  );
}
