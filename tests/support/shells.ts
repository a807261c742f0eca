/**
 * Interactive shells in a terminal, with the project's programs on the PATH and without user
 * settings.
 *
 * @module
 */
import { eventually, programWords } from "../../scripts/harness/mod.ts";
import { isInstalled } from "./installed.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

/** A shell that the completion scripts are for. */
export type ShellName = "bash" | "fish" | "zsh";

/** Start command of a shell, and the command that loads a completion script. */
interface ShellRow {
  readonly command: readonly string[];
  readonly load: (script: string) => string;
}

const SHELLS: Readonly<Record<ShellName, ShellRow>> = {
  bash: {
    command: ["bash", "--norc", "--noprofile", "-i"],
    load: (script) => `source <(${script})`,
  },
  fish: { command: ["fish", "--no-config", "-i"], load: (script) => `${script} | source` },
  zsh: {
    command: ["zsh", "-f", "-i"],
    load: (script) => `autoload -U compinit && compinit -D -u; source <(${script})`,
  },
};

/** Why a shell cannot be run here; `undefined` when it can. */
export function whyNoShell(shell: ShellName): string | undefined {
  const missing = [shell, "python3"].find((name) => !isInstalled(name));
  return missing === undefined ? undefined : `needs ${missing}`;
}

/** A shell that waits for keys, in a folder of its own. */
export interface Shell extends AsyncDisposable {
  readonly terminal: Terminal;
  /** The folder, which is also the user's home. */
  readonly folder: string;
}

/** Starts a shell and has it load the completion script of a program. */
export async function openShell(
  shell: ShellName,
  program: string,
  flags: readonly string[] = [],
): Promise<Shell> {
  const folder = await Deno.makeTempDir({ prefix: "mesh-shell-" });
  await Deno.mkdir(`${folder}/bin`);
  const words = [Deno.execPath(), ...programWords(program)].map((word) => `'${word}'`);
  const script = `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`;
  await Deno.writeTextFile(`${folder}/bin/${program}`, script, { mode: 0o755 });
  const { command, load } = SHELLS[shell];
  const path = `${folder}/bin:${Deno.env.get("PATH") ?? ""}`;
  const terminal = openTerminal(command, { PATH: path, HOME: folder, ZDOTDIR: folder });
  const close = async (): Promise<void> => {
    await terminal[Symbol.asyncDispose]();
    // Programs that the shell started may write for a moment after it has exited.
    await eventually("the folder to go", async () => {
      await Deno.remove(folder, { recursive: true });
      return true;
    });
  };
  try {
    // Input before the shell reads is echoed twice, and may be lost.
    await terminal.shows(PROMPT);
    const line = [`cd ${folder}`, load([program, "completion", shell, ...flags].join(" "))];
    // The quotes keep the line that is typed from looking like what it prints.
    await terminal.type(`${line.join("; ")}; echo rea''dy\r`);
    await terminal.shows(/ready/);
  } catch (e) {
    await close();
    throw e;
  }
  return { terminal, folder, [Symbol.asyncDispose]: close };
}

/** Suffix of the prompts of all three shells, for root and for others. */
const PROMPT = /[#$%>] *$/;
