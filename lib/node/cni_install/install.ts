/**
 * The installation: what has to change on the node, and the removal.
 *
 * @module
 */
import { binaryPath, BinaryStep, orchconfigPath, planOrchconfig } from "./binary.ts";
import { type Change, type Step, StepError, Waiting } from "./change.ts";
import { type PassedOver, usedByRuntime } from "./choose.ts";
import {
  DISK,
  lockDirectory,
  type LockOptions,
  type NodeFiles,
  readJournal,
  removeFile,
  removeJournal,
  removeUnfinished,
  writeJournal,
} from "./disk/mod.ts";
import { type NetworkPlan, planNetwork } from "./network.ts";
import { restoreNetwork, takeOutEntries } from "./restore.ts";
import type { InstallSettings } from "./settings.ts";

/** The state of the node, compared with what it should be. */
export interface Inspection {
  /** The changes that are needed, in order. */
  readonly changes: readonly Change[];
  /** The first step that cannot be done; those behind it are not looked at. */
  readonly fault?: StepError;
  /** The network configuration with the entry; empty when there is none. */
  readonly file: string;
  readonly passedOver: readonly PassedOver[];
  /** The configuration that runtimes use in its place, if they use another one. */
  readonly shadowedBy?: string;
}

/** An installation on a node. */
export interface Installation {
  readonly settings: InstallSettings;
  /** Compares the node with what it should be, without changes. */
  inspect(): Promise<Inspection>;
  /**
   * Runs while no other agent changes the node. An agent that is killed meanwhile holds nobody up.
   *
   * @throws StepError when the lock cannot be taken; the reason of the signal when that ends the wait
   */
  exclusively<T>(run: () => Promise<T>, options?: LockOptions): Promise<T>;
  /** The process that installed last; empty when nothing is installed. */
  installedBy(): Promise<string>;
  /** Takes everything off the node that was installed. */
  remove(): Promise<void>;
}

/** Creates an installation; nothing is read or written before its methods are called. */
export function openInstallation(
  settings: InstallSettings,
  files: NodeFiles = DISK,
): Installation {
  const binary = new BinaryStep(settings, files);
  return {
    settings,
    inspect: () => inspect(settings, files, binary),
    async exclusively(run, options) {
      using _ = await lockStep(settings.netDir, options);
      return await run();
    },
    installedBy: () =>
      step("network", async () => (await readJournal(files, settings.netDir))?.instance ?? ""),
    remove: () => remove(settings, files),
  };
}

async function inspect(
  settings: InstallSettings,
  files: NodeFiles,
  binary: BinaryStep,
): Promise<Inspection> {
  const changes: (Change | undefined)[] = [];
  let network: NetworkPlan | undefined;
  let fault: StepError | undefined;
  try {
    changes.push(await step("binary", () => binary.plan()));
    changes.push(await step("orchconfig", () => planOrchconfig(settings, files)));
    network = await step("network", () => planNetwork(settings, files));
    changes.push(network.change);
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    fault = error;
  }
  const { file = "", chosen = "", passedOver = [] } = network ?? {};
  const used = network === undefined ? undefined : await usedByRuntime(files, settings.netDir);
  const isShadowed = used !== undefined && used !== file && used !== chosen;
  return {
    changes: changes.filter((one) => one !== undefined),
    file,
    passedOver,
    ...fault !== undefined && { fault },
    ...isShadowed && { shadowedBy: used },
  };
}

/**
 * Makes one change.
 *
 * @throws StepError
 */
export async function applyChange(change: Change): Promise<void> {
  await step(change.step, () => change.apply());
}

/**
 * Installs what is missing on the node.
 *
 * @returns what was changed, in words
 * @throws StepError
 */
export async function installPlugin(installation: Installation): Promise<readonly string[]> {
  return await installation.exclusively(async () => {
    const { changes, fault } = await installation.inspect();
    for (const change of changes) await applyChange(change);
    if (fault !== undefined) throw fault;
    return changes.map(({ what }) => what);
  });
}

async function lockStep(dir: string, options?: LockOptions): Promise<Disposable | undefined> {
  try {
    return await lockDirectory(dir, options);
  } catch (error) {
    if (options?.signal?.aborted) throw error;
    throw new StepError("network", error);
  }
}

async function step<T>(name: Step, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof StepError ? error : new StepError(name, error);
  }
}

/** Reports if an error says that the node has no network configuration yet. */
export function isWaiting(error: unknown): boolean {
  return error instanceof StepError && error.cause instanceof Waiting;
}

/** The network first, so that no runtime looks for a plugin that is gone; the journal last. */
async function remove(settings: InstallSettings, files: NodeFiles): Promise<void> {
  const { netDir, binaryDir, runDir } = settings;
  const journal = await readJournal(files, netDir);
  if (journal !== undefined) {
    await writeJournal(files, netDir, { ...journal, state: "removing" });
    await restoreNetwork(files, netDir, journal);
  }
  await takeOutEntries(files, netDir);
  await removeFile(files, orchconfigPath(settings));
  await removeFile(files, binaryPath(settings));
  for (const dir of [netDir, binaryDir, runDir]) await removeUnfinished(files, dir);
  await removeJournal(files, netDir);
}
