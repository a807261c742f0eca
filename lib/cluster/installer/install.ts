/**
 * Installs a mesh: examines the cluster, asks, takes the lock, applies group by group, waits, prunes.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import {
  applyObject,
  guardWrites,
  isConflict,
  type OrchClient,
  type OrchObject,
  type ResourceType,
} from "../../kit/orch/mod.ts";
import { compareOne, type Comparison, refused } from "./compare.ts";
import { markActive } from "./default_tag.ts";
import { definitionsOf, untilServed } from "./definitions.ts";
import { forEach } from "./each.ts";
import { type Examination, examine, requireNoConflicts } from "./examine.ts";
import { type Kinds, readKinds } from "./kinds.ts";
import { type InstallLock, takeLock } from "./lock.ts";
import { createNamespaces } from "./namespaces.ts";
import { inStages } from "./order.ts";
import {
  type Component,
  identityOf,
  type Installation,
  MANAGER,
  nameOf,
  phasesOf,
  titleOf,
} from "./plan.ts";
import { previewLines } from "./preview.ts";
import { removeAll } from "./prune.ts";
import { untilReady } from "./readiness.ts";
import type { Report } from "./report.ts";

/** Settings of an installation. */
export interface InstallOptions {
  /** Its requests end with the command. */
  readonly client: OrchClient;
  /** Its requests do not: it gives the lock back. */
  readonly lockClient: OrchClient;
  readonly installation: Installation;
  /** True: fields of others are taken over, and a newer mesh is replaced. */
  readonly force: boolean;
  /** Longest wait for each group of components, in milliseconds. */
  readonly readinessMs: number;
  readonly report: Report;
  readonly signal: AbortSignal;
  /** Asks whether to go on, after warnings were shown. */
  readonly agree: (examination: Examination) => Promise<boolean>;
}

/** Shows what would change; nothing is written. */
export async function previewInstallation(
  { client, installation, force, report }: Pick<
    InstallOptions,
    "client" | "installation" | "force" | "report"
  >,
): Promise<string[]> {
  const found = await examine({ client, kinds: readKinds(client), installation, force });
  for (const warning of found.warnings) report.say(`Warning: ${warning}`);
  return previewLines(found.compared, found.pruned, found.newNamespaces);
}

/**
 * Installs.
 *
 * @returns false if the user did not agree
 */
export async function install(options: InstallOptions): Promise<boolean> {
  const { client, lockClient, installation, report, signal } = options;
  const kinds = readKinds(client);
  report.step("- Looking at the cluster");
  const found = await examine({ ...options, kinds });
  for (const warning of found.warnings) report.say(`Warning: ${warning}`);
  requireNoConflicts(found);
  report.mark("examination");
  if (!await options.agree(found)) return false;
  report.mark("confirmation");
  await createNamespaces(client, found.newNamespaces);
  const { namespace } = installation;
  const waiting = (text: string): void => report.say(text);
  await using lock = isUnchanged(found)
    ? undefined
    : await takeLock({ client: lockClient, namespace, waiting, signal });
  report.mark("lock");
  await new Work(options, kinds, lock).run(found);
  return true;
}

/** True if there is nothing to write, for which no lock is needed. */
function isUnchanged({ compared, pruned, newNamespaces }: Examination): boolean {
  return newNamespaces.size + pruned.length === 0 &&
    compared.every(({ state }) => state === "same");
}

/** An installation under its lock. */
class Work {
  readonly #options: InstallOptions;
  readonly #kinds: Kinds;
  readonly #client: OrchClient;
  readonly #signal: AbortSignal;
  #applied = 0;

  constructor(options: InstallOptions, kinds: Kinds, lock: InstallLock | undefined) {
    this.#options = options;
    this.#kinds = kinds;
    // A lock that was lost ends the attempt before it is sent.
    const guard = async (): Promise<void> => await lock?.check();
    this.#client = guardWrites(options.client, guard);
    this.#signal = AbortSignal.any([options.signal, ...lock === undefined ? [] : [lock.lost]]);
  }

