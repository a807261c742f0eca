/**
 * Debug queries over xDS: types, access, answers.
 *
 * @module
 */
export { isLocalPeer, mayReadAll } from "./access.ts";
export { AskedQueries } from "./asked_queries.ts";
export {
  type QueryAnswerer,
  queryAnswerer,
  type QueryCaller,
  type QueryOptions,
} from "./answer.ts";
