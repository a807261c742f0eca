/**
 * Variables of translation without effect.
 *
 * @module
 */
import type { IneffectiveGroup } from "../ineffective.ts";
import { AGENT_DAEMON, bool, DAEMON, duration } from "./rows.ts";

/** Variables of translation without effect. */
export const TRAFFIC: readonly IneffectiveGroup[] = [
  {
    state: {
      kind: "ineffective",
      reason:
        "each host has a virtual host, so that an edit, a patch and an explanation concern one host",
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
      kind: "ineffective",
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
      kind: "ineffective",
      reason: "Envoy drops a metric after a whole interval without a count and has no grace period",
    },
    readers: AGENT_DAEMON,
    rows: [
      duration(
        "METRIC_GRACEFUL_DELETION_INTERVAL",
        AGENT_DAEMON,
        "5m0s",
        "Time that metrics are exported after their rotation.",
      ),
    ],
  },
  {
    state: {
      kind: "ineffective",
      reason: "proxies exchange metadata in headers and name no protocol for it",
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
