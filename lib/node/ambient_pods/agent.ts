/**
 * The agent of a node for pods in ambient mode: follows pods and namespaces, and answers the network plugin.
 *
 * @module
 */
import {
  follow,
  type Following,
  type FollowTiming,
  getObject,
  type ListItem,
  mergePatch,
  type OrchClient,
  type OrchObject,
  types,
} from "../../kit/orch/mod.ts";
import type { Family, Runner } from "../capture/mod.ts";
import { type AmbientPlugin, type CniPod, hostPaths, namespaceOfPod } from "../cni/mod.ts";
import type { Labels } from "./enrolment.ts";
import { HostAddresses } from "./host_addresses.ts";
import { hostRules } from "./host_rules.ts";
import { type MemberOptions, type MemberTimes, REDIRECTION, type Redirection } from "./member.ts";
import { Members } from "./members.ts";
import { podRules } from "./pod_rules.ts";
import { NodeProxies } from "./proxies/proxies.ts";

/** Settings of ambient mode on a node. */
export interface AmbientSettings {
  readonly nodeName: string;
  /** Socket that node proxies connect to. */
  readonly socketPath: string;
  /** Program that has the socket. */
  readonly helper: string;
  readonly dnsCapture: boolean;
  readonly ipv6: boolean;
  /** Source addresses of the node's probes. */
  readonly probes: Readonly<Record<Family, string>>;
  readonly excludeNamespaces: ReadonlySet<string>;
  /** Folder with `/proc` and `/var/run/netns` of the node. */
  readonly hostRoot: string;
  /** Path of the network namespace of the node, as this process sees it. */
  readonly hostNamespace: string;
  readonly times?: Partial<MemberTimes>;
}

/** Dependencies of {@link startAmbient}. */
export interface AmbientOptions {
  readonly settings: AmbientSettings;
  readonly client: OrchClient;
  /** Runs programs in the network namespace at a path that this process sees. */
  runnerFor(seen: string): Runner;
  readonly timing?: Partial<FollowTiming>;
}

/** The running agent. */
export interface AmbientAgent extends AmbientPlugin {
  /** Resolves when the pods of the node are known, and node proxies are told of them. */
  readonly begun: Promise<void>;
  /** The number of node proxies that are connected. */
  readonly nodeProxies: number;
  /** Ends. What is in place stays, for the agent that follows. */
  close(): Promise<void>;
  /** Takes the rules away, and ends. */
  abandon(): Promise<void>;
}

const TIMES: MemberTimes = { servedMs: 20_000, leavingMs: 5_000, forgottenMs: 10_000 };
const PAUSES = { first: 500, longest: 15_000 };
/** Time between two looks at the rules of pods. */
const REPAIR_MS = 60_000;

/** Starts the agent. */
export function startAmbient(options: AmbientOptions): AmbientAgent {
  return new Agent(options);
}

interface KnownNamespace {
  readonly name: string;
  readonly labels: Labels;
}

class Agent implements AmbientAgent {
  readonly begun: Promise<void>;
  readonly #options: AmbientOptions;
  readonly #stop = new AbortController();
  readonly #proxies: NodeProxies;
  readonly #members: Members;
  readonly #namespaces: Following<KnownNamespace>;
  readonly #pods: Following<CniPod>;
  readonly #serving: Promise<void>;
  readonly #watching: Promise<void>;
  /** Ids of pods by namespace and name, as deletions name them. */
  readonly #uids = new Map<string, string>();

