/**
 * Short forms for the rows of the tables beside this file.
 *
 * @module
 */
import type { IdleRow } from "../idle.ts";
import type { EnvType } from "../value.ts";

/** The node agent alone. */
export const AGENT: readonly string[] = ["pilot-agent"];
/** The daemon alone. */
export const DAEMON: readonly string[] = ["pilot-discovery"];
/** The node's network plugin alone. */
export const CNI: readonly string[] = ["install-cni"];
/** The operator's tool alone. */
export const MESHCTL: readonly string[] = ["meshctl"];
/** Agent and daemon, which share settings. */
export const AGENT_DAEMON: readonly string[] = ["pilot-agent", "pilot-discovery"];
/** Agent and network plugin. */
export const AGENT_CNI: readonly string[] = ["install-cni", "pilot-agent"];
/** Every program that runs in the mesh. */
export const ALL: readonly string[] = ["install-cni", "pilot-agent", "pilot-discovery"];

/** What beside name, programs, default and meaning may be said of a variable. */
type Extra = Pick<IdleRow, "defaultWhen" | "choices">;

type Form<T> = (
  name: string,
  programs: readonly string[],
  preset: T | undefined,
  doc: string,
  extra?: Extra,
) => IdleRow;

function form<T extends boolean | number | string>(type: EnvType): Form<T> {
  return (name, programs, preset, doc, extra = {}) => ({
    name,
    type,
    programs,
    default: preset,
    doc,
    ...extra,
  });
}

/** A switch. */
export const bool: Form<boolean> = form("bool");
/** A whole number. */
export const int: Form<number> = form("int");
/** A number. */
export const float: Form<number> = form("float");
/** A length of time, its default as text such as `24h0m0s`. */
export const duration: Form<string> = form("duration");
/** Any text. */
export const text: Form<string> = form("string");

/** The default while ambient mode is on, for those that depend on it. */
export function inAmbient(preset: boolean): Extra {
  return { defaultWhen: { variable: "PILOT_ENABLE_AMBIENT", default: preset } };
}
