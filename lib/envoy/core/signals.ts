/**
 * What is logged, counted and traced, as listeners take it.
 *
 * @module
 */
import type { AccessLog } from "#envoy/config/accesslog/v3/accesslog_pb.ts";
import type {
  HttpConnectionManager_Tracing as Tracing,
  HttpFilter,
  RequestIDExtension,
} from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";

/** What is made of requests and connections besides forwarding them. */
export interface Signals {
  /** Of requests. */
  readonly http: readonly AccessLog[];
  /** Of connections whose content is not looked at. */
  readonly tcp: readonly AccessLog[];
  /** Of connections that no chain takes. */
  readonly unmatched: readonly AccessLog[];
  /** Whether connections are told of when they are opened, too. */
  readonly opened: boolean;
  /** Filters before all others. */
  readonly first: readonly HttpFilter[];
  /** Filters behind all others but the last. */
  readonly last: readonly HttpFilter[];
  readonly tracing?: Tracing;
  readonly requestId?: RequestIDExtension;
}

/** The sides of a proxy. */
export interface SignalSet {
  /** Of what the workload sends, and what gateways forward. */
  readonly client: Signals;
  /** Of what the workload receives in plain text. */
  readonly server: Signals;
  /** Of what it receives under mutual TLS. */
  readonly mutual: Signals;
}

/** A side. */
export type Side = keyof SignalSet;

/** Nothing is logged, counted or traced. */
export const NO_SIGNALS: Signals = {
  http: [],
  tcp: [],
  unmatched: [],
  opened: false,
  first: [],
  last: [],
};
