/**
 * Key sets and trust bundles that the daemon cannot fetch, and changes that it has not published for
 * long, as troubles of the overview.
 *
 * @module
 */
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import { type ConfigObject, keySetName, objectRef } from "../../mesh/model/mod.ts";
import type { FetchFault } from "../../mesh/sources/mod.ts";
import type { RequestAuthentication } from "#mesh/security/v1beta1/request_authentication_pb.ts";
import type { DebugInputs } from "./inputs.ts";
import type { Trouble } from "./trouble.ts";

/** One trouble for each key set and each bundle; `warn` while an earlier value is in use. */
export function fetchTroubles(inputs: DebugInputs): Trouble[] {
  const { keySets, bundles } = inputs.fetchFaults();
  return [
    ...keySets.map((fault) => ({
      ...troubleOf(fault),
      text: `The keys of ${issuerOf(fault.name)} cannot be fetched; ${
        fault.stored ? "the last ones verify tokens" : "no token of it is accepted"
      }`,
      culprits: objectsNaming(inputs, fault.name).map((object) => ({ object })),
    })),
    ...bundles.map((fault) => ({
      ...troubleOf(fault),
      text: `The trust bundle of ${fault.name} cannot be fetched; ${
        fault.stored ? "the last one is in use" : "its trust domain is not trusted"
      }`,
      culprits: [],
    })),
  ];
}

function troubleOf({ error, since, stored }: FetchFault) {
  return {
    tone: stored ? "warn" : "bad",
    message: messageOf(error),
    remedy: error instanceof MeshError ? error.remedy : undefined,
    since,
    page: "/debug/faults",
  } as const;
}

/** The issuer, or the address of its keys. */
function issuerOf(name: string): string {
  return name.replace(/^openid:/, "");
}

/** The RequestAuthentications with a rule whose keys these are. */
function objectsNaming({ objects }: DebugInputs, name: string): string[] {
  return objects().filter(({ meta, spec }) =>
    meta.kind === "RequestAuthentication" &&
    (spec as RequestAuthentication).jwtRules.some((rule) => keySetName(rule) === name)
  ).map((object: ConfigObject) => objectRef(object));
}

/** A daemon publishes changes within this time, ms. */
const LAG_MS = 60_000;

/** Changes that wait, or a source with other objects than its watch reported. */
export function lagTroubles({ oldestDifference, now }: DebugInputs): Trouble[] {
  const found = oldestDifference?.();
  // Proxies that do not answer, and sources that cannot be read, are troubles of their own.
  if (found?.part !== "publication" || now() - found.since < LAG_MS) return [];
  return [{
    tone: "bad",
    text: "This daemon is behind: it has seen changes that it has not published",
    remedy: "Look at its CPU and at the costs; another replica may be further.",
    since: found.since,
    culprits: [],
    page: "/debug/costs",
  }];
}
