/**
 * `env`, `proc`, `arg`, `version`: environment, process, command line and version.
 *
 * @module
 */
import process from "node:process";
import { buildInfo } from "../../kit/base/mod.ts";
import { declaredEnv, envText } from "../../kit/env/mod.ts";
import { h, type Route, table, type VNode } from "../../kit/web/mod.ts";
import { permitted } from "./permitted.ts";
import { redactUrls, redactVariable } from "./redact.ts";
import { facts, topicRoutes } from "./topic.ts";

/** Routes of the four topics. */
export function processRoutes(): Route[] {
  return [
    ...topicRoutes("env", environment, (variables) =>
      table({
        caption: `Variables (${variables.length}); values of secrets are not shown`,
        columns: ["Name", "Value"],
        rows: variables.map(({ name, value }) => [name, h("code", null, value)]),
      })),
    ...topicRoutes("proc", system, (state) => facts("As the system sees it", state)),
    ...topicRoutes("arg", commandLine, words),
    ...topicRoutes("version", version, (state) => facts("This build", state)),
  ];
}

/** A variable with a redacted value. */
export interface Variable {
  readonly name: string;
  readonly value: string;
}

/** The variables that are set, by name; without permission for all, those that Mesh reads. */
export function environment(): Variable[] {
  const all = permitted(() => Deno.env.toObject()) ?? declared();
  return Object.entries(all)
    .sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, value]) => ({ name, value: redactVariable(name, value) }));
}

function declared(): Record<string, string> {
  const values: Record<string, string> = {};
  for (const { name } of declaredEnv()) {
    const value = permitted(() => envText(name));
    if (value !== undefined) values[name] = value;
  }
  return values;
}

/** Values that the process may not read are omitted. */
function system() {
  const { user, system } = process.cpuUsage();
  return {
    pid: Deno.pid,
    parentPid: permitted(() => Deno.ppid),
    executable: permitted(() => Deno.execPath()),
    workingDirectory: permitted(() => Deno.cwd()),
    hostname: permitted(() => Deno.hostname()),
    user: permitted(() => Deno.uid()),
    group: permitted(() => Deno.gid()),
    processors: navigator.hardwareConcurrency,
    platform: `${Deno.build.os}/${Deno.build.arch}`,
    startTime: new Date(performance.timeOrigin).toISOString(),
    uptimeSeconds: performance.now() / 1000,
    cpuUserSeconds: user / 1e6,
    cpuSystemSeconds: system / 1e6,
    maxResidentBytes: process.resourceUsage().maxRSS * 1024,
  };
}

function commandLine(): string[] {
  return process.argv.map(redactUrls);
}

function words(args: readonly string[]): VNode {
  return table({
    caption: "Words of the command line",
    columns: ["Place", "Word"],
    rows: args.map((word, at) => [at, h("code", null, word)]),
  });
}

/** The members of `version --output json`; `golang_version` has the runtime, as there. */
function version() {
  const { version, revision, status, tag } = buildInfo;
  return { version, revision, golang_version: `deno${Deno.version.deno}`, status, tag };
}
