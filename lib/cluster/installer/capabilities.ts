import { type OrchClient, serverVersion } from "../../kit/orch/mod.ts";

/** The facts about a cluster that charts may ask for. */
export interface Capabilities {
  /** Version of the orchestrator, without a leading `v`. */
  readonly orchVersion: string;
  /** API versions such as `apps/v1`. */
  readonly apiVersions: readonly string[];
}

/** Reads the version of a server and the versions of its APIs. */
export async function readCapabilities(client: OrchClient): Promise<Capabilities> {
  type Groups = {
    groups: readonly { versions: readonly { groupVersion: string }[] }[];
  };
  const [{ gitVersion }, { groups }] = await Promise.all([
    serverVersion(client),
    client.json<Groups>({ path: "/apis" }),
  ]);
  const versions = groups.flatMap((group) => group.versions.map((one) => one.groupVersion));
  return { orchVersion: gitVersion.replace(/^v/, ""), apiVersions: ["v1", ...versions] };
}
