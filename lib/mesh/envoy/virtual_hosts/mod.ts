/**
 * Virtual hosts with their domains, and the route configurations (RDS) that contain them.
 *
 * @module
 */
export { askedVirtualHost, authorityOf, matchedDomain, refusedVirtualHost } from "./asked.ts";
export { type DomainOptions, domainsFor, hostPort, shortNames } from "./domains.ts";
export {
  MAX_DIRECT_RESPONSE_BODY,
  renamedVirtualHost,
  routeConfiguration,
} from "./route_configuration.ts";
export {
  blackHoleVirtualHost,
  type CatchAll,
  catchAllVirtualHost,
  connectRoute,
  virtualHostFor,
  virtualHostOf,
} from "./virtual_host.ts";
