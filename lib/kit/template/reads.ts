import type { Definitions, Node, Operand, Pipe } from "./ast.ts";

/**
 * The paths of the values that templates read: `.Values.a.b` is `["a", "b"]`. A path stands for all
 * values below it, because a template may pass them on.
 */
export function valuesRead(definitions: Definitions): (readonly string[])[] {
  const found: (readonly string[])[] = [];
  const inOperand = (operand: Operand, below: readonly string[] = []) => {
    if (operand.kind === "pipe") inPipe(operand.pipe);
    const [first, ...rest] = operand.fields;
    const isRoot = operand.kind === "dot" || operand.kind === "variable";
    if (isRoot && first === "Values") found.push([...rest, ...below]);
  };
  const inPipe = ({ commands }: Pipe) => {
    for (const command of commands) {
      const [called, target, ...keys] = command;
      if (called?.kind === "function" && called.name === "index" && target !== undefined) {
        inOperand(target, literals(keys));
        keys.forEach((key) => inOperand(key));
      } else command.forEach((operand) => inOperand(operand));
    }
  };
  const inNodes = (nodes: readonly Node[]) => {
    for (const node of nodes) {
      if ("pipe" in node && node.pipe !== undefined) inPipe(node.pipe);
      if ("body" in node) [node.body, node.otherwise].forEach(inNodes);
    }
  };
  for (const nodes of definitions.values()) inNodes(nodes);
  return found;
}

/** The texts up to the first operand that is none. */
function literals(operands: readonly Operand[]): string[] {
  const texts: string[] = [];
  for (const operand of operands) {
    if (operand.kind !== "literal" || typeof operand.value !== "string") break;
    texts.push(operand.value);
  }
  return texts;
}
