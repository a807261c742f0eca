/**
 * Elliptic curves of token signing keys, and the check that a point lies on a curve. Field sizes
 * and coefficients are those of FIPS 186-5 (SP 800-186, 3.2.1); all curves have the form `y² = x³ -
 * 3x + b` modulo `p`.
 *
 * @module
 */

/** An elliptic curve. */
export interface Curve {
  readonly p: bigint;
  readonly b: bigint;
}

/** The curves by their name in JSON Web Keys. */
export const CURVES: Readonly<Record<string, Curve>> = {
  "P-256": {
    p: 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
    b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
  },
  "P-384": {
    p: 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n,
    b: BigInt(
      "0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875a" +
        "c656398d8a2ed19d2a85c8edd3ec2aef",
    ),
  },
  "P-521": {
    p: 2n ** 521n - 1n,
    b: BigInt(
      "0x51953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109" +
        "e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00",
    ),
  },
};

/** Reports if a point lies on a curve. The point at infinity has no coordinates. */
export function isOnCurve({ p, b }: Curve, x: bigint, y: bigint): boolean {
  return x < p && y < p && (y * y - (x * x - 3n) * x - b) % p === 0n;
}
