/**
 * Debug queries over xDS: types, access, answers.
 *
 * @module
 */
export { isLocalPeer, mayReadAll } from "./access.ts";
export {
  type AnsweredQuery,
  type QueryAnswerer,
  queryAnswerer,
  type QueryCaller,
  type QueryOptions,
} from "./answer.ts";
