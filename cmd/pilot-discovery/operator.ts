/**
 * Access of operators on other machines to the debug pages, and their control of the change of roots.
 *
 * @module
 */
import type { Authn } from "../../lib/cluster/authn/mod.ts";
import type { SelfSigned } from "../../lib/cluster/ca/mod.ts";
import type { RemoteCallers, RootChangeControl } from "../../lib/insight/debug/mod.ts";

/**
 * Authenticates readers of debug pages by their tokens, as clients of discovery. Identities of the
 * system namespace read everything.
 */
export function debugCallers(authn: Authn, systemNamespace: string): RemoteCallers {
  return async ({ request, peer }) => {
    const headers = ["authorization", "clusterid"].flatMap((name) => {
      const value = request.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    if (headers.length === 0) return "unknown";
    const caller = await authn.authenticate({
      peer: `${peer.hostname}:${peer.port}`,
      metadata: new Map(headers),
    }).catch(() => undefined);
    if (!caller) return "unknown";
    const isOfSystem = caller.identities.some(({ namespace }) => namespace === systemNamespace);
    return isOfSystem ? "full" : "foreign";
  };
}

/** The change of roots of a self-signed authority. */
export function rootChangeControl(
  selfSigned: SelfSigned,
  pending: (serials: readonly string[]) => readonly string[],
): RootChangeControl {
  return {
    decide: (decision) => selfSigned.decide(decision),
    view() {
      const state = selfSigned.state();
      const { phase, active: { certificate: { serial: active } } } = state;
      switch (state.phase) {
        case "stable":
          return { phase, active };
        case "switched":
          return { phase, active, previous: state.previous.certificate.serial };
        case "announced":
        case "overdue": {
          const next = state.next.certificate.serial;
          return { phase, active, next, waitsFor: pending([next, active]) };
        }
      }
    },
  };
}
