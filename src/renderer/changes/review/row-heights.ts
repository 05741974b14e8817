/** The heights of the rows of a list, in pixels. Rows that were not measured have an estimate. */
export interface RowHeights {
  readonly count: number
  total(): number
  /** Where a row begins. The place after the last row is the total. */
  topOf(index: number): number
  heightOf(index: number): number
  /** The row at a place. A place outside belongs to the first or last row. */
  indexAt(place: number): number
  /** Corrects the height of a row. Returns whether it was another one. */
  set(index: number, height: number): boolean
}

export function createRowHeights(count: number, estimate: (index: number) => number): RowHeights {
  const heights = Float64Array.from({ length: count }, (_, index) => estimate(index))
  const tops = new Float64Array(count + 1)
  /** Tops up to this index are right. */
  let known = 0

  function addUp(to: number): void {
    for (; known < to; known++) tops[known + 1] = (tops[known] ?? 0) + (heights[known] ?? 0)
  }

  function topOf(index: number): number {
    const at = Math.min(Math.max(index, 0), count)
    addUp(at)
    return tops[at] ?? 0
  }

  return {
    count,
    topOf,
    total: () => topOf(count),
    heightOf: (index) => heights[index] ?? 0,
    indexAt(place) {
      addUp(count)
      let [low, high] = [0, Math.max(count - 1, 0)]
      while (low < high) {
        const middle = Math.ceil((low + high) / 2)
        if ((tops[middle] ?? 0) <= place) low = middle
        else high = middle - 1
      }
      return low
    },
    set(index, height) {
      if (index < 0 || index >= count || heights[index] === height) return false
      heights[index] = height
      known = Math.min(known, index)
      return true
    },
  }
}
