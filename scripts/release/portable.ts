/**
 * The portable archive: bundled programs with scripts that start them with a Deno of the pinned
 * version. It runs on every system that Deno runs on.
 *
 * @module
 */
import { bundles, grantedSet } from "../compile.ts";
import { engineFlags, engineVariables } from "../engine_flags.ts";
import type { TarEntry } from "../images/tar.ts";
import { join, walkFiles } from "../paths.ts";
import { type ReleaseContext, ROOT } from "./context.ts";
import { textEntry, writeTarGz } from "./files.ts";

/** Programs that run on systems other than Linux. */
const EVERYWHERE: ReadonlySet<string> = new Set(["meshctl"]);

/** Name of the archive, and of the folder in it. */
export function portableName(version: string): string {
  return `mesh-${version}-portable`;
}

/** Makes the archive and returns its name. */
export async function makePortable(
  { facts, into, progress }: ReleaseContext,
  programs: readonly string[],
): Promise<string> {
  progress(`bundling ${programs.join(", ")} for the portable archive`);
  const work = await Deno.makeTempDir({ prefix: "mesh-portable-" });
  try {
    const folders = await bundles(programs, facts, work);
    const name = portableName(facts.version);
    const entries = await portableEntries(folders);
    const file = `${name}.tar.gz`;
    await writeTarGz(
      entries.map((entry) => ({ ...entry, path: `${name}/${entry.path}` })),
      join(into, file),
    );
    return file;
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

async function portableEntries(folders: Readonly<Record<string, string>>): Promise<TarEntry[]> {
  const config = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
  const entries: TarEntry[] = [];
  const permissions: Record<string, unknown> = {};
  for (const [program, folder] of Object.entries(folders)) {
    permissions[program] = grantedSet(config.permissions[program]);
    for (const source of (await walkFiles(folder, ".js")).sort()) {
      entries.push({ path: `lib/${program}${source.slice(folder.length)}`, mode: 0o644, source });
    }
    entries.push(textEntry(`bin/${program}`, shellScript(program), 0o755));
    if (EVERYWHERE.has(program)) entries.push(textEntry(`bin/${program}.cmd`, cmdScript(program)));
  }
  const settings = { unstable: config.unstable, permissions };
  entries.push(textEntry("lib/deno.json", `${JSON.stringify(settings, null, 2)}\n`));
  entries.push(textEntry("README.md", readme(Object.keys(folders))));
  entries.push({ path: "LICENSE", mode: 0o644, source: join(ROOT, "LICENSE") });
  return entries;
}

function flagsOf(program: string): string {
  return ["-q", "--no-prompt", "--cached-only", `-P=${program}`, ...engineFlags(program)].join(" ");
}

const PINNED = Deno.version.deno;

function shellScript(program: string): string {
  const variables = ["DENO_NO_UPDATE_CHECK=1", ...engineVariables(program)].join(" ");
  return `#!/bin/sh
# Starts ${program} with Deno ${PINNED}; MESH_DENO names the program, default: deno on the PATH.
deno=\${MESH_DENO:-deno}
home=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
version=$("$deno" --version 2>/dev/null | sed -n '1s/^deno \\([^ ]*\\).*/\\1/p')
if [ "$version" != ${PINNED} ]; then
  echo "Error: ${program} needs Deno ${PINNED}; $deno is \${version:-not there}." >&2
  echo "Install it (https://docs.deno.com/runtime), or set MESH_DENO to its path." >&2
  exit 1
fi
export ${variables}
exec "$deno" run ${flagsOf(program)} -c "$home/lib/deno.json" "$home/lib/${program}/main.js" "$@"
`;
}

function cmdScript(program: string): string {
  return [
    "@echo off",
    "setlocal",
    `if "%MESH_DENO%"=="" set MESH_DENO=deno`,
    `"%MESH_DENO%" --version | findstr /b /c:"deno ${PINNED} " >nul`,
    "if errorlevel 1 (",
    `  echo Error: ${program} needs Deno ${PINNED}. 1>&2`,
    "  exit /b 1",
    ")",
    "set DENO_NO_UPDATE_CHECK=1",
    `"%MESH_DENO%" run ${
      flagsOf(program)
    } -c "%~dp0..\\lib\\deno.json" "%~dp0..\\lib\\${program}\\main.js" %*`,
    "exit /b %errorlevel%",
    "",
  ].join("\r\n");
}

function readme(programs: readonly string[]): string {
  return `# Mesh, portable

The programs of Mesh as bundled modules. They need Deno ${PINNED} and nothing else; they fetch nothing.

    bin/meshctl version

- \`bin/\` has a script for each program: ${programs.join(", ")}. Add it to the PATH.
- \`MESH_DENO\` names the Deno program; default: \`deno\` on the PATH.
- \`meshctl\` also runs on macOS, and on Windows by \`bin\\meshctl.cmd\`. The other programs need Linux.
- The permissions of each program are those of \`lib/deno.json\`, except that it may read everything.
`;
}
