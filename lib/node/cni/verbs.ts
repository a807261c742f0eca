/**
 * The verbs of the plugin.
 *
 * @module
 */
import { CniFault } from "./fault.ts";
import type { PluginAnswer, PluginCall, PluginDeps } from "./types.ts";

/**
 * Answers a call. Never throws: errors are answers as the standard defines them.
 *
 * @param signal aborted when the container runtime has given up the call
 */
export function answerPlugin(
  _call: PluginCall,
  _deps: PluginDeps,
  _signal: AbortSignal,
): Promise<PluginAnswer> {
  throw new CniFault(999, "not answered yet");
}
