const steps = [1, 2, 2.5, 5, 10]

/** Beyond these, a power of ten is no longer exact, and becomes 0 or infinite. */
const smallest = 1e-300
const largest = 1e300

/**
 * Round values for a scale that begins at 0: at most `most` of them, none above `highest`. Only 0 when there is nothing
 * above it, or nothing that can be divided. `whole` leaves out fractions, for counts.
 */
export function ticksUpTo(highest: number, most: number, whole = false): readonly number[] {
  if (!(highest > smallest && highest < largest)) return [0]
  // A smaller step would give more than `most` values.
  const least = (highest / most) * (1 + 1e-9)
  const power = 10 ** Math.floor(Math.log10(least))
  const step = steps.map((one) => one * power).find((one) => one > least) ?? 10 * power
  const used = whole ? Math.max(1, Math.ceil(step)) : step
  // Multiplied and not added up, so that small errors do not grow.
  return Array.from({ length: Math.floor(highest / used + 1e-9) + 1 }, (_, place) => place * used)
}
