// Small matrices for pictures: principal axes of symmetric 3 x 3 matrices (Jacobi rotations).

export interface Principal {
  values: number[]; // ascending
  axes: number[][]; // unit vectors, right-handed
}

export function principal(matrix: ArrayLike<number>): Principal {
  const a = Array.from({ length: 9 }, (_, i) => matrix[i] as number);
  const v = [1, 0, 0, 0, 1, 0, 0, 0, 1];
  for (let sweep = 0; sweep < 30; ++sweep) {
    const off = Math.abs(a[1]!) + Math.abs(a[2]!) + Math.abs(a[5]!);
    if (!(off > 1e-18 * (Math.abs(a[0]!) + Math.abs(a[4]!) + Math.abs(a[8]!)))) break;
    for (const [p, r] of [[0, 1], [0, 2], [1, 2]] as const) rotate(a, v, p, r);
  }
  const order = [0, 1, 2].sort((i, k) => a[4 * i]! - a[4 * k]!);
  const axes = order.map((k) => [v[k]!, v[3 + k]!, v[6 + k]!]);
  axes[2] = cross(axes[0]!, axes[1]!);
  return { values: order.map((k) => a[4 * k]!), axes };
}

function rotate(a: number[], v: number[], p: number, r: number): void {
  const apr = a[3 * p + r]!;
  if (apr === 0) return;
  const theta = (a[4 * r]! - a[4 * p]!) / (2 * apr);
  const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < 3; ++k) {
    const kp = a[3 * k + p]!, kr = a[3 * k + r]!;
    a[3 * k + p] = c * kp - s * kr;
    a[3 * k + r] = s * kp + c * kr;
  }
  for (let k = 0; k < 3; ++k) {
    const pk = a[3 * p + k]!, rk = a[3 * r + k]!;
    a[3 * p + k] = c * pk - s * rk;
    a[3 * r + k] = s * pk + c * rk;
    const vp = v[3 * k + p]!, vr = v[3 * k + r]!;
    v[3 * k + p] = c * vp - s * vr;
    v[3 * k + r] = s * vp + c * vr;
  }
}

export function cross(a: number[], b: number[]): number[] {
  return [a[1]! * b[2]! - a[2]! * b[1]!, a[2]! * b[0]! - a[0]! * b[2]!, a[0]! * b[1]! - a[1]! * b[0]!];
}
