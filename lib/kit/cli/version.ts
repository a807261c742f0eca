import { type BuildInfo, buildInfo } from "../base/mod.ts";
import type { CommandSpec } from "./spec.ts";

/** The command `version`, the same in every program. */
export function versionCommand(build: BuildInfo = buildInfo): CommandSpec {
  return {
    name: "version",
    summary: "Print build version information",
    flags: [
      {
        name: "output",
        short: "o",
        type: "string",
        choices: ["yaml", "json"],
        description: "Output format",
      },
      {
        name: "short",
        short: "s",
        type: "bool",
        default: "true",
        description: "Use --short=false for full version information",
      },
    ],
    run: ({ flags, io }) => {
      io.out(versionText(build, flags.string("output"), flags.bool("short")));
      return 0;
    },
  };
}

function versionText(build: BuildInfo, output: string, short: boolean): string {
  // Readers of this document expect `golang_version`; it has the runtime.
  const client = {
    version: build.version,
    revision: build.revision,
    golang_version: `deno${Deno.version.deno}`,
    status: build.status,
    tag: build.tag,
  };
  if (output === "json") return `${JSON.stringify({ clientVersion: client }, null, 2)}\n`;
  if (output === "yaml") {
    const lines = Object.entries(client).map(([key, value]) =>
      `  ${key}: ${JSON.stringify(value)}`
    );
    return `clientVersion:\n${lines.join("\n")}\n`;
  }
  if (short) return `client version: ${build.version}\n`;
  const fields = [
    `Version:"${client.version}"`,
    `GitRevision:"${client.revision}"`,
    `GolangVersion:"${client.golang_version}"`,
    `BuildStatus:"${client.status}"`,
    `GitTag:"${client.tag}"`,
  ];
  return `client version: version.BuildInfo{${fields.join(", ")}}\n`;
}
