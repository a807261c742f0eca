/**
 * The security token service (RFC 8693): exchanges a workload's token for one of another issuer.
 *
 * @module
 */
export { endpointExchange, type EndpointOptions } from "./endpoint.ts";
export type { ExchangedToken, ExchangeRequest, TokenExchange } from "./exchange.ts";
export { tokenExchange } from "./plugins.ts";
export { stsRoutes } from "./routes.ts";
