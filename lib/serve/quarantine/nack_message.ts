/**
 * Which resources a rejection is about, read from what the client says.
 *
 * @module
 */
import type { Resource } from "../../graph/mod.ts";

/** How Envoy begins when it rejects single clusters or listeners of a response; `name: reason` follows, for each. */
const LIST = /adding\/updating (?:cluster|listener)(?:\(s\))? /;
/** What stands before a name in such a list. */
const INTRODUCES = /(?:^|,|\n)\s*$/;

/** Characters that names are made of: one beside a name means that a longer name was meant. */
const NAME_CHARACTER = /[\w|.\-/:~]/;

/**
 * The resources a message names; none when it names none. Names in the client's list count alone,
 * when there is such a list: what follows each may mention others.
 */
export function named(message: string, resources: readonly Resource[]): readonly Resource[] {
  const list = LIST.exec(message);
  const rest = list ? message.slice(list.index + list[0].length) : "";
  const ofList = resources.filter(({ name }) => lists(rest, name));
  return ofList.length > 0 ? ofList : resources.filter(({ name }) => mentions(message, name));
}

/** Whether a list of reasons has one for a name. */
function lists(list: string, name: string): boolean {
  const entry = name + ": ";
  for (let at = list.indexOf(entry); at >= 0; at = list.indexOf(entry, at + 1)) {
    if (INTRODUCES.test(list.slice(Math.max(0, at - 3), at))) return true;
  }
  return false;
}

/** Whether a name stands in a text by itself. */
function mentions(message: string, name: string): boolean {
  if (name === "") return false;
  for (let at = message.indexOf(name); at >= 0; at = message.indexOf(name, at + 1)) {
    const before = message[at - 1] ?? " ";
    const after = message.slice(at + name.length, at + name.length + 2);
    // A colon or full stop ends a clause when nothing of a name follows.
    const goesOn = NAME_CHARACTER.test(after[0] ?? " ") &&
      !(/[.:]/.test(after[0]!) && !NAME_CHARACTER.test(after[1] ?? " "));
    if (!NAME_CHARACTER.test(before) && !goesOn) return true;
  }
  return false;
}
