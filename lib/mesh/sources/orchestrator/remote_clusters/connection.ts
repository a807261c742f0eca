/**
 * The connection to one other cluster, with the credentials of its secret. Changed credentials open a
 * second connection; the first one is closed once the second has received everything.
 *
 * @module
 */
import { messageOf } from "../../../../kit/base/mod.ts";
import type { Intake } from "../../../ingest/mod.ts";
import { type Logger, scope } from "../../../../kit/log/mod.ts";
import {
  createClient,
  type CredentialOption,
  type FollowTiming,
  type OrchClient,
  type RateOptions,
} from "../../../../kit/orch/mod.ts";
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";
import type { SourceProblem } from "../../files/source_problem.ts";
import type { Followed } from "../../followed.ts";
import {
  PILOT_ENABLE_AMBIENT,
  PILOT_ENABLE_CROSS_CLUSTER_WORKLOAD_ENTRY,
  PILOT_ENABLE_K8S_SELECT_WORKLOAD_ENTRIES,
  PILOT_ENABLE_SERVICEENTRY_SELECT_PODS,
} from "../../variables.ts";
import type { RevisionSelection } from "../revision.ts";
import { followServices, type Registry } from "../services/registry.ts";
import { readSharing } from "../services/sharing.ts";
import { followSecrets, type SecretsSource } from "../secrets/secrets.ts";
import {
  type ClusterCredentialRows,
  createClusterCredentials,
  type CredentialFeed,
} from "./credentials.ts";
import { type ClusterEntries, followEntries } from "./entries.ts";
import { syncTimeouts } from "./metrics.ts";
import { type ClusterRows, createClusterRows, type RowFeed } from "./rows.ts";
import { type ClusterCredentials, type CredentialValidity, openCredentials } from "./secret.ts";
import type { ClusterState, RemoteCluster } from "./state.ts";

const log: Logger = scope("orch");

/** Settings that all clusters share. */
export interface ConnectionSettings {
  /** The only namespace that is read; empty: all. */
  readonly namespace: string;
  /** The namespace whose label names the network of a cluster. */
  readonly systemNamespace: string;
  /** DNS suffix of services. */
  readonly domain: string;
  /** The networks of the mesh; without them no Service is named as a gateway. */
  readonly networks?: Followed<MeshNetworks>;
  readonly allowed: readonly CredentialOption[];
  readonly rate: RateOptions;
  /** Time for the first reading, in milliseconds. */
  readonly timeoutMs: number;
  /** The custom resources that are used; all without it. */
  readonly revision?: RevisionSelection;
  readonly timing?: Partial<FollowTiming>;
}

/** One connection to the cluster. */
interface Attempt {
  readonly credentials: ClusterCredentials;
  readonly validity: CredentialValidity | undefined;
  readonly client: OrchClient;
  readonly feed: RowFeed;
  readonly registry: Registry;
  readonly secrets: SecretsSource;
  readonly secretFeed: CredentialFeed;
  /** `undefined`: they are not read. */
  readonly entries: ClusterEntries | undefined;
}

/** One other cluster. */
export class ClusterConnection {
  readonly #cluster: string;
  readonly #settings: ConnectionSettings;
  readonly #intake: Intake;
  readonly #changed: () => void;
  readonly #rows: ClusterRows;
  readonly #credentials: ClusterCredentialRows;
  readonly #settled = Promise.withResolvers<void>();
  readonly #closing: Promise<void>[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #current: Attempt | undefined;
  #next: Attempt | undefined;
  #state: ClusterState = "syncing";
  /** The reason why the latest credentials cannot be used at all. */
  #refused: { readonly secret: string; readonly error: unknown } | undefined;

  /** @param changed called when another client is in use */
  constructor(
    cluster: string,
    settings: ConnectionSettings,
    { intake, source, changed }: {
      readonly intake: Intake;
      readonly source: string;
      readonly changed: () => void;
    },
  ) {
    this.#cluster = cluster;
    this.#settings = settings;
    this.#intake = intake;
    this.#changed = changed;
    this.#rows = createClusterRows({ cluster, source, intake });
    this.#credentials = createClusterCredentials(cluster, intake);
    this.#timer = setTimeout(() => this.#timeOut(), settings.timeoutMs);
  }

