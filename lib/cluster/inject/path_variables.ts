/**
 * The place of a proxy, as the path of the webhook names it.
 *
 * @module
 */

/** Variables that the path of the webhook sets, by the name of the segment. */
const PATH_VARIABLES: Readonly<Record<string, string>> = {
  cluster: "MESH_META_CLUSTER_ID",
  net: "MESH_META_NETWORK",
};

/** Stands for a slash in a value of the path. */
const SLASH = "--slash--";

/**
 * The variables in the rest of a path `/inject/cluster/NAME/net/NAME`. A last key without a value is
 * ignored.
 *
 * @param segments decoded
 */
export function pathVariables(segments: readonly string[]): (readonly [string, string])[] {
  const variables: (readonly [string, string])[] = [];
  for (let i = 0; i + 1 < segments.length; i += 2) {
    const [key, value] = [segments[i]!, segments[i + 1]!];
    if (key === "") continue;
    variables.push([PATH_VARIABLES[key] ?? key.toUpperCase(), value.replaceAll(SLASH, "/")]);
  }
  return variables;
}
