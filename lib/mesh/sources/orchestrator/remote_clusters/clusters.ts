/**
 * Other clusters: the secrets that name them are followed, and each of them is a source of services.
 *
 * @module
 */
import { endsWithin } from "../../../../kit/async/mod.ts";
import { MeshError, messageOf } from "../../../../kit/base/mod.ts";
import type { Intake } from "../../../ingest/mod.ts";
import { type Logger, scope } from "../../../../kit/log/mod.ts";
import { follow, type Following, type OrchClient, types } from "../../../../kit/orch/mod.ts";
import type { SchemaProblem } from "../../../schema/mod.ts";
import { createProblemReporter } from "../../files/problem_reporter.ts";
import type { SourceProblem } from "../../files/source_problem.ts";
import { ClusterConnection, type ConnectionSettings } from "./connection.ts";
import { observeClusters, secretEvents } from "./metrics.ts";
import {
  CLUSTER_LABEL,
  type ClusterCredentials,
  type ClusterSecret,
  clusterSecret,
} from "./secret.ts";
import type { RemoteCluster } from "./state.ts";

const log: Logger = scope("orch");

/** Credentials that end soon are looked for again after this time, in milliseconds. */
const EXPIRY_CHECK_MS = 3_600_000;
/** Credentials end soon if less than this share of their validity is left. */
const SOON = 0.1;

/** Settings of {@link followClusters}. */
export interface RemoteClustersOptions extends ConnectionSettings {
  /** The client of the cluster that has the secrets. */
  readonly client: OrchClient;
  readonly secretNamespace: string;
  /** Id of the daemon's own cluster, which no secret may name. */
  readonly ownCluster: string;
  /** Opens the intake of a source. */
  readonly open: (source: string) => Intake;
}

/** The other clusters. */
export interface RemoteClusters {
  /** Resolves when each cluster that was named at the start was read, refused, or not read in time. */
  readonly settled: Promise<void>;
  clusters(): RemoteCluster[];
  /** The client of a cluster; `undefined` if no secret names it, or its credentials were refused. */
  client(cluster: string): OrchClient | undefined;
  /** Calls back after a cluster was added, removed, or got another client. Returns the end of it. */
  subscribe(listener: (cluster: string) => void): () => void;
  problems(): readonly SourceProblem[];
  /** Always empty. */
  warnings(): readonly SchemaProblem[];
  /** Ends all connections; the rows stay. */
  close(): Promise<void>;
}

/** Follows the secrets and the clusters that they name. */
export function followClusters(options: RemoteClustersOptions): RemoteClusters {
  return new Clusters(options);
}

class Clusters implements RemoteClusters {
  readonly settled: Promise<void>;
  readonly #options: RemoteClustersOptions;
  readonly #connections = new Map<string, ClusterConnection>();
  readonly #intakes = new Map<string, Intake>();
  readonly #used = new Map<string, ClusterCredentials>();
  readonly #secrets: Following<ClusterSecret>;
  readonly #listeners = new Set<(cluster: string) => void>();
  readonly #reporter = createProblemReporter(log);
  readonly #closing = new Set<Promise<void>>();
  readonly #expiryTimer: ReturnType<typeof setInterval>;
  #rejected: SourceProblem[] = [];
  #warned = new Set<string>();

