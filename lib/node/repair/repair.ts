/**
 * Finding broken pods and acting on them.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import type { OrchClient } from "../../kit/orch/mod.ts";
import type { Runner } from "../capture/mod.ts";
import type { NodeNameservers } from "../cni/mod.ts";
import type { RepairSettings } from "./settings.ts";

/** Options of {@link repairPods}. */
export interface RepairPodsOptions {
  readonly client: OrchClient;
  readonly settings: RepairSettings;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** Folder with the processes of the node: `/host/proc`. */
  readonly procDir: string;
  readonly nameservers: NodeNameservers;
  /** Runs programs in the network namespace at a path that this process sees. */
  runnerFor(seen: string): Runner;
}

/**
 * Watches pods until the signal, and acts on each broken one once. Errors of the API server are tried
 * again with growing pauses.
 */
export function repairPods(_options: RepairPodsOptions): Promise<void> {
  throw new MeshError("repair-missing", "the repair is not there yet");
}
