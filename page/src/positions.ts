// Where each joint is: by itself, by the joints that it follows, or by closed loops.
import type { Description } from "./data";

// The position of a joint by its index. q: of those that move by themselves; tree: of those that follow from loops.
export function positionsOf(robot: Description, q: ArrayLike<number>, tree: ArrayLike<number>): (index: number) => number {
  const known = new Map<number, number>();
  const position = (index: number): number => {
    const info = robot.joints[index]!;
    if (info.tree !== undefined) return tree[info.tree] ?? 0;
    if (!info.coupled) return info.q >= 0 ? q[info.q]! : 0;
    if (!known.has(index)) {
      known.set(index, 0); // joints that follow each other, which no reader accepts, end here
      known.set(index, info.coupled.terms.reduce((sum, term) => sum + term.factor * position(term.to), info.coupled.offset));
    }
    return known.get(index)!;
  };
  return position;
}
