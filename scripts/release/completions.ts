/**
 * Completion files of `meshctl`, as packages install them.
 *
 * @module
 */
import { join } from "../paths.ts";
import { type ReleaseContext, ROOT } from "./context.ts";
import { textEntry, writeTarGz } from "./files.ts";

/** Paths below `/usr/share` by shell. */
const PATHS: Readonly<Record<string, string>> = {
  bash: "bash-completion/completions/meshctl",
  fish: "fish/vendor_completions.d/meshctl.fish",
  zsh: "zsh/site-functions/_meshctl",
  powershell: "powershell/meshctl.ps1",
};

/** Makes the archive of completions and returns its name. */
export async function makeCompletions(
  { facts, into, progress }: ReleaseContext,
): Promise<string> {
  progress("writing completions");
  const entries = [];
  for (const [shell, path] of Object.entries(PATHS)) {
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "-q", join(ROOT, "main.ts"), "meshctl", "completion", shell],
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    entries.push(textEntry(`share/${path}`, new TextDecoder().decode(stdout)));
  }
  const name = `meshctl-${facts.version}-completions.tar.gz`;
  await writeTarGz(entries, join(into, name));
  return name;
}
