/**
 * The verbs of the plugin.
 *
 * @module
 */
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { counter } from "../../kit/metrics/mod.ts";
import { addPod, checkPod } from "./add.ts";
import { type Command, commandOf, containerCall } from "./call.ts";
import { parseConfig, versionAsked, VERSIONS } from "./config.ts";
import { CNI_CODE, CniFault } from "./fault.ts";
import { passOn } from "./result.ts";
import type { PluginAnswer, PluginCall, PluginDeps } from "./types.ts";

const log = scope("cni-plugin");

const requests = counter({
  name: "mesh_cni_plugin_requests_total",
  help: "Calls of the network plugin, by command and result.",
  labels: ["command", "result"],
});

const NEWEST = VERSIONS[VERSIONS.length - 1] ?? "1.1.0";

/** First versions of commands that came later. */
const SINCE: Partial<Record<Command, string>> = { CHECK: "0.4.0", GC: "1.1.0", STATUS: "1.1.0" };

/**
 * Answers a call. Never throws: errors are answers as the standard defines them. DEL always
 * succeeds, because a pod that cannot be removed would stay for ever.
 *
 * @param signal aborted when the container runtime has given up the call
 */
export async function answerPlugin(
  call: PluginCall,
  deps: PluginDeps,
  signal: AbortSignal,
): Promise<PluginAnswer> {
  const command = call.env.CNI_COMMAND ?? "";
  try {
    const stdout = await verb(call, deps, signal);
    requests.inc({ command, result: "success" });
    return { exitCode: 0, stdout, stderr: "" };
  } catch (error) {
    const fault = asFault(error);
    requests.inc({
      command: fault.cniCode === CNI_CODE.environment ? "invalid" : command,
      result: "failure",
    });
    log.error(fault.message, { command, code: fault.cniCode, container: call.env.CNI_CONTAINERID });
    const cniVersion = versionAsked(call.stdin) ?? NEWEST;
    return {
      exitCode: 1,
      stdout: text({
        cniVersion,
        code: fault.cniCode,
        msg: fault.message,
        ...fault.remedy !== undefined && { details: fault.remedy },
      }),
      stderr: "",
    };
  }
}

async function verb(call: PluginCall, deps: PluginDeps, signal: AbortSignal): Promise<string> {
  const command = commandOf(call);
  switch (command) {
    case "VERSION":
      return text({ cniVersion: versionAsked(call.stdin) ?? NEWEST, supportedVersions: VERSIONS });
    case "DEL":
      // The rules end with the network namespace. Until then they stay, for what may still run.
      return "";
    case "GC":
    case "STATUS":
      checkSince(command, parseConfig(call.stdin).cniVersion);
      return "";
    case "CHECK": {
      const read = containerCall(call);
      checkSince(command, read.config.cniVersion);
      await checkPod(read, deps, signal);
      return "";
    }
    case "ADD": {
      const read = containerCall(call);
      const result = passOn(read.config.prevResult, read.config.cniVersion);
      await addPod(read, deps, signal);
      return text(result);
    }
  }
}

function checkSince(command: Command, version: string): void {
  const since = SINCE[command] ?? "";
  if (version >= since) return;
  throw new CniFault(CNI_CODE.version, `cniVersion ${version} has no command ${command}`, {
    remedy: `${command} is there since version ${since}.`,
  });
}

function asFault(error: unknown): CniFault {
  if (error instanceof CniFault) return error;
  const remedy = error instanceof MeshError ? error.remedy : undefined;
  const code = error instanceof MeshError && /^capture-(failed|program)$/.test(error.code)
    ? CNI_CODE.io
    : CNI_CODE.internal;
  return new CniFault(code, messageOf(error), {
    ...remedy !== undefined && { remedy },
    cause: error,
  });
}

function text(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
