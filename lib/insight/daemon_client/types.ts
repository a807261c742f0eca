import type { RpcClientTls } from "../../kit/rpc/mod.ts";

/** A daemon, or the debug tap of an agent. */
export interface DaemonEndpoint {
  /** `host:port` or `unix:/path` for xDS; `http://host:port` for the pages. */
  readonly address: string;
  /** TLS of xDS; default: none. */
  readonly tls?: RpcClientTls;
  /** Bearer token of xDS; default: none. */
  readonly token?: string;
  /** Namespace of the client's node, which must be that of its identity; default `mesh-system`. */
  readonly namespace?: string;
}

export interface DaemonAnswer {
  readonly text: string;
  /** The identifier of the control plane in JSON; `undefined` over HTTP. */
  readonly identifier?: string;
}

/** Parameters of a debug page, in order; a name may be repeated. */
export type PageParameters = readonly (readonly [name: string, value: string])[];

export interface DaemonQuestion {
  /** A path below `/debug/` with its parameters, such as `config_dump?proxyID=a.b`. */
  readonly query: string;
  /** Longest wait for the whole answer. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}
