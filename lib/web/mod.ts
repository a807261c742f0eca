/**
 * HTTP listeners with limits, routes, pages; and requests to listeners of this machine.
 *
 * @module
 */
export { type LocalRequest, requestText } from "./request.ts";
