/**
 * Names for completion, from a daemon and from the orchestrator's configuration file.
 *
 * @module
 */
import type { CandidateRequest, FlagValues } from "../../lib/cli/mod.ts";
import { envText } from "../../lib/env/mod.ts";

/** Time for the answer of the daemon, in milliseconds; completion itself waits two seconds. */
const TIMEOUT_MS = 1_500;

/** Proxies of the daemon that the flags or the settings name. */
export async function proxyNames({ flags, signal }: CandidateRequest): Promise<readonly string[]> {
  const { daemonOf, namesDaemon } = await import("./connect.ts");
  if (!hasFlag(flags, "xds-address") || !namesDaemon(flags)) return [];
  const { askDaemon } = await import("../../lib/daemon_client/mod.ts");
  const { endpoint } = await daemonOf({ flags, io: { out: () => {}, err: () => {} } });
  const { text } = await askDaemon(endpoint, { query: "syncz", timeoutMs: TIMEOUT_MS, signal });
  const rows = JSON.parse(text) as readonly { readonly proxy: string }[];
  return rows.map(({ proxy }) => proxy).sort();
}

/** Contexts of the orchestrator's configuration file. */
export async function contextNames({ flags }: CandidateRequest): Promise<readonly string[]> {
  const { loadKubeconfig } = await import("../../lib/orch/mod.ts");
  const config = await loadKubeconfig(orchconfigFiles(flags));
  return [...config.contexts.keys()].sort();
}

/** The files of the orchestrator's configuration: `--orchconfig`, `KUBECONFIG`, or the default. */
export function orchconfigFiles(flags: FlagValues): readonly string[] {
  const given = flags.string("orchconfig");
  if (given !== "") return [given];
  const listed = (envText("KUBECONFIG") ?? "").split(":").filter((path) => path !== "");
  return listed.length > 0 ? listed : [`${envText("HOME") ?? ""}/.kube/config`];
}

function hasFlag(flags: FlagValues, name: string): boolean {
  try {
    flags.string(name);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
