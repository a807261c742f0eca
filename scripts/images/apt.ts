/**
 * Asking the machine's mirror of Debian for packages, of other architectures too. The machine's own
 * lists and settings of packages stay as they are.
 *
 * @module
 */
import { join } from "../paths.ts";
import { isOwn, type Platform } from "./platforms.ts";

/** Result of a command: what it printed, or what it said of its failure. */
export interface Answer {
  readonly success: boolean;
  readonly text: string;
}

/** Runs a command in a folder. */
export type Run = (command: readonly string[], cwd?: string) => Promise<Answer>;

/** Folders whose lists this process has renewed. */
const renewed = new Map<string, Promise<Answer>>();

/**
 * Runs `apt-get` for packages of a platform. For another than the machine's, it uses lists of its own
 * below `cache`, which the first call of a process renews.
 */
export async function aptGet(
  platform: Platform,
  cache: string,
  run: Run,
  args: readonly string[],
  cwd?: string,
): Promise<Answer> {
  if (isOwn(platform)) return await run(["apt-get", ...args], cwd);
  const state = join(cache, `lists-${platform.name}`);
  const flags = await flagsOf(platform, state);
  if (!renewed.has(state)) {
    renewed.set(state, underLock(state, () => run(["apt-get", ...flags, "-qq", "update"])));
  }
  const lists = await renewed.get(state)!;
  if (!lists.success) return lists;
  return await run(["apt-get", ...flags, ...args], cwd);
}

async function flagsOf({ name }: Platform, state: string): Promise<string[]> {
  for (const folder of ["lists/partial", "cache/archives/partial"]) {
    await Deno.mkdir(join(state, folder), { recursive: true });
  }
  const status = join(state, "status"); // No package is installed.
  await Deno.writeTextFile(status, "", { append: true });
  const settings = {
    "APT::Architecture": name,
    "APT::Architectures": name,
    "APT::Sandbox::User": "",
    "Dir::State": state,
    "Dir::State::status": status,
    "Dir::Cache": join(state, "cache"),
  };
  return Object.entries(settings).map(([key, value]) => `-o=${key}=${value}`);
}

/** One process after the other renews the lists. */
async function underLock(state: string, fn: () => Promise<Answer>): Promise<Answer> {
  using file = await Deno.open(join(state, "lock-of-mesh"), { create: true, write: true });
  await file.lock(true);
  return await fn();
}
