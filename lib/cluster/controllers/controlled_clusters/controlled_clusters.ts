/**
 * Remote clusters that this daemon controls: those without a daemon of their own, whose system namespace
 * names the cluster of this daemon in an annotation.
 *
 * @module
 */
import { messageOf } from "../../../kit/base/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import {
  follow,
  type Following,
  type FollowTiming,
  type ListItem,
  type OrchClient,
  types,
} from "../../../kit/orch/mod.ts";

const log = scope("controllers");

/** Annotation of the system namespace of a remote cluster: ids of clusters, separated by commas. */
export const CONTROL_PLANE_CLUSTERS = "topology.mesh.io/controlPlaneClusters";

/** Remote clusters with their clients. */
export interface ControlSources {
  /** Ids of the clusters. */
  ids(): readonly string[];
  client(cluster: string): OrchClient | undefined;
  /** Calls back after a cluster was added, removed, or got another client. Returns the end of it. */
  subscribe(listener: (cluster: string) => void): () => void;
}

/** Settings of {@link controlClusters}. */
export interface ControlOptions {
  readonly clusters: ControlSources;
  /** Id of the daemon's own cluster. */
  readonly clusterId: string;
  /** The system namespace, which has the same name in all clusters. */
  readonly namespace: string;
  /** Starts the work in one cluster; disposing ends it. */
  readonly start: (cluster: string, client: OrchClient) => AsyncDisposable;
  readonly timing?: Partial<FollowTiming>;
}

export interface ControlledClusters extends AsyncDisposable {
  /** Ids of the clusters that are controlled now, sorted. */
  controlled(): readonly string[];
}

/** Reports if the annotation of a system namespace names a cluster; `*` names all. */
export function namesControlPlane(annotation: string | undefined, clusterId: string): boolean {
  return (annotation ?? "").split(",").map((one) => one.trim())
    .some((one) => one === "*" || one !== "" && one === clusterId);
}

/**
 * Follows the annotation in every remote cluster, and starts and ends the work there with it. A system
 * namespace that is missing or deleted names no cluster.
 */
export function controlClusters(options: ControlOptions): ControlledClusters {
  const held = new Map<string, ControlledCluster>();
  const update = (cluster: string): void => {
    const one = held.get(cluster) ?? new ControlledCluster(cluster, options);
    held.set(cluster, one);
    one.use(options.clusters.client(cluster));
  };
  const end = options.clusters.subscribe(update);
  for (const cluster of options.clusters.ids()) update(cluster);
  return {
    controlled: () =>
      [...held].filter(([, one]) => one.controlled).map(([cluster]) => cluster).sort(),
    async [Symbol.asyncDispose]() {
      end();
      await Promise.all([...held.values()].map((one) => one.close()));
    },
  };
}

/** One remote cluster. */
class ControlledCluster {
  readonly #cluster: string;
  readonly #options: ControlOptions;
  #client: OrchClient | undefined;
  #following: Following<ListItem> | undefined;
  #work: { readonly client: OrchClient; readonly running: AsyncDisposable } | undefined;
  #changes: Promise<void> = Promise.resolve();

  constructor(cluster: string, options: ControlOptions) {
    this.#cluster = cluster;
    this.#options = options;
  }

  get controlled(): boolean {
    return this.#work !== undefined;
  }

  /** Goes on with another client; `undefined`: the cluster is gone. */
  use(client: OrchClient | undefined): void {
    if (client === this.#client) return;
    this.#client = client;
    this.#enqueue(async () => {
      await this.#following?.close();
      this.#following = undefined;
      if (client !== this.#client) return;
      // With changed credentials, the work goes on with the old ones until the namespace was read.
      if (client === undefined) return await this.#set(undefined);
      this.#following = this.#follow(client);
    });
  }

  async close(): Promise<void> {
    this.use(undefined);
    await this.#changes;
  }

  #follow(client: OrchClient): Following<ListItem> {
    const { namespace: name, clusterId, timing } = this.#options;
    const following = follow<ListItem>({
      client,
      type: types.NAMESPACE,
      selection: { fieldSelector: `metadata.name=${name}` },
      convert: (item) => item,
      changed: () => decide(),
      stateChanged: ({ fault }) => {
        if (fault === undefined) return;
        log.warn("the system namespace of a remote cluster cannot be read", {
          cluster: this.#cluster,
          namespace: name,
          reason: fault,
        });
      },
      ...(timing === undefined ? {} : { timing }),
    });
    const decide = () => {
      const metadata = following.get({ name })?.metadata;
      const isControlled = metadata?.deletionTimestamp === undefined &&
        namesControlPlane(metadata?.annotations?.[CONTROL_PLANE_CLUSTERS], clusterId);
      this.#enqueue(async () => {
        if (client === this.#client) await this.#set(isControlled ? client : undefined);
      });
    };
    following.synced.then(decide);
    return following;
  }

  /** Starts or ends the work. */
  async #set(client: OrchClient | undefined): Promise<void> {
    if (this.#work?.client === client) return;
    const before = this.#work;
    this.#work = undefined;
    await before?.running[Symbol.asyncDispose]();
    const cluster = this.#cluster;
    if (client !== undefined) {
      this.#work = { client, running: this.#options.start(cluster, client) };
      if (before === undefined) log.info("this daemon controls a remote cluster", { cluster });
    } else if (before !== undefined) {
      log.info("this daemon no longer controls a remote cluster", { cluster });
    }
  }

  /** One change after another. */
  #enqueue(change: () => Promise<void>): void {
    this.#changes = this.#changes.then(change).catch((error) => {
      const reason = messageOf(error);
      log.error("a remote cluster cannot be controlled", { cluster: this.#cluster, reason });
    });
  }
}
