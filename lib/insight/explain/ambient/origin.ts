/**
 * Requests that begin at a workload without a proxy beside it: in ambient mode, or outside the mesh.
 *
 * @module
 */
import type { Workload } from "#mesh/workload/workload_pb.ts";
import { ipText, isIp } from "../../../kit/text/mod.ts";
import type { Outcome } from "../../verdict/mod.ts";
import type { World } from "../world.ts";
import { leaveNodeProxy, leavePlain } from "./flow.ts";
import { type Content, inNetwork, type Travel } from "./travel.ts";
import { type Knowledge, principalOfWorkload, takesTunnels } from "./known.ts";

/** The beginning of a request that no proxy of its own takes. */
export interface Origin {
  /** `NAME.NAMESPACE`, or an address outside the mesh. */
  readonly name: string;
  readonly namespace: string;
  readonly ip: string;
  /** The workload whose node's proxy takes the connection; unset: nothing takes it. */
  readonly captured?: Workload;
}

/** The workload of a name that has no proxy of its own, or the program at an address. */
export function originNamed({ networks, in: of }: Knowledge, name: string): Origin | undefined {
  const workload =
    networks.flatMap((network) =>
      (isIp(name) ? of(network)?.workloadAt(name) : of(network)?.workloadNamed(name)) ?? []
    )[0];
  const [address] = workload?.addresses ?? [];
  if (workload !== undefined && address !== undefined) {
    const { namespace } = workload;
    const common = { name: `${workload.name}.${namespace}`, namespace, ip: ipText(address) };
    return takesTunnels(workload) ? { ...common, captured: workload } : common;
  }
  return isIp(name) ? { name, namespace: "", ip: name } : undefined;
}

/** A connection from a workload or program to a host. */
export function leave(
  travel: Travel,
  origin: Origin,
  { host, port, content }: {
    readonly host: string;
    readonly port: number;
    readonly content: Content;
  },
): Outcome[] {
  const ip = addressOf(travel.world, origin, host);
  if (ip === undefined) {
    const remedy = "Write the name of a service with an address in --to, or the address.";
    const text = `the address of ${host}, which DNS of the workload tells`;
    return [{ share: 1, kind: "unknown", proxy: origin.name, text, remedy }];
  }
  const to = { ip, port };
  const { captured } = origin;
  if (captured === undefined) {
    return leavePlain(travel, origin.name, { to, content, client: { ip: origin.ip } });
  }
  const principal = principalOfWorkload(captured);
  travel.assumptions.add(`the certificate of ${origin.name} is valid and names ${principal}`);
  return leaveNodeProxy(inNetwork(travel, captured.network), {
    workload: captured,
    client: { ip: origin.ip, principal },
  }, { to, content });
}

/** The address of a host; undefined: the mesh does not know it. */
function addressOf(
  { mesh: { domain }, services }: World,
  { namespace }: Origin,
  host: string,
): string | undefined {
  if (isIp(host)) return host;
  const names = [
    host,
    `${host}.${namespace}.svc.${domain}`,
    `${host}.svc.${domain}`,
    `${host}.${domain}`,
  ];
  for (const name of names) {
    const service = services.find((one) => one.host === name);
    const address = service?.addresses.map((one) => one.split("/")[0]!).find(isIp);
    if (address !== undefined) return address;
  }
  return undefined;
}
