/**
 * Destinations of VirtualServices: the host exists, and has the port.
 *
 * @module
 */
import type { Destination, VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import type { ConfigObject } from "../../model/mod.ts";
import type { Analyzer, Context } from "../analyzer.ts";
import type { Finding } from "../message.ts";
import { destinationsWithPaths, hostHint, isAssumed, serviceSeenBy } from "../references.ts";

/** A route or mirror to a host or port that no service has. */
export const DESTINATION_HOST: Analyzer<"VirtualService"> = {
  name: "virtualservice.DestinationHostAnalyzer",
  kinds: ["VirtualService"],
  codes: ["MSH0101", "MSH0112"],
  *analyze(context, row) {
    for (const { destination, path } of destinationsWithPaths(row.spec)) {
      yield* destinationFindings(context, row, destination, path);
    }
  },
};

function* destinationFindings(
  context: Context,
  { meta }: ConfigObject<VirtualService>,
  { host, port }: Destination,
  path: string,
): Iterable<Finding> {
  const service = serviceSeenBy(context, host, meta.namespace);
  if (service === undefined) {
    if (isAssumed(context, host, meta.namespace)) return;
    yield {
      code: "MSH0101",
      args: ["host", host],
      path: `${path}.host`,
      remedy: hostHint(context, host, meta.namespace) +
        `Correct the name, or define the host by a ServiceEntry that namespace ` +
        `${meta.namespace} sees.`,
    };
    return;
  }
  const numbers = service.ports.map(({ number }) => number);
  const number = port?.number ?? 0;
  if (number === 0) {
    if (numbers.length < 2) return;
    yield { code: "MSH0112", args: [host, numbers.join(", ")], path };
  } else if (!numbers.includes(number)) {
    yield {
      code: "MSH0101",
      args: ["port", `${host}:${number}`],
      path: `${path}.port.number`,
      remedy: `Use a port of the service: ${numbers.join(", ")}.`,
    };
  }
}
