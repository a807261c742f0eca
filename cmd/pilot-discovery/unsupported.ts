/**
 * Flags that the daemon accepts and does not implement: some have no effect, some are refused.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";
import type { DiscoveryOptions } from "./options.ts";

/** Flags that are accepted and have no effect, each with the reason. */
export const INEFFECTIVE_FLAGS: Readonly<Record<string, string>> = {
  vklog:
    "the client of the orchestrator's API has no levels of its own; --log_output_level=orch:debug shows its messages",
};

/** Variables of the agent that may be meant for the daemon, each with the reason why it has no use for it. */
export const AGENT_VARIABLES: Readonly<Record<string, string>> = {
  PKCS8_KEY: "the daemon always writes keys in the form PKCS #8; the variable is for pilot-agent",
};

/**
 * Refuses unsupported registries that the command line gives. Those that are only defaults are left
 * out; returns a sentence for each.
 *
 * @param orchestrated the daemon has an orchestrator, by `--orchconfig` or as a pod
 * @throws MeshError `not-supported`
 */
export function checkSupported(options: DiscoveryOptions, orchestrated: boolean): string[] {
  const { given, registries, orchConfig, configDir } = options;
  if (orchConfig !== "" && configDir !== "") {
    throw new MeshError(
      "not-supported",
      `--orchconfig=${orchConfig} with --configDir=${configDir}: services of an orchestrator beside ` +
        "configuration from files are not implemented",
      { remedy: "Give one of the two flags." },
    );
  }
  const known = orchestrated && registries.join() === "Orchestrator";
  if (given.has("registries") && !known && (registries.length > 0 || configDir === "")) {
    throw new MeshError(
      "not-supported",
      `--registries=${registries.join(",")}: service registries cannot be chosen`,
      {
        remedy:
          "Leave --registries out; services come from the orchestrator that --orchconfig names, " +
          "or in which the daemon is a pod.",
      },
    );
  }
  return orchestrated
    ? []
    : ["without an orchestrator there is no service registry: services come from ServiceEntries"];
}
