/**
 * The versions in which a server has a resource type.
 *
 * @module
 */
import type { OrchClient } from "./client.ts";
import { isNotFound } from "./error.ts";
import type { ResourceType } from "./resource.ts";

/** Other versions in which the server has a type; none if it does not have the type at all. */
export async function otherVersions(
  client: OrchClient,
  { group, version, plural }: ResourceType,
  options: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<string[]> {
  if (group === "") return [];
  type Group = { versions: readonly { version: string }[] };
  type Resources = { resources: readonly { name: string }[] };
  try {
    const { versions } = await client.json<Group>({ path: `/apis/${group}`, ...options });
    const found: string[] = [];
    for (const other of versions) {
      if (other.version === version) continue;
      const path = `/apis/${group}/${other.version}`;
      const { resources } = await client.json<Resources>({ path, ...options });
      if (resources.some(({ name }) => name === plural)) found.push(other.version);
    }
    return found;
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}
