/**
 * The configuration file: defaults of flags, as YAML with the names of the flags as keys.
 *
 * @module
 */
import { messageOf } from "../../lib/kit/base/mod.ts";
import { type Configured, type Io, NO_CONFIGURED, suggest } from "../../lib/kit/cli/mod.ts";
import { envText } from "../../lib/kit/env/mod.ts";
import { MESHCONFIG, MESHCTL_PREFER_EXPERIMENTAL } from "./variables.ts";

/** Settings that the file and the environment may have. */
export const SETTINGS: readonly string[] = [
  "meshNamespace",
  "xds-address",
  "xds-port",
  "cert-dir",
  "authority",
  "insecure",
  "plaintext",
  "prefer-experimental",
];

/** The path of the configuration file; empty without `MESHCONFIG` and home directory. */
export function settingsFile(): string {
  const named = readable(() => MESHCONFIG.get()) ?? "";
  const home = readable(() => envText("HOME")) ?? "";
  return named !== "" ? named : home === "" ? "" : `${home}/.meshctl/config.yaml`;
}

/**
 * Reads the configuration file. A missing one has no values. One that cannot be read gives a
 * warning: no command should fail because of a default.
 */
export async function readSettings(io: Io): Promise<Configured> {
  const file = settingsFile();
  if (file === "") return NO_CONFIGURED;
  let text: string;
  try {
    text = await Deno.readTextFile(file);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) warn(io, file, messageOf(error));
    return NO_CONFIGURED;
  }
  const { readYaml } = await import("../../lib/kit/text/mod.ts");
  const [first] = readYaml(text);
  if (first?.problem !== undefined) {
    warn(io, `${file}:${first.problem.line}`, first.problem.message);
  }
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(first?.document?.value ?? {})) {
    if (!SETTINGS.includes(name)) {
      const [near] = suggest(name, SETTINGS);
      warn(
        io,
        file,
        `unknown setting ${name}${near === undefined ? "" : `; did you mean ${near}?`}`,
      );
    } else if (typeof value === "object") warn(io, file, `${name} must be one value`);
    else values.set(name, String(value));
  }
  return { file, values };
}

/** Reports if the experimental form of commands is wanted. */
export function prefersExperimental({ values }: Configured): boolean {
  const variable = readable(() => envText(MESHCTL_PREFER_EXPERIMENTAL.name)) ?? "";
  return (variable === "" ? values.get("prefer-experimental") : variable) === "true";
}

function warn(io: Io, file: string, message: string): void {
  io.err(`Warning: ${file}: ${message}; it is ignored\n`);
}

/** A built program may read only the variables of its permissions; others count as not set. */
function readable(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}