  constructor(options: AmbientOptions) {
    this.#options = options;
    const { client, settings: { nodeName, socketPath, helper, excludeNamespaces }, timing } =
      options;
    const { signal } = this.#stop;
    this.#proxies = new NodeProxies({ helper, socketPath });
    this.#members = new Members({
      ...this.#memberOptions(),
      excludeNamespaces,
      pauses: PAUSES,
      signal,
    });
    this.#namespaces = follow<KnownNamespace>({
      client,
      type: types.NAMESPACE,
      convert: ({ metadata }) => ({ name: metadata.name, labels: metadata.labels ?? {} }),
      contentOf: (one) => one,
      changed: ({ upserts }) => this.#namespacesChanged(upserts),
      ...timing && { timing },
    });
    this.#pods = follow<CniPod>({
      client,
      type: types.POD,
      selection: { fieldSelector: `spec.nodeName=${nodeName}` },
      convert: (object: ListItem) => object as CniPod,
      changed: ({ upserts, deletes }) => this.#podsChanged(upserts, deletes),
      ...timing && { timing },
    });
    this.#serving = this.#proxies.run(signal);
    this.begun = this.#begin();
    this.#watching = this.#members.watch(REPAIR_MS);
  }

  get nodeProxies(): number {
    return this.#proxies.count;
  }

  async addStarting(pod: CniPod, seen: string, addresses: readonly string[]): Promise<boolean> {
    // What follows may be behind the kubelet.
    const { namespace = "" } = pod.metadata;
    const { signal } = this.#stop;
    const name = { namespace: "", name: namespace };
    const { metadata } = await getObject<OrchObject>(this.#options.client, types.NAMESPACE, name, {
      signal,
    });
    const place = { seen, addresses };
    return await this.#members.addStarting(pod, metadata.labels ?? {}, place);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all([this.#pods.close(), this.#namespaces.close(), this.#serving]);
    await this.#watching;
    await this.#members.settled();
  }

  async abandon(): Promise<void> {
    await Promise.all([this.#pods.close(), this.#namespaces.close()]);
    await this.#members.abandon();
    await this.close();
  }

  async #begin(): Promise<void> {
    await Promise.all([this.#namespaces.synced, this.#pods.synced]);
    if (this.#stop.signal.aborted) return;
    for (const pod of this.#pods.values()) this.#update(pod);
    await this.#members.begin();
  }

  #memberOptions(): MemberOptions {
    const { settings, client, runnerFor } = this.#options;
    const { hostRoot, hostNamespace, probes, ipv6, dnsCapture } = settings;
    return {
      proxies: this.#proxies,
      host: new HostAddresses(hostRules(runnerFor(hostNamespace), probes, ipv6)),
      times: { ...TIMES, ...settings.times },
      dnsCapture,
      find: (pod) => namespaceOfPod(pod, { hostRoot, runnerFor }),
      check: (seen) => hostPaths(hostRoot).check(seen),
      rulesOf: (seen, overrides) => podRules(runnerFor(seen), { ...overrides, probes }, ipv6),
      announce: (pod, value) => announce(client, pod, value),
    };
  }

  #namespacesChanged(changed: readonly KnownNamespace[]): void {
    const names = new Set(changed.map(({ name }) => name));
    for (const pod of this.#pods?.values() ?? []) {
      if (names.has(pod.metadata.namespace ?? "")) this.#update(pod);
    }
  }

  #podsChanged(
    upserts: readonly CniPod[],
    deletes: readonly { readonly namespace: string; readonly name: string }[],
  ): void {
    for (const { namespace, name } of deletes) this.#deleted(keyOf(namespace, name));
    for (const pod of upserts) {
      const { namespace = "", name, uid = "" } = pod.metadata;
      const key = keyOf(namespace, name);
      if (this.#uids.get(key) !== uid) this.#deleted(key);
      this.#uids.set(key, uid);
      this.#update(pod);
    }
  }

  #deleted(key: string): void {
    const uid = this.#uids.get(key);
    this.#uids.delete(key);
    if (uid !== undefined) this.#members.forget(uid);
  }

  /** Until its namespace is known, the labels of a pod cannot be told. */
  #update(pod: CniPod): void {
    const name = pod.metadata.namespace ?? "";
    const namespace = this.#namespaces.get({ namespace: "", name });
    if (namespace !== undefined) this.#members.update(pod, namespace.labels);
  }
}

function keyOf(namespace: string, name: string): string {
  return [namespace, name].join("/");
}

/** Writes the annotation of a pod, by the sub-resource that agents of nodes may write. */
async function announce(client: OrchClient, pod: CniPod, value: Redirection): Promise<void> {
  const { namespace = "", name, uid } = pod.metadata;
  await mergePatch(client, types.POD, { namespace, name, subresource: "status" }, {
    metadata: {
      ...uid === undefined ? {} : { uid },
      annotations: { [REDIRECTION]: value ?? null },
    },
  });
}
