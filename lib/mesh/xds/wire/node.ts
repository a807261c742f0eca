/**
 * The xDS node of a client, parsed to the daemon's types.
 *
 * @module
 */
import { type Node, NodeSchema } from "#envoy/config/core/v3/base_pb.ts";
import { messageOf } from "../../../kit/base/mod.ts";
import { type ClientRole, missingFeatures, type ProxyNode } from "../../model/mod.ts";
import { fromBinary } from "../../../kit/proto/mod.ts";
import { RpcError } from "../../../kit/rpc/mod.ts";
import { isIp } from "../../../kit/text/mod.ts";

const ROLES: ReadonlySet<string> = new Set<ClientRole>([
  "sidecar",
  "router",
  "waypoint",
  "ztunnel",
]);
/** Kinds of proxy the protocol knows and this server does not serve. */
const NOT_SERVED: ReadonlySet<string> = new Set(["agentgateway"]);
/** Longest node id, characters: four parts, each at most a DNS name. */
const MAX_ID = 1024;

/**
 * Parses the encoded node of a stream. Throws `RpcError` INVALID_ARGUMENT for one that is missing
 * or malformed and UNIMPLEMENTED for a kind of proxy that is not served.
 */
export function parseNode(
  bytes: Uint8Array | undefined,
  transport: ProxyNode["transport"],
): ProxyNode {
  if (!bytes) throw invalid("the first request of a stream must carry the node");
  const node = decode(bytes);
  const { role, ip, fullName, dnsDomain } = parseId(node.id);
  const metadata = node.metadata ?? {};
  const dot = fullName.lastIndexOf(".");
  if (dot <= 0 || dot === fullName.length - 1) {
    throw invalid(`the third part of the node id must be name.namespace, not "${fullName}"`);
  }
  const ips = addresses(ip, metadata["INSTANCE_IPS"]);
  if (ips.length === 0) throw invalid("the node has no valid IP address in its id or INSTANCE_IPS");
  const { region = "", zone = "", subZone = "" } = node.locality ?? {};
  return {
    id: node.id,
    role,
    ip: ips[0]!,
    ips,
    name: fullName.slice(0, dot),
    namespace: fullName.slice(dot + 1),
    dnsDomain,
    cluster: node.cluster,
    locality: { region, zone, subzone: subZone },
    metadata,
    buildVersion: buildVersion(node),
    userAgent: node.userAgentName,
    ...lacks(node),
    ...generatorOf(metadata["GENERATOR"]),
    transport,
  };
}

function generatorOf(name: unknown): Pick<ProxyNode, "generator"> {
  return name === "api" || name === "event" ? { generator: name } : {};
}

/** The features that the proxy lacks, by the extensions and the version that its node names. */
function lacks(node: Node): Pick<ProxyNode, "missing"> {
  const missing = missingFeatures({
    extensions: new Set(node.extensions.filter((one) => !one.disabled).map(({ name }) => name)),
    version: buildVersion(node),
    userAgent: node.userAgentName,
  });
  return missing.length === 0 ? {} : { missing };
}

function decode(bytes: Uint8Array): Node {
  try {
    return fromBinary(NodeSchema, bytes);
  } catch (error) {
    throw invalid(`the node cannot be decoded: ${messageOf(error)}`);
  }
}

function parseId(
  id: string,
): { role: ClientRole; ip: string; fullName: string; dnsDomain: string } {
  if (id === "") throw invalid("the node has no id");
  const parts = id.split("~");
  if (parts.length !== 4 || id.length > MAX_ID) {
    throw invalid("the node id must have the form type~ip~name.namespace~dnsDomain");
  }
  const [role, ip, fullName, dnsDomain] = parts as [string, string, string, string];
  if (NOT_SERVED.has(role)) {
    throw new RpcError("UNIMPLEMENTED", `proxies of the type "${role}" are not served`);
  }
  if (!ROLES.has(role)) {
    throw invalid(
      `the node id must begin with sidecar, router, waypoint or ztunnel, not "${
        role.slice(0, 64)
      }"`,
    );
  }
  return { role: role as ClientRole, ip, fullName, dnsDomain };
}

/** The address of the id, then those of the list; each once, invalid ones left out. */
function addresses(ip: string, list: unknown): readonly string[] {
  const all = new Set<string>([ip]);
  if (typeof list === "string") { for (const one of list.split(",")) all.add(one.trim()); }
  return [...all].filter(isIp);
}

function buildVersion(node: Node): string {
  const agent = node.userAgentVersionType;
  if (agent.case === "userAgentVersion") return agent.value;
  const version = agent.case === "userAgentBuildVersion" ? agent.value.version : undefined;
  return version ? `${version.majorNumber}.${version.minorNumber}.${version.patch}` : "";
}

function invalid(details: string): RpcError {
  return new RpcError("INVALID_ARGUMENT", details);
}