  constructor(options: RemoteClustersOptions) {
    this.#options = options;
    const { client, secretNamespace: namespace, timing } = options;
    observeClusters(() => this.clusters());
    this.#secrets = follow<ClusterSecret>({
      client,
      type: types.SECRET,
      selection: { namespace, labelSelector: `${CLUSTER_LABEL}=true` },
      convert: clusterSecret,
      changed: () => this.#update(),
      ...(timing === undefined ? {} : { timing }),
    });
    this.#expiryTimer = setInterval(() => this.#checkExpiries(), EXPIRY_CHECK_MS);
    this.settled = this.#settle();
  }

  clusters(): RemoteCluster[] {
    return [...this.#connections.values()].map((one) => one.view());
  }

  client(cluster: string): OrchClient | undefined {
    return this.#connections.get(cluster)?.client;
  }

  subscribe(listener: (cluster: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  problems(): readonly SourceProblem[] {
    return [
      ...this.#reporter.dated(this.#problems()),
      ...[...this.#connections.values()].flatMap((one) => one.problems()),
    ];
  }

  warnings(): readonly SchemaProblem[] {
    return [];
  }

  async close(): Promise<void> {
    clearInterval(this.#expiryTimer);
    await this.#secrets.close();
    const stopping = [...this.#connections.values()].map((one) => one.stop());
    await Promise.all([...stopping, ...this.#closing]);
  }

  /** Secrets that cannot be read do not delay the start for longer than a cluster may. */
  async #settle(): Promise<void> {
    const { timeoutMs, secretNamespace } = this.#options;
    if (!await endsWithin(timeoutMs, this.#secrets.synced)) {
      log.warn("the secrets of remote clusters cannot be read; the daemon starts without them", {
        namespace: secretNamespace,
        reason: this.#secrets.state().fault ?? "no answer",
      });
      return;
    }
    await Promise.all([...this.#connections.values()].map((one) => one.settled));
  }

  /** Brings the connections in line with the secrets. */
  #update(): void {
    const wanted = this.#wanted();
    for (const cluster of [...this.#connections.keys()]) {
      if (!wanted.has(cluster)) this.#remove(cluster);
    }
    for (const [cluster, credentials] of wanted) {
      const last = this.#used.get(cluster);
      const isSame = last?.digest === credentials.digest && last.secret === credentials.secret;
      if (isSame) continue;
      secretEvents.inc({ event: last === undefined ? "add" : "update" });
      this.#used.set(cluster, credentials);
      this.#connection(cluster).use(credentials);
    }
    this.#reporter.report(this.#problems(), []);
    this.#checkExpiries();
  }

  /** The credentials of each cluster; the oldest secret decides. Others become problems. */
  #wanted(): Map<string, ClusterCredentials> {
    const wanted = new Map<string, ClusterCredentials>();
    this.#rejected = [];
    const { ownCluster } = this.#options;
    const secrets = this.#secrets.values()
      .sort((a, b) => a.createdAt - b.createdAt || (a.name < b.name ? -1 : 1));
    for (const credentials of secrets.flatMap((secret) => secret.credentials)) {
      const { cluster, key } = credentials;
      if (cluster === ownCluster) {
        // Secrets of this form hold the daemon's own access to its cluster.
        if (key !== "config") this.#rejected.push(problem(credentials, ownName(cluster)));
        continue;
      }
      const first = wanted.get(cluster);
      if (first === undefined) wanted.set(cluster, credentials);
      else this.#rejected.push(problem(credentials, twice(cluster, first.secret)));
    }
    return wanted;
  }

  #connection(cluster: string): ClusterConnection {
    const known = this.#connections.get(cluster);
    if (known !== undefined) return known;
    const source = `cluster/${cluster}`;
    const intake = this.#intakes.get(cluster) ?? this.#options.open(source);
    this.#intakes.set(cluster, intake);
    const changed = (): void => this.#notify(cluster);
    const connection = new ClusterConnection(cluster, this.#options, { intake, source, changed });
    this.#connections.set(cluster, connection);
    return connection;
  }

  #remove(cluster: string): void {
    const connection = this.#connections.get(cluster)!;
    secretEvents.inc({ event: "delete" });
    log.info("a remote cluster was removed with its secret", { cluster });
    this.#connections.delete(cluster);
    this.#used.delete(cluster);
    const closing = connection.close();
    this.#closing.add(closing);
    closing.finally(() => this.#closing.delete(closing));
  }

  #notify(cluster: string): void {
    for (const listener of this.#listeners) listener(cluster);
  }

  #problems(): SourceProblem[] {
    const refused = [...this.#connections].flatMap(([cluster, connection]) =>
      connection.refused === undefined
        ? []
        : [problem(this.#used.get(cluster)!, connection.refused, connection.serves)]
    );
    return [...this.#rejected, ...refused];
  }

  /** Warns once about credentials that end soon. */
  #checkExpiries(): void {
    const now = Date.now();
    const ending = new Set<string>();
    for (const { cluster, secret, validity } of this.clusters()) {
      if (validity === undefined) continue;
      const { notBefore, notAfter } = validity;
      if (notAfter - now >= SOON * (notAfter - notBefore)) continue;
      const id = `${cluster} ${notAfter}`;
      ending.add(id);
      if (this.#warned.has(id)) continue;
      log.warn("the credentials of a remote cluster end soon; write its secret again", {
        cluster,
        secret,
        notAfter: new Date(notAfter).toISOString(),
      });
    }
    this.#warned = ending;
  }
}

function ownName(cluster: string): MeshError {
  return new MeshError("cluster-own", `${cluster} is the id of the daemon's own cluster`, {
    remedy: "Give the remote cluster another id, or the daemon another --clusterID.",
  });
}

function twice(cluster: string, secret: string): MeshError {
  return new MeshError("cluster-twice", `cluster ${cluster} is in the secret ${secret}, too`, {
    remedy: "Keep one secret for each cluster.",
  });
}

function problem(
  { secret, key }: ClusterCredentials,
  error: unknown,
  lastGoodServes = false,
): SourceProblem {
  const [namespace = "", name = ""] = secret.split("/");
  const known = error instanceof MeshError;
  return {
    file: `secret/${secret}`,
    line: 1,
    column: 1,
    path: `data[${JSON.stringify(key)}]`,
    code: known ? error.code : "cluster-credentials",
    message: messageOf(error),
    remedy: (known ? error.remedy : undefined) ??
      "Write a configuration file (kubeconfig) of the cluster into this key of the secret.",
    object: { kind: "Secret", namespace, name },
    lastGoodServes,
  };
}
