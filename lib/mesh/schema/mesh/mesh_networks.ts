/**
 * The networks of the mesh: read and checked.
 *
 * @module
 */
import { allSteps } from "../../../kit/base/mod.ts";
import { create } from "../../../kit/proto/mod.ts";
import {
  type MeshNetworks,
  MeshNetworksSchema,
  type Network,
} from "#mesh/mesh/v1alpha1/network_pb.ts";
import { isCidr, isFqdn, isIp, type Path, type YamlLimits } from "../../../kit/text/mod.ts";
import { ineffectiveCheck } from "../effective.ts";
import { MESH_NETWORKS_FIELDS } from "./effective_fields.ts";
import type { Report } from "../problem.ts";
import { readMessage } from "../read/mod.ts";
import { checkPort, REQUIRED } from "../rules/mod.ts";
import { type ParsedMessage, parseSingle } from "../single.ts";

const warnIneffective = ineffectiveCheck(MeshNetworksSchema, MESH_NETWORKS_FIELDS);

/** Returns a new copy of the default networks: none. */
export function defaultMeshNetworks(): MeshNetworks {
  return create(MeshNetworksSchema);
}

/** Reads the networks. An empty text gives none. */
export function parseMeshNetworks(
  text: string,
  file: string,
  limits?: YamlLimits,
): ParsedMessage<MeshNetworks> {
  return parseSingle(text, file, readMeshNetworks, limits);
}

/** Like {@link parseMeshNetworks}, for a plain value. */
export function readMeshNetworks(value: unknown, report: Report): MeshNetworks {
  const networks = readMessage(MeshNetworksSchema, value, [], report);
  if (report.errors.length > 0) return networks;
  for (const [name, network] of Object.entries(networks.networks)) {
    checkNetwork(network, ["networks", name], report);
  }
  allSteps(warnIneffective(value, [], report));
  return networks;
}

function checkNetwork(network: Network, path: Path, report: Report): void {
  network.endpoints.forEach((endpoints, index) => {
    const at = [...path, "endpoints", index];
    const { case: type, value } = endpoints.ne;
    if (type === undefined) {
      report.fail(at, REQUIRED, "the endpoints are empty", "Give fromCidr or fromRegistry.");
    } else if (type === "fromCidr" && !isCidr(value)) {
      const message = `${JSON.stringify(value)} is not an address range`;
      const remedy = "Write, for example, 10.0.0.0/8.";
      report.fail([...at, "fromCidr"], "invalid-address", message, remedy);
    } else if (value === "") {
      report.fail([...at, type], REQUIRED, `${type} is empty`, "Write a value.");
    }
  });
  network.gateways.forEach((gateway, index) => {
    const at = [...path, "gateways", index];
    const { case: type, value } = gateway.gw;
    if (type === undefined) {
      const remedy = "Give address or registryServiceName.";
      report.fail(at, REQUIRED, "the gateway has no address", remedy);
    } else if (!isIp(value) && !isFqdn(value)) {
      const message = `${JSON.stringify(value)} is neither an IP address nor a host name`;
      report.fail([...at, type], "invalid-address", message, "Write an address or a DNS name.");
    }
    checkPort(gateway.port, [...at, "port"], report);
  });
}