  /** Resolves when it was read, counts as empty, was refused or closed. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  /** The client in use; before the first reading, the one that reads. */
  get client(): OrchClient | undefined {
    return (this.#current ?? this.#next)?.client;
  }

  get refused(): unknown {
    return this.#refused?.error;
  }

  /** True if some credentials serve, whatever happened to later ones. */
  get serves(): boolean {
    return this.#current !== undefined;
  }

  view(): RemoteCluster {
    const shown = this.#current ?? this.#next;
    const resources = (shown?.registry.states() ?? [])
      .map(([resource, state]) => ({ resource, ...state }));
    const faulty = resources.find(({ fault }) => fault !== undefined);
    const others = shown === undefined ? [] : [
      { resource: "secrets", ...shown.secrets.state() },
      ...shown.entries === undefined ? [] : [shown.entries.state()],
    ];
    const refused = this.#refused === undefined ? undefined : messageOf(this.#refused.error);
    const fault = faulty === undefined ? refused : `${faulty.resource}: ${faulty.fault}`;
    return {
      cluster: this.#cluster,
      secret: shown?.credentials.secret ?? this.#refused?.secret ?? "",
      server: shown?.client.access.server ?? "",
      state: this.#state,
      fault: fault ?? this.#nextFault(),
      replacing: this.#current !== undefined && this.#next !== undefined,
      rows: this.#rows.size,
      validity: shown?.validity,
      // Without the right to read these, only they are missing: that is no fault of the cluster.
      resources: [...resources, ...others],
      shared: shown?.registry.shared() ?? [],
    };
  }

  /** Rejected objects. */
  problems(): SourceProblem[] {
    return (this.#current ?? this.#next)?.entries?.problems() ?? [];
  }

  /** Connects with credentials; those in use stay in use until these have received everything. */
  use(credentials: ClusterCredentials): void {
    const latest = this.#next ?? this.#current;
    if (latest?.credentials.digest === credentials.digest && this.#refused === undefined) return;
    this.#drop(this.#next);
    this.#next = undefined;
    this.#refused = undefined;
    if (this.#current?.credentials.digest === credentials.digest) return;
    try {
      this.#open(credentials);
    } catch (error) {
      this.#refused = { secret: credentials.secret, error };
      this.#intake.synced();
      this.#settled.resolve();
    }
    this.#changed();
  }

  /** Deletes the rows and ends all connections. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#state = "closed";
    for (const attempt of [this.#current, this.#next]) this.#drop(attempt);
    this.#current = this.#next = undefined;
    this.#rows.clear();
    this.#credentials.clear();
    this.#intake.health(undefined);
    this.#intake.synced();
    this.#settled.resolve();
    this.#changed();
    await Promise.all(this.#closing);
  }

  /** Ends all connections; the rows stay. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    for (const attempt of [this.#current, this.#next]) this.#drop(attempt);
    this.#settled.resolve();
    await Promise.all(this.#closing);
  }

  #open(credentials: ClusterCredentials): void {
    const { allowed, rate, namespace, systemNamespace, domain, networks, timing } = this.#settings;
    const { access, validity } = openCredentials(credentials, allowed);
    const client = createClient(access, { rate });
    const feed = this.#rows.feed();
    const readsEntries = PILOT_ENABLE_CROSS_CLUSTER_WORKLOAD_ENTRY.get();
    const registry = followServices({
      client,
      source: this.#cluster,
      intake: feed,
      namespace,
      systemNamespace,
      domain,
      networks,
      selectEntries: readsEntries && PILOT_ENABLE_K8S_SELECT_WORKLOAD_ENTRIES.get(),
      selectPods: PILOT_ENABLE_SERVICEENTRY_SELECT_PODS.get(),
      ambient: PILOT_ENABLE_AMBIENT.get(),
      sharing: readSharing(),
      stateChanged: () => this.#stateChanged(),
      ...(timing === undefined ? {} : { timing }),
    });
    const secretFeed = this.#credentials.feed();
    const secrets = followSecrets({
      client,
      cluster: this.#cluster,
      intake: { settings: secretFeed.settings, synced: () => {}, health: () => {} },
      namespace,
      ...(timing === undefined ? {} : { timing }),
    });
    const entries = readsEntries
      ? followEntries({ ...this.#settings, client, cluster: this.#cluster, intake: feed })
      : undefined;
    const attempt = { credentials, validity, client, feed, registry, secrets, secretFeed, entries };
    this.#next = attempt;
    log.info("connecting to a remote cluster", {
      cluster: this.#cluster,
      secret: credentials.secret,
      server: access.server,
    });
    Promise.all([registry.synced, secrets.ready, entries?.ready])
      .then(() => this.#promote(attempt));
  }

  /** Makes an attempt that has received everything the one in use. */
  #promote(attempt: Attempt): void {
    if (attempt !== this.#next || this.#state === "closed") return;
    const before = this.#current;
    this.#current = attempt;
    this.#next = undefined;
    this.#state = "synced";
    clearTimeout(this.#timer);
    attempt.feed.use();
    attempt.secretFeed.use();
    this.#drop(before);
    this.#intake.synced();
    this.#settled.resolve();
    log.info(before === undefined ? "a remote cluster is followed" : "credentials were replaced", {
      cluster: this.#cluster,
      secret: attempt.credentials.secret,
      rows: this.#rows.size,
    });
    this.#changed();
    this.#stateChanged();
  }

  #timeOut(): void {
    if (this.#state !== "syncing") return;
    this.#state = "timeout";
    syncTimeouts.inc({ cluster: this.#cluster });
    log.warn("a remote cluster was not read in time; it counts as empty until it is", {
      cluster: this.#cluster,
      reason: this.view().fault ?? "it is still being read",
    });
    this.#intake.synced();
    this.#settled.resolve();
  }

  #drop(attempt: Attempt | undefined): void {
    if (attempt === undefined) return;
    const { registry, secrets, entries, client } = attempt;
    const closing = Promise.all([
      registry.close(),
      secrets[Symbol.asyncDispose](),
      entries?.close(),
    ]).then(() => {}).finally(() => client[Symbol.dispose]());
    this.#closing.push(closing);
  }

  #nextFault(): string | undefined {
    const found = this.#next?.registry.states().find(([, { fault }]) => fault !== undefined);
    if (found === undefined) return undefined;
    const replaced = this.#current === undefined ? "" : "changed credentials: ";
    return `${replaced}${found[0]}: ${found[1].fault}`;
  }

  #stateChanged(): void {
    if (this.#state !== "closed") this.#intake.health(this.view().fault);
  }
}
