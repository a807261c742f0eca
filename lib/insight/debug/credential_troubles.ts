/**
 * Credentials that cannot be used, as troubles of the overview.
 *
 * @module
 */
import { asksFor, objectsNaming, REMEDY, servedText } from "./credential_faults.ts";
import type { DebugInputs } from "./inputs.ts";
import { proxyId } from "./proxies.ts";
import type { Trouble } from "./trouble.ts";

/** One trouble for each credential; `warn` if no object names it. */
export function credentialTroubles(inputs: DebugInputs): Trouble[] {
  return inputs.credentialFaults().map((fault): Trouble => {
    const { credential, place, problem, since } = fault;
    const objects = objectsNaming(inputs, fault);
    const proxies = inputs.sessions().filter((session) => asksFor(session, fault)).map(proxyId);
    return {
      tone: objects.length > 0 || proxies.length > 0 ? "bad" : "warn",
      text: `The credential ${credential} cannot be used; ${servedText(fault)}`,
      message: `${place}: ${problem}`,
      remedy: REMEDY,
      since,
      culprits: objects.map((object) => ({ object })),
      proxies: [...new Set(proxies)].sort(),
      page: "/debug/services#certificates",
    };
  });
}