  async run(found: Examination): Promise<void> {
    const { installation: { components }, report } = this.#options;
    const compared = new Map(found.compared.map((one) => [identityOf(one.object), one]));
    const total = found.compared.filter(({ state }) => state !== "same").length;
    try {
      for (const phase of phasesOf(components)) {
        await this.#install(phase, components, compared);
        report.installed(phase.map(({ component }) => component));
      }
      for (const { object } of found.pruned) report.pass(`- Removing ${nameOf(object)}`);
      await removeAll(this.#client, found.pruned);
      if (found.pruned.length > 0) report.mark("removal of old objects");
    } catch (error) {
      if (!this.#options.signal.aborted) throw error;
      throw interrupted(this.#applied, total);
    }
  }

  /** Applies components and waits until they are ready. */
  async #install(
    phase: readonly Component[],
    all: readonly Component[],
    compared: ReadonlyMap<string, Comparison>,
  ): Promise<void> {
    const { report, readinessMs } = this.#options;
    const title = [...new Set(phase.map(({ component }) => titleOf(component)))].join(", ");
    const objects = phase.flatMap((one) => one.objects);
    report.step(`- ${title}: applying ${objects.length} objects`);
    for (const stage of inStages(objects)) {
      await forEach(stage, (object) => this.#apply(object, compared.get(identityOf(object))));
      const definitions = definitionsOf(stage);
      if (definitions.length === 0) continue;
      await untilServed(this.#client, this.#kinds, definitions, this.#signal);
    }
    report.mark(`${title}: applied`);
    await untilReady({
      ...{ client: this.#client, title, report, timeoutMs: readinessMs, signal: this.#signal },
      objects: withServices(objects, all),
    });
    report.mark(`${title}: ready`);
  }

  /** Applies an object, unless the comparison found it unchanged. */
  async #apply(object: OrchObject, compared: Comparison | undefined): Promise<void> {
    this.#signal.throwIfAborted();
    if (compared === undefined || compared.state === "same") return;
    const type = await this.#kinds.typeOf(object) ?? compared.type;
    try {
      if (compared.isReactivated) await markActive(this.#client, object);
      await this.#write(type, compared);
      this.#applied++;
    } catch (error) {
      this.#signal.throwIfAborted();
      throw refused(object, error);
    }
  }

  /** Writes what was compared; what others wrote since then is compared again. */
  async #write(type: ResourceType, compared: Comparison): Promise<void> {
    const force = this.#options.force || compared.isReactivated === true;
    const objects = this.#options.installation.components.flatMap((one) => one.objects);
    let wanted = compared.object;
    while (true) {
      try {
        await applyObject(this.#client, type, wanted, { manager: MANAGER, force });
        return;
      } catch (error) {
        if (!isConflict(error)) throw error;
        const options = { client: this.#client, objects, force };
        const now = await compareOne(options, compared.whole, type);
        if (now.conflicts.length > 0) throw error;
        wanted = now.object;
      }
    }
  }
}

/**
 * The objects to wait for. A webhook of an earlier group, such as that of the definitions, is ready
 * when the daemon is: it is waited for with the group of its Service.
 */
function withServices(
  objects: readonly OrchObject[],
  all: readonly Component[],
): readonly OrchObject[] {
  if (!objects.some(({ kind }) => kind === "Service")) return objects;
  const known = new Set(objects.map(identityOf));
  const webhooks = all.flatMap((one) => one.objects).filter((one) =>
    one.kind.endsWith("WebhookConfiguration") && !known.has(identityOf(one))
  );
  return [...objects, ...webhooks];
}

function interrupted(applied: number, total: number): MeshError {
  return new MeshError(
    "install-interrupted",
    `interrupted: ${applied} of ${total} objects were applied, and stay`,
    { remedy: "Run the same command again to finish, or meshctl uninstall to remove them." },
  );
}
