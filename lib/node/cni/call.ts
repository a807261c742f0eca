/**
 * Reading a call: its variables and its network configuration. Pure.
 *
 * @module
 */
import { CNI_CODE, CniFault } from "./fault.ts";
import { type NetworkConfig, parseConfig } from "./config.ts";
import type { PluginCall, PodRef } from "./types.ts";

/** Commands of the standard. */
export const COMMANDS = ["ADD", "DEL", "CHECK", "GC", "STATUS", "VERSION"] as const;

export type Command = typeof COMMANDS[number];

/** A call about one container. */
export interface ContainerCall {
  readonly config: NetworkConfig;
  readonly containerId: string;
  /** Path of the network namespace, as the container runtime names it. */
  readonly netns: string;
  /** Absent when the container is none of the orchestrator's pods. */
  readonly pod: PodRef | undefined;
}

/** @throws {CniFault} 4 */
export function commandOf({ env }: PluginCall): Command {
  const command = COMMANDS.find((one) => one === env.CNI_COMMAND);
  if (command !== undefined) return command;
  throw wrong("CNI_COMMAND", env.CNI_COMMAND, COMMANDS.join(", "));
}

/**
 * Reads a call of ADD or CHECK.
 *
 * @throws {CniFault} 1, 2, 4, 6 or 7
 */
export function containerCall({ env, stdin }: PluginCall): ContainerCall {
  const config = parseConfig(stdin);
  const { CNI_CONTAINERID: containerId, CNI_NETNS: netns, CNI_IFNAME: device } = env;
  if (containerId === undefined || !/^[A-Za-z0-9][A-Za-z0-9_.-]{0,255}$/.test(containerId)) {
    throw wrong("CNI_CONTAINERID", containerId, "letters, digits, `_`, `.` and `-`");
  }
  if (device === undefined || !/^(?!\.{1,2}$)[^/:\s]{1,15}$/.test(device)) {
    throw wrong("CNI_IFNAME", device, "the name of a network interface");
  }
  if (netns === undefined || netns === "") {
    throw wrong("CNI_NETNS", netns, "the path of a network namespace");
  }
  return { config, containerId, netns, pod: podOf(env.CNI_ARGS ?? "") };
}

/** Both names or neither: with one of them the pod would pass without being looked at. */
function podOf(args: string): PodRef | undefined {
  const known = new Map(
    args.split(";").filter((entry) => entry !== "").map((entry): [string, string] => {
      const at = entry.indexOf("=");
      if (at < 1) throw wrong("CNI_ARGS", args, "KEY=VALUE pairs with `;` between them");
      return [entry.slice(0, at), entry.slice(at + 1)];
    }),
  );
  const namespace = nameOf(known, "K8S_POD_NAMESPACE");
  const name = nameOf(known, "K8S_POD_NAME");
  const uid = nameOf(known, "K8S_POD_UID");
  if (namespace !== undefined && name !== undefined) {
    return { namespace, name, ...uid !== undefined && { uid } };
  }
  if (namespace === undefined && name === undefined) return undefined;
  throw wrong("CNI_ARGS", args, "both K8S_POD_NAMESPACE and K8S_POD_NAME, or neither");
}

function nameOf(args: ReadonlyMap<string, string>, key: string): string | undefined {
  const value = args.get(key);
  if (value === undefined || value === "") return undefined;
  if (/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(value)) return value;
  throw wrong("CNI_ARGS", value, `a name of the orchestrator as ${key}`);
}

function wrong(variable: string, value: string | undefined, takes: string): CniFault {
  const what = value === undefined || value === ""
    ? "it is not set"
    : `invalid value ${JSON.stringify(value.slice(0, 200))}`;
  return new CniFault(CNI_CODE.environment, `${variable}: ${what}`, {
    remedy: `It takes ${takes}.`,
  });
}
