/**
 * Variables of translation that do nothing.
 *
 * @module
 */
import type { IdleTheme } from "../idle.ts";
import { AGENT_DAEMON, bool, DAEMON, duration } from "./rows.ts";

/** Variables of translation that do nothing. */
export const TRAFFIC: readonly IdleTheme[] = [
  {
    state: {
      kind: "none",
      reason:
        "each host has a virtual host of its own, so that an edit of one is sent as one and named as one",
    },
    readers: DAEMON,
    rows: [
      bool(
        "PILOT_ENABLE_ROUTE_COLLAPSE_OPTIMIZATION",
        AGENT_DAEMON,
        true,
        "Merge virtual hosts whose routes are the same.",
      ),
    ],
  },
  {
    state: {
      kind: "none",
      reason: "Envoy's builds without contributed extensions have no such filter",
    },
    readers: DAEMON,
    rows: [
      bool(
        "PILOT_ENABLE_SQLDB_FILTER",
        AGENT_DAEMON,
        false,
        "Add the filter for the SQL database's protocol.",
      ),
    ],
  },
  {
    state: {
      kind: "none",
      reason: "Envoy forgets a metric after a whole interval without a count, and knows no grace",
    },
    readers: AGENT_DAEMON,
    rows: [
      duration(
        "METRIC_GRACEFUL_DELETION_INTERVAL",
        AGENT_DAEMON,
        "5m0s",
        "How long metrics are still exported after their rotation.",
      ),
    ],
  },
  {
    state: {
      kind: "none",
      reason: "proxies tell each other of workloads in headers, and name no protocol for it",
    },
    readers: DAEMON,
    rows: [
      bool(
        "PILOT_DISABLE_MX_ALPN",
        AGENT_DAEMON,
        false,
        "Leave the protocol name of the metadata exchange out of TLS handshakes.",
      ),
    ],
  },
];
