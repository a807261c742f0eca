/**
 * Keeping the plugin installed: others rewrite the files of a node, tokens are renewed.
 *
 * @module
 */
import { dirname } from "node:path";
import { type Backoff, pauseAfter, sleep } from "../../kit/async/mod.ts";
import { formatDuration } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { applyChange, type Inspection, type Installation, isWaiting } from "./install.ts";
import { StepError } from "./change.ts";
import type { Step } from "./change.ts";
import { type Changes, watchDirectories } from "./watch.ts";

const log = scope("cni-agent");

/** Pauses between repairs, when others change the files again and again. */
const REPAIRS: Backoff = { first: 100, longest: 30_000, growth: 2 };
/** Pauses between attempts that fail. */
const FAILURES: Backoff = { first: 500, longest: 30_000, growth: 2 };
/** Repairs within this time are counted together, milliseconds. */
const QUIET_MS = 60_000;

/** The state of the installation. */
export interface InstallState {
  /**
   * `starting`: nothing was done yet. `waiting`: the node has no network configuration. `failed`: a
   * step failed and is tried again. `installed`. `drifted`: others changed a file, and it is repaired
   * after a pause. `locked`: another agent changes the node at this moment. `superseded`: another process
   * has installed since; this one does nothing while that is so.
   */
  readonly phase:
    | "starting"
    | "waiting"
    | "failed"
    | "installed"
    | "drifted"
    | "locked"
    | "superseded";
  /** The thing that is missing, failed or was found, with a remedy; empty when installed. */
  readonly reason: string;
  /** Name of the network configuration with the entry; empty before. */
  readonly file: string;
  /** Facts for people, such as a configuration that is used in place of the one with the entry. */
  readonly notes: readonly string[];
}

/** Environment of {@link keepInstalled}; tests replace parts. */
export interface KeepOptions {
  /** Called at each change of the state. */
  readonly onState: (state: InstallState) => void;
  /** Called after each installation that changed something, with the step that failed, if one did. */
  readonly onInstall: (failed: Step | undefined) => void;
  readonly signal: AbortSignal;
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
  readonly changes?: Changes;
  readonly repairs?: Backoff;
}

/** Installs the plugin and repairs what others change, until the signal. */
export async function keepInstalled(
  installation: Installation,
  options: KeepOptions,
): Promise<void> {
  const upkeep = new Upkeep(installation, options);
  using changes = options.changes ?? watchDirectories(watchedBy(installation));
  while (!options.signal.aborted) {
    await upkeep.look();
    await changes.next(options.signal);
  }
}

function watchedBy({ settings }: Installation): string[] {
  const { netDir, binaryDir, runDir, orchconfig } = settings;
  return [netDir, binaryDir, runDir, dirname(orchconfig.tokenFile), dirname(orchconfig.caFile)];
}

/** Looks at the node, and repairs it. */
class Upkeep {
  readonly #installation: Installation;
  readonly #options: KeepOptions;
  readonly #now: () => number;
  #isInstalled = false;
  /** Repairs and failures that followed each other. */
  #repairs = 0;
  #failures = 0;
  #repairedAt = 0;
  #said = "";

