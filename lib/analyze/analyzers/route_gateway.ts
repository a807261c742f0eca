/**
 * Gateways that VirtualServices name: they exist, and have the hosts.
 *
 * @module
 */
import type { Gateway } from "#mesh/networking/v1alpha3/gateway_pb.ts";
import {
  type ConfigObject,
  fullHost,
  gatewayKey,
  intersectHosts,
  objectKey,
} from "../../model/mod.ts";
import type { Analyzer } from "../analyzer.ts";

/** A VirtualService that is bound to a Gateway that does not exist or does not have its hosts. */
export const ROUTE_GATEWAY: Analyzer<"VirtualService"> = {
  name: "virtualservice.GatewayAnalyzer",
  kinds: ["VirtualService"],
  codes: ["MSH0101", "MSH0132"],
  *analyze({ read, mesh }, { meta, spec }) {
    for (const [at, name] of spec.gateways.entries()) {
      if (name === "mesh") continue;
      const key = gatewayKey(name, meta.namespace);
      const gateway = read.get(mesh.tables.gateways, key);
      const path = `spec.gateways[${at}]`;
      if (gateway === undefined) {
        yield {
          code: "MSH0101",
          args: ["gateway", name],
          path,
          remedy: `Correct the name, or create Gateway ${key}.`,
        };
        continue;
      }
      for (const [index, host] of spec.hosts.entries()) {
        const full = fullHost(host, meta.namespace, mesh.domain);
        if (hasHost(gateway, full, meta.namespace)) continue;
        const args = [host, objectKey(meta), key];
        yield { code: "MSH0132", args, path: `spec.hosts[${index}]` };
      }
    }
  },
};

function hasHost({ meta, spec }: ConfigObject<Gateway>, host: string, namespace: string): boolean {
  return spec.servers.some((server) =>
    server.hosts.some((written) => {
      const slash = written.indexOf("/");
      const from = slash < 0 ? "*" : written.slice(0, slash);
      const allowed = from === "*" || namespace === (from === "." ? meta.namespace : from);
      const accepted = written.slice(slash + 1).toLowerCase();
      return allowed && intersectHosts(accepted, host) !== undefined;
    })
  );
}
