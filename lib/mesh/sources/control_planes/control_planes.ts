/**
 * The control planes that `configSources` of the mesh configuration name (`xds://HOST:PORT`), in the
 * order of precedence.
 *
 * @module
 */
import { canonicalJson } from "../../../kit/base/mod.ts";
import type { Ingest, Intake } from "../../ingest/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import type { ConfigObject } from "../../model/mod.ts";
import { type JsonValue, toJson } from "../../../kit/proto/mod.ts";
import { controlPlaneOf, type SchemaProblem } from "../../schema/mod.ts";
import {
  type ConfigSource,
  ConfigSourceSchema,
  type MeshConfig,
} from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { SourceProblem } from "../files/source_problem.ts";
import type { Followed } from "../followed.ts";
import type { ClientNode } from "./connection.ts";
import { createHeldObjects, type HeldObjects } from "./held.ts";
import { type ControlPlane, followControlPlane } from "./control_plane.ts";

const log = scope("xds-source");

/** Settings of the source. */
export interface ControlPlanesOptions {
  readonly mesh: Followed<MeshConfig>;
  readonly node: ClientNode;
  readonly ingest: Pick<Ingest, "open">;
  /** Aborted when the daemon is to end while it waits. */
  readonly signal: AbortSignal;
}

/** Control planes that are followed. */
export interface ControlPlanes {
  objects(): readonly ConfigObject[];
  problems(): readonly SourceProblem[];
  warnings(): readonly SchemaProblem[];
  close(): Promise<void>;
}

/** One of them, with the settings that it was started with. */
interface Running {
  readonly settings: string;
  readonly source: ControlPlane;
}

/**
 * Connects to the control planes and waits until each has sent all its objects; follows changes of the
 * list from then on. Objects of a control plane that is no longer listed are deleted.
 *
 * @returns `undefined` when `signal` aborted the wait
 */
export async function startControlPlanes(
  options: ControlPlanesOptions,
): Promise<ControlPlanes | undefined> {
  const planes = new Planes(options);
  if (await planes.synced(options.signal)) return planes;
  await planes.close();
  return undefined;
}

class Planes implements ControlPlanes {
  readonly #options: ControlPlanesOptions;
  readonly #running = new Map<string, Running>();
  /** Kept for sources that are no longer listed, too: they may be listed again. */
  readonly #inputs = new Map<string, { intake: Intake; held: HeldObjects }>();
  readonly #unsubscribe: () => void;
  #work: Promise<void> = Promise.resolve();

  constructor(options: ControlPlanesOptions) {
    this.#options = options;
    const update = (config: MeshConfig): void => {
      this.#work = this.#work.then(() => this.#update(config));
    };
    this.#unsubscribe = options.mesh.subscribe(update);
    update(options.mesh.current());
  }

  /** Waits for the initial sets; false when `signal` is aborted before. */
  async synced(signal: AbortSignal): Promise<boolean> {
    await this.#work;
    if (this.#running.size === 0) return true;
    log.info("waiting for other control planes", { sources: [...this.#running.keys()] });
    return await Promise.race([
      Promise.all([...this.#running.values()].map(({ source }) => source.synced)).then(() => true),
      whenAborted(signal).then(() => false),
    ]);
  }

  objects(): readonly ConfigObject[] {
    return this.#all((source) => source.objects());
  }

  problems(): readonly SourceProblem[] {
    return this.#all((source) => source.problems());
  }

  warnings(): readonly SchemaProblem[] {
    return this.#all((source) => source.warnings());
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    await this.#work;
    await Promise.all([...this.#running.values()].map(({ source }) => source.close(false)));
  }

  #all<T>(part: (source: ControlPlane) => readonly T[]): T[] {
    return [...this.#running.values()].flatMap(({ source }) => part(source));
  }

  async #update({ configSources }: Pick<MeshConfig, "configSources">): Promise<void> {
    const wanted = new Map(configSources.map((one) => [one.address, one]));
    for (const [name, { source, settings }] of this.#running) {
      const next = wanted.get(name);
      if (next !== undefined && settingsOf(next) === settings) continue;
      this.#running.delete(name);
      // With other settings of the connection, the objects stay until the new one has sent its own.
      await source.close(next === undefined);
    }
    const { node } = this.#options;
    for (const [name, one] of wanted) {
      const target = controlPlaneOf(name);
      if (target === undefined || this.#running.has(name)) continue;
      const options = { name, target, tls: one.tlsSettings, node, ...this.#inputOf(name) };
      this.#running.set(name, { source: followControlPlane(options), settings: settingsOf(one) });
    }
  }

  #inputOf(name: string): { intake: Intake; held: HeldObjects } {
    const input = this.#inputs.get(name) ??
      { intake: this.#options.ingest.open(name), held: createHeldObjects(name) };
    this.#inputs.set(name, input);
    return input;
  }
}

function settingsOf(source: ConfigSource): string {
  return canonicalJson(toJson(ConfigSourceSchema, source) as JsonValue);
}

function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((done) => signal.addEventListener("abort", () => done(), { once: true }));
}
