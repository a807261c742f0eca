/**
 * Input of the debug views. It is read-only.
 *
 * @module
 */
import type { Message } from "../analyze/mod.ts";
import type { Mesh } from "../../mesh/derive/mod.ts";
import type { AuditSummary, History } from "../history/mod.ts";
import type { Difference, ProxyStates, ProxyWarning, Traffic } from "../monitor/mod.ts";
import type { Receipts } from "../receipts/mod.ts";
import type { SchemaProblem } from "../../mesh/schema/mod.ts";
import type { ConfigObject, ProxyBinding, ProxyNode } from "../../mesh/model/mod.ts";
import type { LearnedReport, Quarantined, SessionInfo } from "../../mesh/xds/mod.ts";
import type {
  CredentialFault,
  FetchFault,
  FollowedResource,
  RemoteCluster,
  SharedService,
  SourceProblem,
} from "../../mesh/sources/mod.ts";
import type { WhatIf } from "../whatif/mod.ts";
import type { Publication } from "./pushes.ts";
import type { Sample } from "./samples.ts";
import type { Spending } from "./spending.ts";

/** The validity of a certificate. */
export interface Expiry {
  /** For example `root of the certificate authority`. */
  readonly name: string;
  /** Milliseconds since the epoch; both unset if the certificate cannot be read. */
  readonly notBefore?: number;
  readonly notAfter?: number;
}

/** The state of the daemon that is shown. */
export interface DebugInputs {
  /** Connected proxies. */
  readonly sessions: () => readonly SessionInfo[];
  /** Connected configuration clients, and streams of debug queries. */
  readonly clients: () => readonly SessionInfo[];
  readonly mesh: Mesh;
  /** Binds a proxy that is connected to another replica, to read what it is served; unset in tests. */
  readonly bind?: (node: ProxyNode) => ProxyBinding;
  /** Runs something after some milliseconds, unless the program ends before; unset in tests: never. */
  readonly later?: (ms: number, run: () => void) => void;
  /** The objects in use. */
  readonly objects: () => readonly ConfigObject[];
  /** State of the resource types of the orchestrator; unset without one. */
  readonly orchestrator?: () => readonly FollowedResource[];
  /** Remote clusters; unset without an orchestrator. */
  readonly clusters?: () => readonly RemoteCluster[];
  /** Services that clusters export or import; unset without an orchestrator. */
  readonly shared?: () => readonly (SharedService & { readonly cluster: string })[];
  /** Templates and values of injection; `undefined` where pods are not injected. */
  readonly injection?: () => unknown;
  /** Problems of rejected documents. */
  readonly problems: () => readonly SourceProblem[];
  readonly warnings: () => readonly SchemaProblem[];
  /** Key sets of issuers and trust bundles that the daemon cannot fetch now. */
  readonly fetchFaults: () => {
    readonly keySets: readonly FetchFault[];
    readonly bundles: readonly FetchFault[];
  };
  /** Credentials that cannot be used now. */
  readonly credentialFaults: () => readonly CredentialFault[];
  /** Reports of agents about their proxies. */
  readonly proxyStates: Omit<ProxyStates, "observer" | "onExit">;
  /** Warnings about connected proxies. */
  readonly proxyWarnings: () => readonly ProxyWarning[];
  /** Likely mistakes in the configuration in use. */
  readonly analysis: () => readonly Message[];
  /** Receipts of edits. */
  readonly receipts: Pick<Receipts, "of" | "latest">;
  /** Computes the effect of edits. */
  readonly whatIf: WhatIf;
  /** Ends the streams of a proxy and returns their number; unset if this is disabled. */
  readonly disconnect?: (proxy: string) => number;
  /** The latest publications, the newest first. */
  readonly pushes: () => readonly Publication[];
  /** Samples of the last hour, the oldest first. */
  readonly samples: () => readonly Sample[];
  /** Sent bytes and responses by account. */
  readonly spending: Spending;
  /** Quarantined resource versions. */
  readonly quarantined: () => readonly Quarantined[];
  /** Names that proxies with configuration on demand asked for. */
  readonly learned: () => readonly LearnedReport[];
  /** The host that a name stands for which proxies of a workload class asked for; empty: none. */
  readonly hostAsked: (workload: string, name: string) => string;
  readonly history: History;
  /** State of the audit. */
  readonly audit: () => AuditSummary;
  /** Pushes all subscribed resources to every proxy; returns the number of proxies. */
  readonly pushAll: () => number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The oldest difference between sources and acknowledged resources; `undefined` without one. */
  readonly oldestDifference?: () => Difference | undefined;
  /** Requests of the last minute; unset without a Prometheus. */
  readonly traffic?: () => Promise<Traffic>;
  /** True: Gateways select only proxies of their own namespace. */
  readonly scopedGateways: boolean;
  /** Certificates of the daemon and of its authority. */
  readonly certificates: () => readonly Expiry[];
  /** When the process started, milliseconds since the epoch. */
  readonly startedAt: number;
  readonly clusterId: string;
  /** Version of this build. */
  readonly version: string;
}
