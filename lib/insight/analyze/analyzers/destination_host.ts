/**
 * Destinations of VirtualServices: the host exists, and has the port.
 *
 * @module
 */
import type { Destination, VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import type { ConfigObject } from "../../../mesh/model/mod.ts";
import type { Analyzer, Context } from "../analyzer.ts";
import type { Finding } from "../message.ts";
import { destinationSeenBy, destinationsWithPaths, hostHint } from "../references.ts";

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
  row: ConfigObject<VirtualService>,
  { host, port }: Destination,
  path: string,
): Iterable<Finding> {
  const { namespace } = row.meta;
  const seen = destinationSeenBy(context, host, row);
  if (seen === undefined) {
    yield {
      code: "MSH0101",
      args: ["host", host],
      path: `${path}.host`,
      remedy: hostHint(context, host, namespace) +
        `Correct the name, or define the host by a ServiceEntry that namespace ` +
        `${namespace} sees.`,
    };
    return;
  }
  const numbers = seen.ports;
  if (numbers === undefined) return;
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
