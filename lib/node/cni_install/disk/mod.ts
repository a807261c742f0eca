/**
 * Files of the node and the journal.
 *
 * @module
 */
export {
  type Bytes,
  DISK,
  type FileFacts,
  type NodeFiles,
  type PathFacts,
  UNFINISHED,
} from "./files.ts";
export { lockDirectory, type LockOptions } from "./lock.ts";
export { removeFile, removeUnfinished, writeFile, writeLink } from "./write.ts";
export {
  digestOf,
  JOURNAL,
  type Journal,
  type Original,
  readJournal,
  removeJournal,
  writeJournal,
} from "./journal.ts";
