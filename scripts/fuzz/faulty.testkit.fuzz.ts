import type { FuzzTarget } from './fuzz-target.ts'

/** A reader with every fault that the driver must survive. The input says which one it has. */
export const faulty: FuzzTarget = {
  name: 'faulty',
  seeds: [],
  run(input) {
    const fault = input.toString()
    if (fault === 'throws') throw new Error('a law')
    if (fault === 'ends') process.abort()
    const kept: string[][] = []
    while (fault === 'grows') kept.push(new Array<string>(100_000).fill(fault))
    while (fault === 'hangs');
  },
}
