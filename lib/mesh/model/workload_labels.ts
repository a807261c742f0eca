/**
 * Labels of workloads that say how their proxies are reached.
 *
 * @module
 */
/** Label of the pods of a Gateway of the Gateway API, with its name. */
export const GATEWAY_NAME_LABEL = "gateway.networking.k8s.io/gateway-name";

/** Label of workloads whose proxy takes mutual TLS (`mesh`), or none (`disabled`). */
export const TLS_MODE_LABEL = "security.mesh.io/tlsMode";

/** Label of workloads with the protocols of tunnels that they accept, separated by commas. */
const TUNNEL_LABEL = "networking.mesh.io/tunnel";

/** Reports if the labels of a workload say that it accepts tunnels (HBONE). */
export function saysTunnels(labels: Readonly<Record<string, unknown>>): boolean {
  return `${labels[TUNNEL_LABEL] ?? ""}`.split(",").includes("http");
}

/** Reports if a workload accepts tunnels: its label says so, or its node's proxy does it. */
export function acceptsTunnels(
  { labels, redirected }: {
    readonly labels: Readonly<Record<string, string>>;
    readonly redirected?: boolean | undefined;
  },
): boolean {
  return redirected === true || saysTunnels(labels);
}
