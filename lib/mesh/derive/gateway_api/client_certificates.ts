/**
 * Certificates that Gateways show to backends with a BackendTLSPolicy.
 *
 * @module
 */
import { text } from "../../graph/mod.ts";
import { objectKey, objectKeys } from "../../model/mod.ts";
import { type Gateway, listenerKey } from "../../gateway_api/mod.ts";
import { isSelectedBy } from "../gateway_selection.ts";
import type { ClientCertificates } from "../scopes/mod.ts";
import type { GatewayApi } from "./bindings.ts";

/** Prefix of the names of secrets that a Gateway refers to. */
const SCHEME = "kubernetes-gateway://";

/** Creates the lookups. */
export function clientCertificatesOf(
  { mesh, api, bound }: GatewayApi,
): ClientCertificates {
  const { graph, tables, domain } = mesh;
  const gateways = graph.index(
    api.gateways,
    "GatewayApi.clientCertificates",
    { bucket: text, member: objectKeys },
    ({ meta: { namespace, name }, spec }: Gateway) =>
      spec.tls?.backend?.clientCertificateRef === undefined ? [] : [["all", { namespace, name }]],
  );
  const targets = graph.index(
    api.backendTlsPolicies,
    "BackendTLSPolicy.hosts",
    { bucket: text, member: text },
    ({ meta: { namespace }, spec }) =>
      (spec.targetRefs ?? []).map(({ name }) =>
        ["all", `${name}.${namespace}.svc.${domain}`] as const
      ),
  );
  return {
    nameFor: (read, workload) => {
      for (const key of read.members(gateways, "all")) {
        const { clientCertificate, listeners = [] } = read.get(bound.gateways, key) ?? {};
        if (clientCertificate === undefined) continue;
        const isOf = listeners.some(({ owner, spec, programmed }) => {
          const row = programmed
            ? read.get(tables.gateways, listenerKey({ owner, name: spec.name }))
            : undefined;
          return row !== undefined && isSelectedBy(read, mesh, row, workload);
        });
        if (isOf) return SCHEME + objectKey(clientCertificate);
      }
      return undefined;
    },
    hosts: (read) => read.members(targets, "all"),
  };
}
