/**
 * Short forms for the rows of the tables in this folder.
 *
 * @module
 */
import type { IneffectiveRow } from "../ineffective.ts";
import type { EnvType } from "../value.ts";

/** The node agent. */
export const AGENT: readonly string[] = ["pilot-agent"];
export const DAEMON: readonly string[] = ["pilot-discovery"];
/** The node's network plugin. */
export const CNI: readonly string[] = ["install-cni"];
/** Agent and daemon, which share settings. */
export const AGENT_DAEMON: readonly string[] = ["pilot-agent", "pilot-discovery"];
/** Agent and network plugin. */
export const AGENT_CNI: readonly string[] = ["install-cni", "pilot-agent"];
/** Every program that runs in the mesh. */
export const ALL: readonly string[] = ["install-cni", "pilot-agent", "pilot-discovery"];

type Form<T> = (
  name: string,
  programs: readonly string[],
  preset: T | undefined,
  doc: string,
) => IneffectiveRow;

function form<T extends boolean | number | string>(type: EnvType): Form<T> {
  return (name, programs, preset, doc) => ({
    name,
    type,
    programs,
    default: preset,
    doc,
  });
}

/** A switch. */
export const bool: Form<boolean> = form("bool");
/** A whole number. */
export const int: Form<number> = form("int");
export const float: Form<number> = form("float");
/** A duration, with a default such as `24h0m0s`. */
export const duration: Form<string> = form("duration");
export const text: Form<string> = form("string");
