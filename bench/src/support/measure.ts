/** Measured values in one unit: the median of the runs and their range. */
export interface Sample {
  readonly median: number
  readonly low: number
  readonly high: number
  readonly runs: number
}

export function summarise(values: readonly number[]): Sample {
  const sorted = values.toSorted((a, b) => a - b)
  return {
    median: medianOf(sorted),
    low: sorted[0] ?? Number.NaN,
    high: sorted.at(-1) ?? Number.NaN,
    runs: values.length,
  }
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [upper = Number.NaN, lower = upper] = [sorted[middle], sorted[middle - 1]]
  return sorted.length % 2 === 1 ? upper : (lower + upper) / 2
}

/** Runs `act` one run after another, and returns its figures without the first `warmUps`. `act` measures itself. */
export async function figuresOf(
  act: () => number | Promise<number>,
  { runs = 7, warmUps = 1 }: { readonly runs?: number; readonly warmUps?: number } = {},
): Promise<readonly number[]> {
  const figures: number[] = []
  for (let run = 0; run < warmUps + runs; run += 1) figures.push(await act())
  return figures.slice(warmUps)
}

/** The milliseconds that `act` takes. */
export async function timed(act: () => unknown): Promise<number> {
  const started = performance.now()
  await act()
  return performance.now() - started
}

/** Runs both in turns, so that other work of the machine affects both. Each act returns its milliseconds. */
export async function sideBySide(
  coppice: () => number | Promise<number>,
  peer: () => number | Promise<number>,
  { runs = 5, warmUps = 1 }: { readonly runs?: number; readonly warmUps?: number } = {},
): Promise<{ readonly coppice: Sample; readonly peer: Sample }> {
  const [own, other]: [number[], number[]] = [[], []]
  for (let run = 0; run < warmUps + runs; run += 1) {
    other.push(await peer())
    own.push(await coppice())
  }
  return { coppice: summarise(own.slice(warmUps)), peer: summarise(other.slice(warmUps)) }
}
