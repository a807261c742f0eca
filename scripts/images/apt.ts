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

/** The mirror for a platform. */
export interface Mirror {
  readonly platform: Platform;
  /** Folder for lists of another platform than the machine's. */
  readonly cache: string;
  readonly run: Run;
}

/** Lists that are older are renewed. */
const LISTS_MS = 3_600_000;

/**
 * Runs `apt-get` for packages of a platform. For another than the machine's, it uses lists of its own
 * below `cache`, which are renewed after an hour.
 */
export async function aptGet(
  { platform, cache, run }: Mirror,
  args: readonly string[],
  cwd?: string,
): Promise<Answer> {
  if (isOwn(platform)) return await run(["apt-get", ...args], cwd);
  const state = join(cache, `lists-${platform.name}`);
  const flags = await flagsOf(platform, state);
  const lists = await renewed(state, () => run(["apt-get", ...flags, "-qq", "update"]));
  if (lists?.success === false) return lists;
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

/** Renews the lists if they are old, one process after the other. */
async function renewed(state: string, renew: () => Promise<Answer>): Promise<Answer | undefined> {
  using mark = await Deno.open(join(state, "renewed"), { create: true, read: true, write: true });
  await mark.lock(true);
  const { size, mtime } = await mark.stat();
  if (size > 0 && mtime !== null && Date.now() - mtime.getTime() < LISTS_MS) return undefined;
  const answer = await renew();
  if (answer.success) await mark.write(new TextEncoder().encode("done\n"));
  return answer;
}
