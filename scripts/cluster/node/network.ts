/**
 * The network of a cluster with nodes: a bridge, a network namespace for each node, and a link to
 * the machine.
 *
 * @module
 */
import {
  BRIDGE,
  CONTROL_ADDRESS,
  CONTROL_ADDRESS_6,
  type LinkLayout,
  linkLayout,
  MOST_LINKS,
  type NodeLayout,
  SERVICE_RANGE,
  SERVICE_RANGE_6,
} from "./layout.ts";
import { output } from "./commands.ts";
import type { Space } from "./space.ts";

/** Connects the API server's namespace with nodes and with the machine. */
export async function makeNetwork(
  space: Space,
  nodes: readonly NodeLayout[],
): Promise<LinkLayout> {
  await script(space, [
    `ip link add ${BRIDGE} type bridge`,
    `ip addr add ${CONTROL_ADDRESS}/24 dev ${BRIDGE}`,
    `ip link set ${BRIDGE} up`,
    ...nodes.flatMap(nodeCommands(nodes)),
    // What the API server asks of a Service, such as a webhook, goes to the first node's proxy.
    `ip route add ${SERVICE_RANGE} via ${nodes[0]!.address}`,
    ...commandsOfIpv6(nodes),
  ]);
  return await connect(space);
}

function nodeCommands(nodes: readonly NodeLayout[]): (node: NodeLayout) => string[] {
  return ({ name, address, pods }) => {
    const inside = `nsenter --net=/run/netns/${name}`;
    const others = nodes.filter((other) => other.name !== name);
    return [
      `ip netns add ${name}`,
      `ip link add ${name} type veth peer name eth0 netns ${name}`,
      `ip link set ${name} master ${BRIDGE} up`,
      `${inside} ip link set lo up`,
      `${inside} ip addr add ${address}/24 dev eth0`,
      `${inside} ip link set eth0 up`,
      `${inside} ip route add default via ${CONTROL_ADDRESS}`,
      ...others.map((other) => `${inside} ip route add ${other.pods} via ${other.address}`),
      `${inside} sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'`,
      `ip route add ${pods} via ${address}`,
    ];
  };
}

/** The same for IPv6, if the nodes have it. Addresses are not looked for at others first, which takes a second. */
function commandsOfIpv6(nodes: readonly NodeLayout[]): string[] {
  const forward = "echo 1 > /proc/sys/net/ipv6/conf/all/forwarding";
  const with6 = nodes.flatMap(({ name, ipv6 }) => ipv6 === undefined ? [] : [{ name, ...ipv6 }]);
  if (with6.length === 0) return [];
  return [
    `ip addr add ${CONTROL_ADDRESS_6}/64 dev ${BRIDGE} nodad`,
    forward,
    ...with6.flatMap(({ name, address, pods }) => {
      const inside = `nsenter --net=/run/netns/${name}`;
      const others = with6.filter((other) => other.name !== name);
      return [
        `${inside} ip addr add ${address}/64 dev eth0 nodad`,
        `${inside} ip route add default via ${CONTROL_ADDRESS_6}`,
        ...others.map((other) => `${inside} ip route add ${other.pods} via ${other.address}`),
        `${inside} sh -c '${forward}'`,
        `ip route add ${pods} via ${address}`,
      ];
    }),
    `ip route add ${SERVICE_RANGE_6} via ${with6[0]!.address}`,
  ];
}

/** Takes the first free link. Its name is what two clusters cannot have both. */
async function connect(space: Space): Promise<LinkLayout> {
  const { pid } = space.record.init!;
  for (let number = 0; number < MOST_LINKS; number++) {
    const layout = linkLayout(number);
    const { link, machine, cluster } = layout;
    const add = ["ip", "link", "add", link, "type", "veth", "peer", "name", "machine0"];
    const { success, stderr } = await output([...add, "netns", `${pid}`]);
    if (!success && stderr.includes("File exists")) continue;
    if (!success) throw new Error(`ip link add ${link}: ${stderr}`);
    await space.update({ link });
    await script(space, [`ip addr add ${cluster}/30 dev machine0`, "ip link set machine0 up"]);
    for (
      const args of [["addr", "add", `${machine}/30`, "dev", link], ["link", "set", link, "up"]]
    ) {
      const set = await output(["ip", ...args]);
      if (!set.success) throw new Error(`ip ${args.join(" ")}: ${set.stderr}`);
    }
    return layout;
  }
  throw new Error(`there are ${MOST_LINKS} clusters with nodes already`);
}

async function script(space: Space, commands: readonly string[]): Promise<void> {
  const { success, stderr } = await space.run(["sh", "-ec", commands.join("\n")]);
  if (!success) throw new Error(`the network of a cluster cannot be made: ${stderr}`);
}
