/**
 * Rules of route destinations and their weights.
 *
 * @module
 */
import type { Destination } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import type { Path } from "../../../kit/text/mod.ts";
import type { Report } from "../problem.ts";
import { checkHost, checkNotNegative, checkPort, checkSubsetName, REQUIRED } from "./common.ts";

/** Checks a destination: host, subset, port. */
export function checkDestination(
  destination: Destination | undefined,
  path: Path,
  report: Report,
): void {
  if (destination === undefined) {
    report.failKey(path, REQUIRED, "the destination is missing", "Give destination.host.");
    return;
  }
  const host = [...path, "host"];
  if (destination.host === "") {
    report.fail(host, REQUIRED, "the destination has no host", "Name the service.");
  } else if (destination.host === "*") {
    const message = 'a destination cannot be "*"';
    report.fail(host, "invalid-host", message, "Name one service.");
  } else checkHost(destination.host, host, report);
  if (destination.subset !== "") {
    checkSubsetName(destination.subset, [...path, "subset"], report);
  }
  if (destination.port !== undefined) {
    checkPort(destination.port.number, [...path, "port", "number"], report);
  }
}

/**
 * Checks weighted destinations. A single one may have weight 0; otherwise one must have a weight
 * above 0.
 */
export function checkWeights(
  routes: readonly { readonly destination?: Destination; readonly weight: number }[],
  path: Path,
  report: Report,
): void {
  let total = 0;
  routes.forEach((route, index) => {
    checkDestination(route.destination, [...path, index, "destination"], report);
    checkNotNegative(route.weight, [...path, index, "weight"], report);
    total += route.weight;
  });
  if (routes.length > 1 && total === 0) {
    const message = "the weights of several destinations are all 0";
    report.fail(path, "invalid-weight", message, "Give at least one a weight.");
  }
  // The proxy's sum of weights has 32 bits.
  if (total > 4294967295) {
    const message = `the weights sum to ${total}, more than 4294967295`;
    report.fail(path, "invalid-weight", message, "Use smaller weights.");
  }
}
