/**
 * Variables of translation that wait for what they would change.
 *
 * @module
 */
import type { IdleTheme } from "../idle.ts";
import { AGENT_DAEMON, bool, DAEMON, duration } from "./rows.ts";

/** Variables of translation that wait for what they would change. */
export const TRAFFIC: readonly IdleTheme[] = [
  {
    state: { kind: "later", reason: "a choice in translation that is not there yet" },
    readers: DAEMON,
    rows: [
      bool(
        "HTTP_STRIP_FRAGMENT_FROM_PATH_UNSAFE_IF_DISABLED",
        AGENT_DAEMON,
        true,
        "Cut the fragment off the path before rules look at it; unsafe to switch off.",
      ),
    ],
  },
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
    state: { kind: "later", reason: "telemetry" },
    readers: DAEMON,
    rows: [
      duration(
        "METRIC_GRACEFUL_DELETION_INTERVAL",
        AGENT_DAEMON,
        "5m0s",
        "How long metrics are still exported after their rotation.",
      ),
      duration(
        "METRIC_ROTATION_INTERVAL",
        AGENT_DAEMON,
        "0s",
        "Time after which proxies start their metrics anew; 0: never.",
      ),
      bool(
        "PILOT_DISABLE_MX_ALPN",
        AGENT_DAEMON,
        false,
        "Leave the protocol name of the metadata exchange out of TLS handshakes.",
      ),
    ],
  },
];
