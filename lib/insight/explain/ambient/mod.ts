/**
 * The way of a request through node proxies, waypoints and tunnels: what each decides, from what node proxies
 * are sent.
 *
 * @module
 */
export { alike, forAll } from "./alike.ts";
export { beyondGateway, cross } from "./across.ts";
export {
  ANY_NODE_PROXY,
  isBehindNodeProxy,
  knowledgeOf,
  type Known,
  knownTo,
  nodeProxyIn,
  principalOfWorkload,
  takesTunnels,
} from "./known.ts";
export { arrive, atWaypoint, leaveNodeProxy } from "./flow.ts";
export { type Client, type Content, hostPort, inNetwork, kindOf, type Travel } from "./travel.ts";
export { leave, type Origin, originNamed } from "./origin.ts";
