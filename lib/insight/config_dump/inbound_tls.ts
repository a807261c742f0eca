import type { Dump } from "./dump.ts";
import { asMap, asMaps, asText, at, type JsonMap } from "./json.ts";
import { listenersOf } from "./listeners.ts";

/** Name of the listener for captured inbound connections, and of the cluster that refuses. */
const INBOUND = "virtualInbound";
const REFUSES = "BlackHoleCluster";

/** Mutual TLS of a port, as filter chains implement it. */
export interface InboundTls {
  /** Port of the workload; empty: all ports without a chain of their own. */
  readonly port: string;
  /** `STRICT`: only mutual TLS; `PERMISSIVE`: also without; `DISABLE`: without. */
  readonly mode: "STRICT" | "PERMISSIVE" | "DISABLE";
}

/**
 * Mutual TLS of the ports that the inbound listener of a sidecar has filter chains for; the other
 * ports come last. Empty without that listener.
 */
export function inboundTls(dump: Dump): readonly InboundTls[] {
  const modes = new Map<string, Set<boolean>>();
  for (const listener of listenersOf(dump, { address: "", port: 0, type: "" })) {
    if (listener.name !== INBOUND) continue;
    const last = listener.defaultFilterChain;
    for (const chain of [...asMaps(listener.filterChains), ...last ? [asMap(last)] : []]) {
      if (isRefusing(chain)) continue;
      const port = asText(at(chain, "filterChainMatch", "destinationPort"));
      const found = modes.get(port) ?? new Set();
      modes.set(port, found.add(isMutual(chain)));
    }
  }
  return [...modes].map(([port, kinds]): InboundTls => ({
    port,
    mode: kinds.size === 2 ? "PERMISSIVE" : kinds.has(true) ? "STRICT" : "DISABLE",
  })).toSorted((a, b) => (Number(a.port) || Infinity) - (Number(b.port) || Infinity) || 0);
}

function isMutual(chain: JsonMap): boolean {
  return at(chain, "transportSocket", "typedConfig", "requireClientCertificate") === true;
}

function isRefusing({ filters }: JsonMap): boolean {
  return asMaps(filters).some((one) => at(one, "typedConfig", "cluster") === REFUSES);
}
