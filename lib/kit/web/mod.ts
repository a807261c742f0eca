/**
 * HTTP listeners with limits (connections, requests, headers, bodies, times), routes, pages; and
 * requests to listeners of this machine.
 *
 * @module
 */
export { askRoutes } from "./ask.ts";
export { formatAddress, isLoopback, type ListenAddress, parseAddress } from "./address.ts";
export { fromOtherSite } from "./origin.ts";
export {
  type ComponentChildren,
  type Crumb,
  h,
  page,
  type PageOptions,
  table,
  type TableOptions,
  type VNode,
} from "./page.ts";
export { type LocalRequest, requestText } from "./request.ts";
export { discardBody, readBody } from "./body.ts";
export { answer, type AnswerOptions, json, shared, text } from "./respond.ts";
export { type Handler, probe, type Route, route, type WebCall } from "./route.ts";
export { startWeb, type WebLimits, type WebOptions, type WebServer } from "./server.ts";
