/**
 * Writes values at paths of trees.
 *
 * @module
 */
import { PathFault, pathText, type Step } from "./set_path.ts";
import { isTree, type Tree, typeName } from "./tree.ts";

/** The value, and the rules of writing. */
export interface Writing {
  /** `undefined` takes what is there away, and `null` too unless it is kept. */
  readonly value: unknown;
  /** True: an element that a list does not have is added. */
  readonly addsElements: boolean;
  readonly keepsNull?: boolean;
}

/** Changes a tree, and returns the path with indexes in place of elements. @throws {PathFault} */
export function writeAt(root: Tree, steps: readonly Step[], writing: Writing): (string | number)[] {
  const path: (string | number)[] = [];
  let node: unknown = root;
  for (const [at, step] of steps.entries()) {
    const key = placeOf(node, steps.slice(0, at + 1), step, writing);
    path.push(key);
    if (at === steps.length - 1) {
      put(node, key, writing.value ?? (writing.keepsNull ? writing.value : undefined));
      break;
    }
    const next = entryOf(node, key);
    if (next === undefined || next === null) {
      if (writing.value === undefined || writing.value === null && writing.keepsNull !== true) {
        return [...path, ...namesOf(steps.slice(at + 1))];
      }
      put(node, key, steps[at + 1]!.kind === "key" ? {} : []);
    }
    node = entryOf(node, key);
  }
  return path;
}

function namesOf(steps: readonly Step[]): (string | number)[] {
  return steps.map((step) =>
    step.kind === "key" ? step.key : step.kind === "index" ? step.index : 0
  );
}

function entryOf(node: unknown, key: string | number): unknown {
  return Array.isArray(node)
    ? node[key as number]
    : Object.hasOwn(node as Tree, key)
    ? (node as Tree)[key]
    : undefined;
}

function put(node: unknown, key: string | number, value: unknown): void {
  const isRemoval = value === undefined;
  if (Array.isArray(node)) {
    if (isRemoval) node.splice(key as number, 1);
    else node[key as number] = value;
  } else if (isRemoval) delete (node as Tree)[key];
  else (node as Tree)[key] = value;
}

/** The key or the index of a step. */
function placeOf(
  node: unknown,
  steps: readonly Step[],
  step: Step,
  writing: Writing,
): string | number {
  const above = pathText(steps.slice(0, -1));
  if (step.kind === "key") {
    if (isTree(node)) return step.key;
    throw new PathFault(
      `${above} is ${typeName(node)}, and has no field "${step.key}"`,
      Array.isArray(node) ? "Name the element first, such as [0] or [name:x]." : "Check the path.",
    );
  }
  if (!Array.isArray(node)) {
    throw new PathFault(`${above} is ${typeName(node)}, and no list`, "Check the path.");
  }
  if (step.kind === "index") {
    if (step.index <= node.length) return step.index;
    throw new PathFault(
      `${above} has ${node.length} elements, so that there is no [${step.index}]`,
      `Use an index up to ${node.length}; the last one adds an element.`,
    );
  }
  return elementOf(node, step, { above, ...writing });
}

function elementOf(
  list: unknown[],
  { key, value }: Extract<Step, { kind: "element" }>,
  { above, addsElements }: Writing & { readonly above: string },
): number {
  const found = list.findIndex((one) =>
    key === "" ? String(one) === value : isTree(one) && String(one[key]) === value
  );
  if (found >= 0) return found;
  if (addsElements && key !== "") return list.push({ [key]: value }) - 1;
  const have = list.map((one) => String(isTree(one) ? one[key] : one));
  throw new PathFault(
    `${above} has no element [${key}:${value}]`,
    have.length === 0 ? "The list is empty." : `It has ${have.join(", ")}.`,
  );
}
