/**
 * Source of configuration objects: the custom resources and namespaces of an orchestrator.
 *
 * @module
 */
import type { Intake } from "../../ingest/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import type { ConfigObject } from "../../model/mod.ts";
import type { FollowState, FollowTiming, OrchClient } from "../../../kit/orch/mod.ts";
import type { Kind, SchemaProblem } from "../../schema/mod.ts";
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";
import { createProblemReporter } from "../files/problem_reporter.ts";
import type { SourceProblem } from "../files/source_problem.ts";
import type { Followed } from "../followed.ts";
import { followKind, type KindObjects } from "./kind_objects.ts";
import { followServices, type Registry } from "./services/registry.ts";
import { readSharing, type SharedService } from "./services/sharing.ts";
import {
  PILOT_ENABLE_AMBIENT,
  PILOT_ENABLE_K8S_SELECT_WORKLOAD_ENTRIES,
  PILOT_ENABLE_SERVICEENTRY_SELECT_PODS,
} from "../variables.ts";
import { readKinds } from "./objects.ts";
import type { RevisionSelection } from "./revision.ts";

const log = scope("orch");

/** Settings of the source. */
export interface OrchestratorOptions {
  readonly client: OrchClient;
  /** `meta.origin.source` of the objects. */
  readonly source: string;
  readonly intake: Intake;
  /** The only namespace that is read; empty: all. */
  readonly namespace: string;
  /** The namespace whose label names the network of the cluster. */
  readonly systemNamespace: string;
  /** DNS suffix of services. */
  readonly domain: string;
  /** The networks of the mesh; without them no Service is named as a gateway. */
  readonly networks?: Followed<MeshNetworks>;
  /** The custom resources that are read; all without it. */
  readonly revision?: RevisionSelection;
  /** Kinds that are read. */
  readonly kinds?: readonly Kind[];
  readonly timing?: Partial<FollowTiming>;
}

/** A followed resource type, for the debug page. */
export interface FollowedResource extends FollowState {
  /** Plural and group, such as `gateways.networking.mesh.io`. */
  readonly resource: string;
}

/** The followed objects of an orchestrator. */
export interface OrchestratorObjects {
  /** Resolves when all objects of all kinds were received once, or the source was closed. */
  readonly synced: Promise<void>;
  /** Objects in use, and the rows of Services. */
  objects(): readonly ConfigObject[];
  problems(): readonly SourceProblem[];
  warnings(): readonly SchemaProblem[];
  resources(): FollowedResource[];
  /** Services that are exported to other clusters, or imported. */
  shared(): SharedService[];
  close(): Promise<void>;
}

/** Follows all kinds. Kinds that the server does not have are looked for again and again. */
export function followObjects(options: OrchestratorOptions): OrchestratorObjects {
  return new Source(options);
}

class Source implements OrchestratorObjects {
  readonly synced: Promise<void>;
  readonly #options: OrchestratorOptions;
  readonly #kinds: readonly KindObjects[];
  readonly #registry: Registry;
  readonly #unsubscribe: () => void;
  readonly #reporter = createProblemReporter(log);
  #fault: string | undefined;

  constructor(options: OrchestratorOptions) {
    this.#options = options;
    this.#kinds = (options.kinds ?? readKinds()).map((kind) =>
      followKind(kind, {
        ...options,
        changed: () => this.#reporter.report(this.#problems(), this.warnings()),
        stateChanged: () => this.#stateChanged(),
      })
    );
    this.#registry = followServices({
      ...options,
      selectEntries: PILOT_ENABLE_K8S_SELECT_WORKLOAD_ENTRIES.get(),
      selectPods: PILOT_ENABLE_SERVICEENTRY_SELECT_PODS.get(),
      ambient: PILOT_ENABLE_AMBIENT.get(),
      sharing: readSharing(),
      stateChanged: () => this.#stateChanged(),
    });
    const { revision } = options;
    this.#unsubscribe = revision?.onChange(() => {
      for (const kind of this.#kinds) kind.select();
    }) ?? (() => {});
    const synced = this.#kinds.map((kind) => kind.synced);
    this.synced = Promise.all([...synced, this.#registry.synced, revision?.synced]).then(() => {
      const absent = this.#kinds.filter((kind) => kind.isCustom && kind.state().absent);
      if (absent.length > 0) {
        const resources = absent.map(({ resource }) => resource);
        log.warn("the orchestrator does not have all kinds; install their definitions", {
          resources,
        });
      }
      options.intake.synced();
    });
  }

  objects(): ConfigObject[] {
    return [
      ...this.#kinds.flatMap((kind) => kind.objects()),
      ...this.#registry.services(),
    ];
  }

  problems(): SourceProblem[] {
    return this.#reporter.dated(this.#problems());
  }

  warnings(): SchemaProblem[] {
    return this.#kinds.flatMap((kind) => kind.warnings());
  }

  shared(): SharedService[] {
    return this.#registry.shared();
  }

  resources(): FollowedResource[] {
    return [
      ...this.#kinds.map((kind) => ({ resource: kind.resource, ...kind.state() })),
      ...this.#registry.states().map(([resource, state]) => ({ resource, ...state })),
    ];
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    await Promise.all([...this.#kinds.map((kind) => kind.close()), this.#registry.close()]);
  }

  #problems(): SourceProblem[] {
    return this.#kinds.flatMap((kind) => kind.problems());
  }

  /** Reports one reason for all kinds: they are on one server. */
  #stateChanged(): void {
    const faulty = this.resources().filter(({ fault }) => fault !== undefined);
    const [first] = faulty;
    const fault = first === undefined ? undefined : `${first.resource}: ${first.fault}`;
    const was = this.#fault;
    this.#fault = fault;
    this.#options.intake.health(fault);
    if (was === undefined && fault !== undefined) {
      const line = { reason: fault };
      log.warn("the orchestrator cannot be followed; the last configuration stays in use", line);
    } else if (was !== undefined && fault === undefined) {
      log.info("the orchestrator is followed again");
    }
  }
}
