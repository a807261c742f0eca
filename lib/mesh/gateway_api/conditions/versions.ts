/**
 * The version of the definitions of the Gateway API.
 *
 * @module
 */
import { type Condition, conditionsAt } from "./condition.ts";

/** The definition that tells the version of all, as they are installed together. */
export const VERSIONED_DEFINITION = "gatewayclasses.gateway.networking.k8s.io";
/** The annotation of definitions that releases of the standard set, for example to `v1.6.3`. */
export const VERSION_ANNOTATION = "gateway.networking.k8s.io/bundle-version";

/** Numbers of the versions 1.x whose kinds and fields Mesh reads. */
const OLDEST = 1;
const NEWEST = 6;

/**
 * The condition of a class about the version of the definitions. Another version is served as far as its
 * objects can be read.
 *
 * @param version as the annotation has it; undefined: there is no annotation
 */
export function versionCondition(generation: number, version: string | undefined): Condition {
  const make = conditionsAt(generation);
  const range = `versions 1.${OLDEST} to 1.${NEWEST} are supported`;
  const minor = /^v?1\.(\d+)\.\d+$/.exec(version ?? "")?.[1];
  if (minor !== undefined && Number(minor) >= OLDEST && Number(minor) <= NEWEST) {
    return make.yes("SupportedVersion", `the definitions are of version ${version}; ${range}`);
  }
  const found = version === undefined
    ? `the definition ${VERSIONED_DEFINITION} has no annotation ${VERSION_ANNOTATION}`
    : `the definitions are of version ${version}`;
  return make.no("SupportedVersion", {
    reason: "UnsupportedVersion",
    message: `${found}; ${range}. Objects are served as far as they can be read`,
  });
}
