/**
 * Rules of connection pools and outlier detection.
 *
 * @module
 */
import {
  type ConnectionPoolSettings,
  ConnectionPoolSettings_HTTPSettings_H2UpgradePolicy as H2UpgradePolicy,
  type OutlierDetection,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import type { Path } from "../../../kit/text/mod.ts";
import type { Report } from "../problem.ts";
import { checkDuration, checkNotNegative, checkPercent, CONFLICT, REQUIRED } from "./common.ts";

export function checkConnectionPool(
  pool: ConnectionPoolSettings,
  path: Path,
  report: Report,
): void {
  const { tcp, http } = pool;
  if (tcp === undefined && http === undefined) {
    report.fail(path, REQUIRED, "the connection pool sets nothing", "Give tcp or http.");
  }
  if (tcp !== undefined) checkTcp(tcp, [...path, "tcp"], report);
  if (http !== undefined) checkHttp(http, [...path, "http"], report);
}

type Tcp = NonNullable<ConnectionPoolSettings["tcp"]>;
type Http = NonNullable<ConnectionPoolSettings["http"]>;

function checkTcp(tcp: Tcp, path: Path, report: Report): void {
  checkNotNegative(tcp.maxConnections, [...path, "maxConnections"], report);
  checkDuration(tcp.connectTimeout, [...path, "connectTimeout"], report);
  checkDuration(tcp.maxConnectionDuration, [...path, "maxConnectionDuration"], report);
  // 0 disables the limit.
  checkDuration(tcp.idleTimeout, [...path, "idleTimeout"], report, "zero");
  const alive = [...path, "tcpKeepalive"];
  checkDuration(tcp.tcpKeepalive?.time, [...alive, "time"], report);
  checkDuration(tcp.tcpKeepalive?.interval, [...alive, "interval"], report);
}

const HTTP_COUNTS = [
  "http1MaxPendingRequests",
  "http2MaxRequests",
  "maxRequestsPerConnection",
  "maxRetries",
  "maxConcurrentStreams",
] as const;

function checkHttp(http: Http, path: Path, report: Report): void {
  for (const name of HTTP_COUNTS) checkNotNegative(http[name], [...path, name], report);
  checkDuration(http.idleTimeout, [...path, "idleTimeout"], report, "zero");
  const alive = [...path, "http2KeepAlive"];
  checkDuration(http.http2KeepAlive?.interval, [...alive, "interval"], report);
  checkDuration(http.http2KeepAlive?.timeout, [...alive, "timeout"], report);
  if (http.useClientProtocol && http.h2UpgradePolicy === H2UpgradePolicy.UPGRADE) {
    const message = "useClientProtocol and h2UpgradePolicy UPGRADE exclude each other";
    const remedy = "Keep one of the two.";
    report.failKey([...path, "useClientProtocol"], CONFLICT, message, remedy);
  }
}

export function checkOutlierDetection(
  outlier: OutlierDetection,
  path: Path,
  report: Report,
): void {
  checkDuration(outlier.interval, [...path, "interval"], report);
  checkDuration(outlier.baseEjectionTime, [...path, "baseEjectionTime"], report);
  checkPercent(outlier.maxEjectionPercent, [...path, "maxEjectionPercent"], report);
  checkPercent(outlier.minHealthPercent, [...path, "minHealthPercent"], report);
  checkNotNegative(outlier.consecutiveErrors, [...path, "consecutiveErrors"], report);
  if (outlier.consecutiveErrors !== 0) {
    const message = "consecutiveErrors is deprecated";
    const remedy = "Use consecutive5xxErrors or consecutiveGatewayErrors.";
    report.warn([...path, "consecutiveErrors"], "deprecated", message, remedy);
  }
  const local = outlier.consecutiveLocalOriginFailures ?? 0;
  if (local > 0 && !outlier.splitExternalLocalOriginErrors) {
    const message = "consecutiveLocalOriginFailures needs splitExternalLocalOriginErrors: true";
    const at = [...path, "consecutiveLocalOriginFailures"];
    report.failKey(at, CONFLICT, message, "Set splitExternalLocalOriginErrors: true.");
  }
}