  constructor(installation: Installation, options: KeepOptions) {
    this.#installation = installation;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Looks once, and waits after a failure. */
  async look(): Promise<void> {
    const { signal } = this.#options;
    try {
      await this.#look();
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof StepError)) throw error;
      await this.#failed(error);
    }
  }

  async #look(): Promise<void> {
    if (await this.#isFollowed()) return;
    const found = await this.#installation.inspect();
    if (found.changes.length === 0 && found.fault === undefined) return this.#succeeded(found);
    if (this.#isInstalled && found.changes.length > 0) await this.#holdOff(found);
    const { signal } = this.#options;
    if (signal.aborted) return;
    const onWait = () => this.#waitForOther();
    await this.#installation.exclusively(() => this.#repair(), { signal, onWait });
  }

  /** Reports if another process has installed since. It may be taken off again: then this one goes on. */
  async #isFollowed(): Promise<boolean> {
    const by = await this.#installation.installedBy();
    const { instance } = this.#installation.settings;
    if (!this.#isInstalled || by === "" || by === instance) return false;
    this.#tell({ phase: "superseded", reason: `${by} has installed since`, file: "", notes: [] });
    return true;
  }

  async #waitForOther(): Promise<void> {
    const { settings } = this.#installation;
    const by = await this.#installation.installedBy();
    const named = by === "" || by === settings.instance ? "" : `; the journal names ${by}`;
    const reason = `another agent changes ${settings.netDir} at this moment${named}`;
    this.#tell({ phase: "locked", reason, file: "", notes: [] });
  }

  /** Waits before a repair if there were others shortly before, so that two programs do not race. */
  async #holdOff({ changes, file }: Inspection): Promise<void> {
    if (this.#now() - this.#repairedAt > QUIET_MS) this.#repairs = 0;
    const reason = changes.map(({ what }) => what).join("; ");
    const notes = this.#repairs === 0 ? [] : [`repaired ${this.#repairs} times in a row`];
    this.#tell({ phase: "drifted", reason, file, notes });
    if (this.#repairs === 0) {
      log.warn("repairing the installation: another program changed it", { found: reason });
      return;
    }
    const pause = pauseAfter(this.#repairs, this.#options.repairs ?? REPAIRS);
    log.warn("another program changes the installation again and again; the repair waits", {
      found: reason,
      repairs: this.#repairs,
      wait: formatDuration(Math.round(pause)),
    });
    await sleep(pause, this.#options.signal);
  }

  /** Makes the changes that are needed. What was found before the lock may be out of date. */
  async #repair(): Promise<void> {
    if (await this.#isFollowed()) return;
    const current = await this.#installation.inspect();
    for (const change of current.changes) {
      log.info("installing", { step: change.step, found: change.what });
      await applyChange(change);
    }
    if (current.fault !== undefined) throw current.fault;
    this.#succeeded(current);
  }

  #succeeded({ changes, file, passedOver, shadowedBy }: Inspection): void {
    this.#failures = 0;
    if (changes.length > 0) {
      if (this.#isInstalled) this.#repairs++;
      this.#repairedAt = this.#now();
      this.#options.onInstall(undefined);
    }
    this.#isInstalled = true;
    const notes = [
      ...shadowedBy === undefined ? [] : [
        `the node uses ${shadowedBy}, whose name comes before ${file}: pods start without the plugin`,
      ],
      ...passedOver.map((one) => `${one.file} is passed over: ${one.why}`),
    ];
    this.#tell({ phase: "installed", reason: "", file, notes });
  }

  async #failed(error: StepError): Promise<void> {
    const reason = [error.message, error.remedy].filter(Boolean).join(". ");
    if (isWaiting(error)) {
      this.#tell({ phase: "waiting", reason: error.message, file: "", notes: [] });
      return;
    }
    this.#failures++;
    this.#options.onInstall(error.step);
    const pause = pauseAfter(this.#failures, FAILURES);
    this.#tell({ phase: "failed", reason, file: "", notes: [`tried ${this.#failures} times`] });
    await sleep(pause, this.#options.signal);
  }

  /** Hands a state on, and logs what was not said in the last message. */
  #tell(state: InstallState): void {
    this.#options.onState(state);
    const said = [state.phase, state.reason, state.file, ...state.notes.filter(isFact)].join("\n");
    if (said === this.#said) return;
    this.#said = said;
    const { phase, reason, file, notes } = state;
    if (phase === "failed") log.error("the installation failed and is tried again", { reason });
    else if (phase === "waiting") log.info(reason);
    else if (phase === "installed") log.info("the plugin is installed", { file });
    else if (phase === "locked") log.warn("the installation waits for another agent", { reason });
    else if (phase === "superseded") {
      log.info("another process has installed the plugin; this one leaves the node as it is", {
        reason,
      });
    }
    for (const note of notes.filter(isFact)) log.warn(note);
  }
}

/** Reports if a note is more than a count. */
function isFact(note: string): boolean {
  return !/^(tried|repaired) \d+ times/.test(note);
}
