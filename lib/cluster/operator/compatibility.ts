/**
 * Versions of the field's defaults with which an installation can be compatible: settings that give
 * back behaviour that later versions changed.
 *
 * @module
 */
import type { Layer } from "./documents.ts";
import { API_VERSION, KIND } from "./fields.ts";
import type { Report } from "./problems.ts";

/** Variables by what they are given to. */
interface Changes {
  readonly daemon: Readonly<Record<string, string>>;
  readonly agent: Readonly<Record<string, string>>;
}

/** Changes of the version after each, as far as Mesh has a variable for them. */
const CHANGES_AFTER: Readonly<Record<string, Changes>> = {
  "1.21": {
    daemon: {
      ENABLE_ENHANCED_RESOURCE_SCOPING: "false",
      ENABLE_RESOLUTION_NONE_TARGET_PORT: "false",
    },
    agent: { MESH_DELTA_XDS: "false" },
  },
  "1.22": { daemon: {}, agent: { ENABLE_DELIMITED_STATS_TAG_REGEX: "false" } },
  "1.23": {
    daemon: {
      ENABLE_INBOUND_RETRY_POLICY: "false",
      EXCLUDE_UNSAFE_503_FROM_DEFAULT_RETRY: "false",
      PREFER_DESTINATIONRULE_TLS_FOR_EXTERNAL_SERVICES: "false",
    },
    agent: {},
  },
};

/** The versions that exist. */
export const COMPATIBILITY_VERSIONS: readonly string[] = Object.keys(CHANGES_AFTER);

/** The settings of a version as a document under the user's own. */
export function compatibilityLayers(version: string, problem: Report["problem"]): Layer[] {
  if (version === "") return [];
  const [major, minor] = version.split(".");
  const from = COMPATIBILITY_VERSIONS.indexOf(`${major}.${minor}`);
  if (from < 0) {
    problem({
      path: ["spec", "compatibilityVersion"],
      code: "not-supported",
      message: `the compatibility version "${version}" is not supported`,
      remedy: `The versions are ${
        COMPATIBILITY_VERSIONS.join(", ")
      }; leave it out for the defaults of Mesh.`,
    });
    return [];
  }
  const changes = COMPATIBILITY_VERSIONS.slice(from).map((one) => CHANGES_AFTER[one]!);
  const proxyMetadata = Object.assign({}, ...changes.map(({ agent }) => agent));
  const env = Object.assign({}, ...changes.map(({ daemon }) => daemon));
  const meshConfig = Object.keys(proxyMetadata).length === 0
    ? {}
    : { meshConfig: { defaultConfig: { proxyMetadata } } };
  const root = {
    apiVersion: API_VERSION,
    kind: KIND,
    spec: { ...meshConfig, values: { pilot: { env } } },
  };
  return [{ name: `compatibility version ${version}`, root, locate: () => ({}) }];
}
