const steps = [1, 2, 2.5, 5, 10]

/**
 * Round values for a scale that begins at 0: at most `most` of them, none above `highest`. Only 0 when there is nothing
 * above it. `whole` leaves out fractions, for counts.
 */
export function ticksUpTo(highest: number, most: number, whole = false): readonly number[] {
  if (!(highest > 0)) return [0]
  // A smaller step would give more than `most` values.
  const least = (highest / most) * (1 + 1e-9)
  const power = 10 ** Math.floor(Math.log10(least))
  const step = steps.map((one) => one * power).find((one) => one > least) ?? 10 * power
  const used = whole ? Math.max(1, Math.ceil(step)) : step
  // Multiplied and not added up, so that small errors do not grow.
  return Array.from({ length: Math.floor(highest / used + 1e-9) + 1 }, (_, place) => place * used)
}
