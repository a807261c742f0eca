import type { Definitions, Node, Operand, Pipe } from "./ast.ts";

/** The literal texts that templates give a function as its first argument. */
export function calledWith(definitions: Definitions, name: string): ReadonlySet<string> {
  const found = new Set<string>();
  const inOperand = (operand: Operand) => {
    if (operand.kind === "pipe") inPipe(operand.pipe);
  };
  const inPipe = ({ commands }: Pipe) => {
    for (const command of commands) {
      const [called, first] = command;
      if (called?.kind === "function" && called.name === name && first?.kind === "literal") {
        if (typeof first.value === "string") found.add(first.value);
      }
      command.forEach(inOperand);
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
